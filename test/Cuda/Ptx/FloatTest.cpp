//===- FloatTest.cpp - Floating-point numbers -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks.h"
#include <cmath>

using namespace hetero::standin;

// Of 32 bits.
constexpr uint64_t one = 0x3f800000, minusOne = 0xbf800000, two = 0x40000000;
constexpr uint64_t infinity = 0x7f800000, nan32 = 0x7fffffff;
constexpr uint64_t minus = 0x80000000, oddNan = 0xffc12345;
constexpr uint64_t denormal = 1, largest = 0x7f7fffff, leastNormal = 0x00800000;
// 1 + 2^-23 and 2^-24.
constexpr uint64_t nextToOne = 0x3f800001, halfUlp = 0x33800000;
// Of 64 bits.
constexpr uint64_t wideOne = 0x3ff0000000000000;
constexpr uint64_t wideInfinity = 0x7ff0000000000000;

TEST(PtxFloat, RoundsAsItIsSaid) {
  runChecks({
      {"add.rn.f32 %r0, %r1, %r2;", {one, halfUlp}, one},
      {"add.rn.f32 %r0, %r1, %r2;", {nextToOne, halfUlp}, 0x3f800002},
      {"add.rz.f32 %r0, %r1, %r2;", {nextToOne, halfUlp}, nextToOne},
      {"add.rp.f32 %r0, %r1, %r2;", {one, denormal}, nextToOne},
      {"add.rm.f32 %r0, %r1, %r2;", {minusOne, minus | 1}, 0xbf800001},
      {"add.rn.f32 %r0, %r1, %r2;", {one, minusOne}, 0},
      {"add.rm.f32 %r0, %r1, %r2;", {one, minusOne}, minus},
      {"sub.rz.f32 %r0, %r1, %r2;", {one, denormal}, 0x3f7fffff},
      {"mul.rp.f32 %r0, %r1, %r2;", {denormal, denormal}, 1},
      {"mul.rz.f32 %r0, %r1, %r2;", {largest, two}, largest},
      {"mul.rn.f32 %r0, %r1, %r2;", {largest, two}, infinity},
      {"div.rn.f32 %r0, %r1, %r2;", {one, 0x40400000}, 0x3eaaaaab},
      {"div.rz.f32 %r0, %r1, %r2;", {one, 0x40400000}, 0x3eaaaaaa},
      {"rcp.rn.f32 %r0, %r1;", {0x40400000}, 0x3eaaaaab},
      {"rcp.rp.f32 %r0, %r1;", {0x41200000}, 0x3dcccccd},
      {"sqrt.rn.f32 %r0, %r1;", {two}, 0x3fb504f3},
      {"sqrt.rp.f32 %r0, %r1;", {two}, 0x3fb504f4},
      {"sqrt.rn.f32 %r0, %r1;", {minus}, minus},
      {"sqrt.rn.f32 %r0, %r1;", {minusOne}, nan32},
      {"add.rz.f64 %rd0, %rd1, %rd2;", {wideOne, 1}, wideOne},
      {"add.rp.f64 %rd0, %rd1, %rd2;", {wideOne, 1}, wideOne + 1},
      {"div.rn.f64 %rd0, %rd1, %rd2;",
       {wideOne, 0x4008000000000000},
       0x3fd5555555555555},
      {"sqrt.rn.f64 %rd0, %rd1;", {0x4000000000000000}, 0x3ff6a09e667f3bcd},
      {"rcp.rn.f64 %rd0, %rd1;", {0x4008000000000000}, 0x3fd5555555555555},
  });
}

TEST(PtxFloat, MultipliesAndAddsAtOnce) {
  // (1 + u)(1 - u) - 1 = -u^2 for u = 2^-23, which two roundings lose.
  runChecks({
      {"fma.rn.f32 %r0, %r1, %r2, %r3;",
       {nextToOne, 0x3f7ffffe, minusOne},
       0xa8800000},
      {"fma.rm.f32 %r0, %r1, %r2, %r3;", {one, one, halfUlp}, one},
      {"fma.rp.f32 %r0, %r1, %r2, %r3;", {one, one, halfUlp}, nextToOne},
      {"fma.rz.f32 %r0, %r1, %r2, %r3;", {one, minusOne, minus | 1}, minusOne},
      {"fma.rn.f64 %rd0, %rd1, %rd2, %rd3;",
       {wideOne + 1, 0x3feffffffffffffe, wideOne | uint64_t(1) << 63},
       0xb970000000000000},
      {"fma.rn.f32 %r0, %r1, %r2, %r3;", {infinity, 0, one}, nan32},
      {"mad.rn.f32 %r0, %r1, %r2, %r3;", {two, two, one}, 0x40a00000},
      {"fma.rn.sat.f32 %r0, %r1, %r2, %r3;", {two, two, one}, one},
      {"fma.rn.f16 %rs0, %rs1, %rs2, %rs3;", {0x3c01, 0x3bfe, 0xbc00}, 0x8010},
      {"fma.rn.relu.f16 %rs0, %rs1, %rs2, %rs3;", {0xbc00, 0x3c00, 0}, 0},
      // 2^10 * 2^10 + 2^-24 is too large for f16, and 2048 * 2 + 2^-24 is not.
      {"fma.rn.f16 %rs0, %rs1, %rs2, %rs3;", {0x6400, 0x6400, 1}, 0x7c00},
      {"fma.rn.f16 %rs0, %rs1, %rs2, %rs3;", {0x6800, 0x4000, 1}, 0x6c00},
      // A tie that a very small number decides: 2049 * 1 + 2^-24.
      {"fma.rn.f16 %rs0, %rs1, %rs2, %rs3;", {0x6801, 0x3c00, 1}, 0x6801},
      {"fma.rn.bf16 %rs0, %rs1, %rs2, %rs3;", {0x3f81, 0x3f81, 1}, 0x3f82},
      {"fma.rn.bf16 %rs0, %rs1, %rs2, %rs3;", {0x3f80, 0x3f80, 0x3b80}, 0x3f80},
      {"fma.rn.bf16x2 %r0, %r1, %r2, %r3;",
       {0x3f804000, 0x3f803f80, 0x3f803f80},
       0x40004040},
  });
}

TEST(PtxFloat, HasOneNanAndSmallNumbers) {
  runChecks({
      {"add.rn.f32 %r0, %r1, %r2;", {oddNan, one}, nan32},
      {"mul.rn.f32 %r0, %r1, %r2;", {infinity, 0}, nan32},
      {"neg.f32 %r0, %r1;", {0}, minus},
      {"abs.f32 %r0, %r1;", {minus | infinity}, infinity},
      {"neg.f64 %rd0, %rd1;", {0}, uint64_t(1) << 63},
      {"add.rn.f32 %r0, %r1, %r2;", {denormal, denormal}, 2},
      {"add.rn.ftz.f32 %r0, %r1, %r2;", {denormal, denormal}, 0},
      {"mul.rn.ftz.f32 %r0, %r1, %r2;",
       {leastNormal | minus, 0x3f000000},
       minus},
      {"mul.rn.f32 %r0, %r1, %r2;", {leastNormal, 0x3f000000}, 0x00400000},
      {"abs.ftz.f32 %r0, %r1;", {minus | denormal}, 0},
      {"add.rn.sat.f32 %r0, %r1, %r2;", {oddNan, one}, 0},
      {"add.rn.sat.f32 %r0, %r1, %r2;", {two, one}, one},
      {"add.rn.sat.f32 %r0, %r1, %r2;", {minusOne, 0}, 0},
      {"copysign.f32 %r0, %r1, %r2;", {minus, two}, two | minus},
      {"copysign.f64 %rd0, %rd1, %rd2;", {0, ~uint64_t(0)}, ~uint64_t(0) >> 1},
      {"min.f32 %r0, %r1, %r2;", {oddNan, one}, one},
      {"min.f32 %r0, %r1, %r2;", {one, oddNan}, one},
      {"max.f32 %r0, %r1, %r2;", {oddNan, oddNan}, nan32},
      {"max.NaN.f32 %r0, %r1, %r2;", {one, oddNan}, nan32},
      {"min.f32 %r0, %r1, %r2;", {0, minus}, minus},
      {"min.f32 %r0, %r1, %r2;", {minus, 0}, minus},
      {"max.f32 %r0, %r1, %r2;", {0, minus}, 0},
      {"max.f32 %r0, %r1, %r2;", {minus, 0}, 0},
      {"max.ftz.f32 %r0, %r1, %r2;", {denormal, minusOne}, 0},
      {"min.f64 %rd0, %rd1, %rd2;", {wideInfinity + 1, wideOne}, wideOne},
      {"max.f16 %rs0, %rs1, %rs2;", {0x7e01, 0x3c00}, 0x3c00},
      {"max.NaN.bf16 %rs0, %rs1, %rs2;", {0x7fc1, 0x3f80}, 0x7fff},
      {"min.f16x2 %r0, %r1, %r2;", {0x80003c00, 0x00004000}, 0x80003c00},
  });
}

TEST(PtxFloat, ComparesWithNan) {
  std::vector<Check> checks;
  struct Order {
    const char *name;
    int less, equal, greater, unordered;
  };
  for (const Order &order :
       {Order{"eq", 0, 1, 0, 0}, Order{"ne", 1, 0, 1, 0},
        Order{"lt", 1, 0, 0, 0}, Order{"le", 1, 1, 0, 0},
        Order{"gt", 0, 0, 1, 0}, Order{"ge", 0, 1, 1, 0},
        Order{"equ", 0, 1, 0, 1}, Order{"neu", 1, 0, 1, 1},
        Order{"ltu", 1, 0, 0, 1}, Order{"leu", 1, 1, 0, 1},
        Order{"gtu", 0, 0, 1, 1}, Order{"geu", 0, 1, 1, 1},
        Order{"num", 1, 1, 1, 0}, Order{"nan", 0, 0, 0, 1}}) {
    std::string text = std::string("setp.") + order.name;
    auto add = [&](uint64_t a, uint64_t b, int expected) {
      checks.push_back(
          {text + ".f32 %q0, %r1, %r2;", {a, b}, uint64_t(expected)});
    };
    add(one, two, order.less);
    add(minus, 0, order.equal);
    add(infinity, infinity, order.equal);
    add(0, minus | 1, order.greater);
    add(oddNan, one, order.unordered);
    add(one, oddNan, order.unordered);
    checks.push_back({text + ".f64 %q0, %rd1, %rd2;",
                      {wideOne, wideInfinity + 1},
                      uint64_t(order.unordered)});
    checks.push_back({text + ".f16 %q0, %rs1, %rs2;",
                      {0x3c00, 0x4000},
                      uint64_t(order.less)});
    // The lower halves are less, the upper ones unordered.
    checks.push_back({text + ".f16x2 %q0|%q9, %r1, %r2;",
                      {0x7e003c00, 0x3c004000},
                      uint64_t(order.less),
                      order.unordered});
  }
  checks.push_back({"setp.eq.ftz.f32 %q0, %r1, %r2;", {denormal, 0}, 1});
  checks.push_back({"setp.eq.f32 %q0, %r1, %r2;", {denormal, 0}, 0});
  runChecks(checks);
}

TEST(PtxFloat, BecomesIntegers) {
  constexpr uint64_t twoAndAHalf = 0x40200000, minusTwoAndAHalf = 0xc0200000;
  constexpr uint64_t tenBillion = 0x501502f9;
  runChecks({
      {"cvt.rni.s32.f32 %r0, %r1;", {twoAndAHalf}, 2},
      {"cvt.rzi.s32.f32 %r0, %r1;", {minusTwoAndAHalf}, 0xfffffffe},
      {"cvt.rmi.s32.f32 %r0, %r1;", {minusTwoAndAHalf}, 0xfffffffd},
      {"cvt.rpi.s32.f32 %r0, %r1;", {twoAndAHalf}, 3},
      {"cvt.rzi.s32.f32 %r0, %r1;", {tenBillion}, 0x7fffffff},
      {"cvt.rzi.s32.f32 %r0, %r1;", {tenBillion | minus}, 0x80000000},
      {"cvt.rzi.u32.f32 %r0, %r1;", {minusOne}, 0},
      {"cvt.rzi.u32.f32 %r0, %r1;", {tenBillion}, 0xffffffff},
      {"cvt.rzi.s32.f32 %r0, %r1;", {oddNan}, 0},
      {"cvt.rzi.u32.f32 %r0, %r1;", {oddNan}, 0},
      {"cvt.rzi.s64.f32 %rd0, %r1;", {oddNan}, uint64_t(1) << 63},
      {"cvt.rzi.s32.f64 %r0, %rd1;", {wideInfinity + 1}, 0x80000000},
      {"cvt.rzi.s16.f32 %rs0, %r1;", {infinity}, 0x7fff},
      {"cvt.rzi.u16.f16 %rs0, %rs1;", {0x7bff}, 65504},
      {"cvt.rzi.s8.f32 %r0, %r1;", {0xc3960000}, 0xffffff80},
      {"cvt.rzi.u64.f64 %rd0, %rd1;", {0x43efffffffffffff}, 0xfffffffffffff800},
      {"cvt.rzi.u64.f64 %rd0, %rd1;", {0x43f0000000000000}, ~uint64_t(0)},
      {"cvt.rzi.s64.f64 %rd0, %rd1;", {0x43e0000000000000}, ~uint64_t(0) >> 1},
      {"cvt.rni.f32.f32 %r0, %r1;", {twoAndAHalf}, two},
      {"cvt.rpi.f32.f32 %r0, %r1;", {0xbe800000}, minus},
      {"cvt.rmi.f64.f64 %rd0, %rd1;", {0xbfd0000000000000}, 0xbff0000000000000},
      {"cvt.rzi.f16.f16 %rs0, %rs1;", {0xb800}, 0x8000},
      {"cvt.sat.f32.f32 %r0, %r1;", {minusTwoAndAHalf}, 0},
      {"cvt.ftz.f32.f32 %r0, %r1;", {minus | 5}, minus},
  });
}

TEST(PtxFloat, ComesFromIntegers) {
  runChecks({
      {"cvt.rn.f32.s32 %r0, %r1;", {0x01000001}, 0x4b800000},
      {"cvt.rp.f32.s32 %r0, %r1;", {0x01000001}, 0x4b800001},
      {"cvt.rz.f32.u64 %r0, %rd1;", {~uint64_t(0)}, 0x5f7fffff},
      {"cvt.rn.f32.u64 %r0, %rd1;", {~uint64_t(0)}, 0x5f800000},
      // Rounding to double first would find a tie.
      {"cvt.rn.f32.u64 %r0, %rd1;", {0x8000008000000001}, 0x5f000001},
      {"cvt.rn.bf16.u64 %rs0, %rd1;", {0x8080000000000001}, 0x5f01},
      {"cvt.rn.f64.s64 %rd0, %rd1;", {~uint64_t(0)}, 0xbff0000000000000},
      {"cvt.rn.f64.u64 %rd0, %rd1;", {~uint64_t(0)}, 0x43f0000000000000},
      {"cvt.rz.f64.u64 %rd0, %rd1;", {~uint64_t(0)}, 0x43efffffffffffff},
      {"cvt.rm.f64.s64 %rd0, %rd1;", {0x8000000000000001}, 0xc3e0000000000000},
      {"cvt.rn.f16.s32 %rs0, %r1;", {65519}, 0x7bff},
      {"cvt.rn.f16.s32 %rs0, %r1;", {65520}, 0x7c00},
      {"cvt.rn.f16.u16 %rs0, %rs1;", {2049}, 0x6800},
      {"cvt.rn.f32.u8 %r0, %rs1;", {0x1ff}, 0x437f0000},
      {"cvt.rn.f32.s8 %r0, %rs1;", {0xff}, minusOne},
  });
}

TEST(PtxFloat, ChangesItsWidth) {
  runChecks({
      {"cvt.rn.f16.f32 %rs0, %r1;", {0x477fefff}, 0x7bff},
      {"cvt.rn.f16.f32 %rs0, %r1;", {0x477ff000}, 0x7c00},
      {"cvt.rz.f16.f32 %rs0, %r1;", {infinity - 1}, 0x7bff},
      {"cvt.rn.f16.f32 %rs0, %r1;", {0x33000000}, 0},
      {"cvt.rn.f16.f32 %rs0, %r1;", {0x33000001}, 1},
      {"cvt.rp.f16.f32 %rs0, %r1;", {denormal}, 1},
      {"cvt.rn.f16.f32 %rs0, %r1;", {0x387fe000}, 0x0400},
      {"cvt.rn.f16.f32 %rs0, %r1;", {oddNan}, 0x7fff},
      {"cvt.rn.bf16.f32 %rs0, %r1;", {0x3f808000}, 0x3f80},
      {"cvt.rn.bf16.f32 %rs0, %r1;", {0x3f818000}, 0x3f82},
      {"cvt.rz.bf16.f32 %rs0, %r1;", {0x3f81ffff}, 0x3f81},
      {"cvt.rn.bf16.f32 %rs0, %r1;", {largest}, 0x7f80},
      {"cvt.rn.bf16.f32 %rs0, %r1;", {0x00018000}, 2},
      // 1 + 2^-11 + 2^-40: by way of f32 it would be a tie.
      {"cvt.rn.f16.f64 %rs0, %rd1;", {0x3ff0020000001000}, 0x3c01},
      {"cvt.rn.f32.f64 %r0, %rd1;", {0x36a0000000000000}, 1},
      {"cvt.rn.f32.f64 %r0, %rd1;", {0x3690000000000000}, 0},
      {"cvt.rp.f32.f64 %r0, %rd1;", {0x3690000000000000}, 1},
      {"cvt.rz.f32.f64 %r0, %rd1;", {0x7fefffffffffffff}, largest},
      {"cvt.rn.ftz.f32.f64 %r0, %rd1;", {0x36a0000000000000}, 0},
      {"cvt.f64.f32 %rd0, %r1;", {denormal}, 0x36a0000000000000},
      {"cvt.f32.f16 %r0, %rs1;", {1}, 0x33800000},
      {"cvt.f32.f16 %r0, %rs1;", {0xfc00}, infinity | minus},
      {"cvt.f32.bf16 %r0, %rs1;", {0x8001}, 0x80010000},
      {"cvt.f64.f16 %rd0, %rs1;", {0x3c00}, wideOne},
      {"cvt.rn.bf16x2.f32 %r0, %r1, %r2;", {one, two}, 0x3f804000},
      {"cvt.rn.relu.f16x2.f32 %r0, %r1, %r2;", {minusOne, two}, 0x00004000},
  });
}

TEST(PtxFloat, ComputesWithHalves) {
  runChecks({
      {"add.rn.f16 %rs0, %rs1, %rs2;", {0x7bff, 0x4c00}, 0x7c00},
      {"add.rn.f16 %rs0, %rs1, %rs2;", {0x0001, 0x0001}, 2},
      {"add.rn.ftz.f16 %rs0, %rs1, %rs2;", {0x0001, 0x0001}, 0},
      {"add.rn.sat.f16 %rs0, %rs1, %rs2;", {0x3c00, 0x3c00}, 0x3c00},
      {"sub.rn.f16 %rs0, %rs1, %rs2;", {0x3c00, 0x3c00}, 0},
      {"mul.rn.f16 %rs0, %rs1, %rs2;", {0x0001, 0x3800}, 0},
      {"mul.rn.f16 %rs0, %rs1, %rs2;", {0x0003, 0x3800}, 2},
      {"add.rn.bf16 %rs0, %rs1, %rs2;", {0x3f80, 0x3b80}, 0x3f80},
      {"add.rn.bf16 %rs0, %rs1, %rs2;", {0x3f81, 0x3b80}, 0x3f82},
      {"sub.rn.bf16 %rs0, %rs1, %rs2;", {0x7f80, 0x7f80}, 0x7fff},
      {"mul.rn.bf16 %rs0, %rs1, %rs2;", {0x7f00, 0x4000}, 0x7f80},
      {"neg.bf16 %rs0, %rs1;", {0x3f80}, 0xbf80},
      {"abs.f16 %rs0, %rs1;", {0xbc00}, 0x3c00},
      {"neg.f16x2 %r0, %r1;", {0x3c00bc00}, 0xbc003c00},
      {"add.rn.f16x2 %r0, %r1, %r2;", {0x3c003c00, 0x3c004000}, 0x40004200},
      {"mul.rn.bf16x2 %r0, %r1, %r2;", {0x40003f80, 0x40003f80}, 0x40803f80},
  });
}

TEST(PtxFloat, TestsProperties) {
  runChecks({
      {"testp.finite.f32 %q0, %r1;", {largest}, 1},
      {"testp.finite.f32 %q0, %r1;", {infinity}, 0},
      {"testp.infinite.f32 %q0, %r1;", {infinity | minus}, 1},
      {"testp.number.f32 %q0, %r1;", {oddNan}, 0},
      {"testp.notanumber.f64 %q0, %rd1;", {wideInfinity + 1}, 1},
      {"testp.normal.f32 %q0, %r1;", {0}, 0},
      {"testp.normal.f32 %q0, %r1;", {leastNormal}, 1},
      {"testp.subnormal.f32 %q0, %r1;", {minus}, 0},
      {"testp.subnormal.f64 %q0, %rd1;", {1}, 1},
  });
}

TEST(PtxFloat, Approximates) {
  runChecks({
      {"ex2.approx.f32 %r0, %r1;", {0x40400000}, 0x41000000},
      {"ex2.approx.ftz.f32 %r0, %r1;", {infinity | minus}, 0},
      {"ex2.approx.f32 %r0, %r1;", {0xc3100000}, 0x20},
      {"ex2.approx.ftz.f32 %r0, %r1;", {0xc3100000}, 0},
      {"lg2.approx.f32 %r0, %r1;", {0x41000000}, 0x40400000},
      {"lg2.approx.f32 %r0, %r1;", {0}, infinity | minus},
      {"lg2.approx.f32 %r0, %r1;", {minusOne}, nan32},
      {"rsqrt.approx.f32 %r0, %r1;", {0x40800000}, 0x3f000000},
      {"rsqrt.approx.f32 %r0, %r1;", {minus}, infinity | minus},
      {"rcp.approx.ftz.f32 %r0, %r1;", {minus | 1}, infinity | minus},
      {"sqrt.approx.f32 %r0, %r1;", {0x40800000}, two},
      {"sin.approx.f32 %r0, %r1;", {minus}, minus},
      {"cos.approx.f32 %r0, %r1;", {0}, one},
      {"sin.approx.f32 %r0, %r1;", {infinity}, nan32},
      {"tanh.approx.f32 %r0, %r1;", {infinity}, one},
      {"div.approx.f32 %r0, %r1, %r2;", {two, 0x40800000}, 0x3f000000},
      {"div.approx.f32 %r0, %r1, %r2;", {two, 0x7e800000}, 0x01000000},
      {"div.approx.f32 %r0, %r1, %r2;", {two, 0x7f000001}, 0},
      {"div.approx.f32 %r0, %r1, %r2;", {infinity, 0x7f000001}, nan32},
      {"div.full.f32 %r0, %r1, %r2;", {two, 0x40800000}, 0x3f000000},
      {"rcp.approx.ftz.f64 %rd0, %rd1;",
       {0x4000000000000000},
       0x3fe0000000000000},
      {"rcp.approx.ftz.f64 %rd0, %rd1;",
       {0x4008000000000000},
       0x3fd5555500000000},
      {"rcp.approx.ftz.f64 %rd0, %rd1;", {1}, wideInfinity},
      {"rsqrt.approx.f64 %rd0, %rd1;",
       {0x4010000000000000},
       0x3fe0000000000000},
      {"ex2.approx.ftz.bf16 %rs0, %rs1;", {0x4000}, 0x4080},
      {"tanh.approx.f16 %rs0, %rs1;", {0x7c00}, 0x3c00},
  });
}
