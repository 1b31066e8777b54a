//===- IntegerTest.cpp - Integers and bits --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checks.h"

using namespace hetero::standin;

constexpr uint64_t least32 = 0x80000000, least64 = 0x8000000000000000;
constexpr uint64_t all32 = 0xffffffff, all64 = ~uint64_t(0);

TEST(PtxInteger, AddsAndMultiplies) {
  runChecks({
      {"add.s32 %r0, %r1, %r2;", {0x7fffffff, 1}, least32},
      {"add.s16 %rs0, %rs1, %rs2;", {0xffff, 2}, 1},
      {"add.s64 %rd0, %rd1, %rd2;", {all64, 3}, 2},
      {"add.sat.s32 %r0, %r1, %r2;", {0x7fffffff, 1}, 0x7fffffff},
      {"sub.sat.s32 %r0, %r1, %r2;", {least32, 1}, least32},
      {"sub.u32 %r0, %r1, %r2;", {0, 1}, all32},
      {"sub.s16 %rs0, %rs1, %rs2;", {0, 1}, 0xffff},
      {"add.u16x2 %r0, %r1, %r2;", {0xffff0001, 0x0001ffff}, 0},
      {"mul.lo.s16 %rs0, %rs1, %rs2;", {0xffff, 0xffff}, 1},
      {"mul.lo.s32 %r0, %r1, %r2;", {0x10001, 0x10001}, 0x20001},
      {"mul.hi.u16 %rs0, %rs1, %rs2;", {0xffff, 0xffff}, 0xfffe},
      {"mul.hi.s32 %r0, %r1, %r2;", {least32, 2}, all32},
      {"mul.hi.u32 %r0, %r1, %r2;", {least32, 2}, 1},
      {"mul.hi.s64 %rd0, %rd1, %rd2;", {all64, all64}, 0},
      {"mul.hi.u64 %rd0, %rd1, %rd2;", {all64, all64}, all64 - 1},
      {"mul.wide.u16 %r0, %rs1, %rs2;", {0xffff, 0xffff}, 0xfffe0001},
      {"mul.wide.s16 %r0, %rs1, %rs2;", {0xffff, 0xffff}, 1},
      {"mul.wide.s32 %rd0, %r1, %r2;", {all32, 5}, all64 - 4},
      {"mul.wide.u32 %rd0, %r1, %r2;", {all32, 5}, 0x4fffffffb},
      {"mad.lo.s16 %rs0, %rs1, %rs2, %rs3;", {0x100, 0x100, 7}, 7},
      {"mad.lo.s64 %rd0, %rd1, %rd2, %rd3;", {least64, 2, 9}, 9},
      {"mad.wide.s32 %rd0, %r1, %r2, %rd3;", {all32, 1, 1}, 0},
      {"mad.hi.s32 %r0, %r1, %r2, %r3;", {least32, least32, 1}, 0x40000001},
      {"mad.hi.sat.s32 %r0, %r1, %r2, %r3;",
       {least32, least32, 0x7fffffff},
       0x7fffffff},
      {"neg.s32 %r0, %r1;", {least32}, least32},
      {"abs.s32 %r0, %r1;", {least32}, least32},
      {"abs.s16 %rs0, %rs1;", {0xfffe}, 2},
      {"neg.s64 %rd0, %rd1;", {1}, all64},
      {"dp4a.u32.s32 %r0, %r1, %r2, %r3;", {0xff, 0xff, 1}, all32 - 253},
      {"dp4a.s32.s32 %r0, %r1, %r2, %r3;", {0xffff, 0xffff, 1}, 3},
  });
}

TEST(PtxInteger, CarriesThroughWideSums) {
  // (2^64 - 1) + 1, in three words; 0 - 1; and a product of 64 bits.
  runChecks({
      {"add.cc.u32 %r3, %r1, %r2; addc.cc.u32 %r4, %r1, 0; addc.u32 %r0, 0, 0;",
       {all32, 1},
       1},
      {"add.cc.u32 %r3, %r1, %r2; addc.u32 %r0, %r1, 0;", {all32, 0}, all32},
      {"sub.cc.u32 %r3, 0, %r1; subc.u32 %r0, 5, 0;", {1}, 4},
      {"sub.cc.u32 %r3, 2, %r1; subc.u32 %r0, 5, 0;", {1}, 5},
      {"mad.lo.cc.u32 %r3, %r1, %r1, %r1; madc.hi.u32 %r0, %r1, %r1, 0;",
       {all32},
       all32},
      {"mad.lo.cc.u32 %r3, %r1, 1, %r1; madc.hi.cc.u32 %r4, %r1, 1, %r1; "
       "addc.u32 %r0, 0, 0;",
       {all32},
       1},
      {"add.cc.u64 %rd3, %rd1, %rd2; addc.u64 %rd0, 0, 0;", {all64, 1}, 1},
  });
}

TEST(PtxInteger, DividesAtTheEdges) {
  runChecks({
      {"div.s32 %r0, %r1, %r2;", {least32, all32}, least32},
      {"rem.s32 %r0, %r1, %r2;", {least32, all32}, 0},
      {"div.s64 %rd0, %rd1, %rd2;", {least64, all64}, least64},
      {"rem.s64 %rd0, %rd1, %rd2;", {least64, all64}, 0},
      {"div.s16 %rs0, %rs1, %rs2;", {0x8000, 0xffff}, 0x8000},
      {"div.s32 %r0, %r1, %r2;", {0xfffffff9, 2}, 0xfffffffd},
      {"rem.s32 %r0, %r1, %r2;", {0xfffffff9, 2}, all32},
      {"div.u32 %r0, %r1, %r2;", {0xfffffff9, 2}, 0x7ffffffc},
      {"rem.u16 %rs0, %rs1, %rs2;", {0xfff9, 10}, 9},
      {"min.s32 %r0, %r1, %r2;", {least32, 1}, least32},
      {"min.u32 %r0, %r1, %r2;", {least32, 1}, 1},
      {"max.s64 %rd0, %rd1, %rd2;", {all64, 1}, 1},
      {"max.u64 %rd0, %rd1, %rd2;", {all64, 1}, all64},
      {"min.s16 %rs0, %rs1, %rs2;", {0xffff, 1}, 0xffff},
      {"max.u16 %rs0, %rs1, %rs2;", {0xffff, 1}, 0xffff},
  });
}

TEST(PtxInteger, ShiftsByManyBits) {
  runChecks({
      {"shl.b32 %r0, %r1, %r2;", {all32, 31}, least32},
      {"shl.b32 %r0, %r1, %r2;", {all32, 32}, 0},
      {"shl.b32 %r0, %r1, %r2;", {all32, all32}, 0},
      {"shl.b64 %rd0, %rd1, %r2;", {1, 63}, least64},
      {"shl.b64 %rd0, %rd1, %r2;", {1, 64}, 0},
      {"shl.b16 %rs0, %rs1, %r2;", {0xffff, 16}, 0},
      {"shr.u32 %r0, %r1, %r2;", {all32, 32}, 0},
      {"shr.s32 %r0, %r1, %r2;", {least32, 32}, all32},
      {"shr.s32 %r0, %r1, %r2;", {least32, 31}, all32},
      {"shr.s16 %rs0, %rs1, %r2;", {0x8000, 99}, 0xffff},
      {"shr.u16 %rs0, %rs1, %r2;", {0x8000, 15}, 1},
      {"shr.s64 %rd0, %rd1, %r2;", {least64, 200}, all64},
      {"shr.u64 %rd0, %rd1, %r2;", {least64, 63}, 1},
      {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", {least32, 1, 1}, 3},
      {"shf.l.wrap.b32 %r0, %r1, %r2, %r3;", {5, 9, 32}, 9},
      {"shf.l.clamp.b32 %r0, %r1, %r2, %r3;", {5, 9, 33}, 5},
      {"shf.r.wrap.b32 %r0, %r1, %r2, %r3;", {2, 1, 1}, 0x80000001},
      {"shf.r.clamp.b32 %r0, %r1, %r2, %r3;", {5, 9, 40}, 9},
  });
}

TEST(PtxInteger, MovesBitsAbout) {
  runChecks({
      {"popc.b32 %r0, %r1;", {0xf0f0f0f0}, 16},
      {"popc.b64 %r0, %rd1;", {all64}, 64},
      {"clz.b32 %r0, %r1;", {0}, 32},
      {"clz.b32 %r0, %r1;", {1}, 31},
      {"clz.b64 %r0, %rd1;", {0}, 64},
      {"brev.b32 %r0, %r1;", {1}, least32},
      {"brev.b64 %rd0, %rd1;", {2}, least64 >> 1},
      {"bfind.u32 %r0, %r1;", {0}, all32},
      {"bfind.u32 %r0, %r1;", {0x10}, 4},
      {"bfind.s32 %r0, %r1;", {all32}, all32},
      {"bfind.s32 %r0, %r1;", {0xfffffffd}, 1},
      {"bfind.shiftamt.u32 %r0, %r1;", {1}, 31},
      {"bfe.u32 %r0, %r1, %r2, %r3;", {0xabcd1234, 8, 8}, 0x12},
      {"bfe.u32 %r0, %r1, %r2, %r3;", {all32, 28, 8}, 0xf},
      {"bfe.s32 %r0, %r1, %r2, %r3;", {0x80, 4, 4}, 0xfffffff8},
      {"bfe.s32 %r0, %r1, %r2, %r3;", {least32, 28, 8}, 0xfffffff8},
      {"bfe.s32 %r0, %r1, %r2, %r3;", {least32, 40, 8}, all32},
      {"bfe.s32 %r0, %r1, %r2, %r3;", {all32, 0, 0}, 0},
      {"bfe.u64 %rd0, %rd1, %r2, %r3;", {all64, 60, 10}, 0xf},
      {"bfe.s64 %rd0, %rd1, %r2, %r3;", {0x10, 4, 1}, all64},
      {"bfe.u32 %r0, %r1, %r2, %r3;", {all32, 256, 260}, 0xf},
      {"bfi.b32 %r0, %r1, %r2, %r3, %r4;", {0xff, 0, 28, 8}, 0xf0000000},
      {"bfi.b32 %r0, %r1, %r2, %r3, %r4;", {0, all32, 4, 8}, 0xfffff00f},
      {"bfi.b64 %rd0, %rd1, %rd2, %r3, %r4;", {all64, 0, 64, 4}, 0},
      {"prmt.b32 %r0, %r1, %r2, %r3;",
       {0x33221100, 0x77665544, 0x7531},
       0x77553311},
      {"prmt.b32 %r0, %r1, %r2, %r3;", {0x00008000, 0, 0x9988}, 0xffff0000},
      {"lop3.b32 %r0, %r1, %r2, %r3, 0x96;", {0xf, 0x3c, 0xf0}, 0xc3},
      {"and.b16 %rs0, %rs1, %rs2;", {0xff, 0xf0f}, 0xf},
      {"not.b64 %rd0, %rd1;", {0}, all64},
      {"xor.b32 %r0, %r1, %r2;", {5, 3}, 6},
      {"cnot.b32 %r0, %r1;", {0}, 1},
      {"xor.pred %q0, %q1, %q2;", {1, 1}, 0},
      {"not.pred %q0, %q1;", {0}, 1},
      {"mov.b64 %rd0, {%r1, %r2};", {1, 2}, 0x200000001},
      {"mov.b64 {%r3, %r0}, %rd1;", {0x200000001}, 2},
      {"mov.b64 {_, %r0}, %rd1;", {0x200000001}, 2},
      {"mov.b32 {%rs0, %rs3}, %r1;", {0x20001}, 1},
      {"mov.b64 %rd0, {%rs1, %rs2, %rs3, %rs4};",
       {1, 2, 3, 4},
       0x4000300020001},
      {"slct.b32.s32 %r0, %r1, %r2, %r3;", {1, 2, all32}, 2},
      {"slct.b32.f32 %r0, %r1, %r2, %r3;", {1, 2, least32}, 1},
  });
}

TEST(PtxInteger, Compares) {
  runChecks({
      {"setp.lt.s32 %q0, %r1, %r2;", {all32, 0}, 1},
      {"setp.lt.u32 %q0, %r1, %r2;", {all32, 0}, 0},
      {"setp.hi.u32 %q0, %r1, %r2;", {all32, 0}, 1},
      {"setp.ge.s16 %q0, %rs1, %rs2;", {0x8000, 0}, 0},
      {"setp.ls.u64 %q0, %rd1, %rd2;", {all64, 0}, 0},
      {"setp.eq.b64 %q0, %rd1, %rd2;", {all64, all64}, 1},
      {"setp.lt.and.s32 %q0|%q9, %r1, %r2, %q3;", {1, 2, 0}, 0, 0},
      {"setp.lt.or.s32 %q0|%q9, %r1, %r2, !%q3;", {1, 2, 1}, 1, 0},
      {"setp.lt.xor.s32 %q0|%q9, %r1, %r2, %q3;", {3, 2, 1}, 1, 0},
      {"selp.b32 %r0, %r1, %r2, %q3;", {1, 2, 0}, 2},
      {"selp.b16 %rs0, %rs1, %rs2, !%q3;", {1, 2, 0}, 1},
      {"mov.pred %q0, -1;", {}, 1},
      {"mov.b32 %r0, 1; @%q1 mov.b32 %r0, 2;", {0}, 1},
      {"mov.b32 %r0, 1; @!%q1 mov.b32 %r0, 2;", {0}, 2},
  });
}

TEST(PtxInteger, ConvertsWidths) {
  runChecks({
      {"cvt.s16.s8 %rs0, %rs1;", {0x1280}, 0xff80},
      {"cvt.u32.u8 %r0, %r1;", {0x1280}, 0x80},
      {"cvt.s32.s16 %r0, %rs1;", {0x8000}, 0xffff8000},
      {"cvt.s64.s32 %rd0, %r1;", {least32}, 0xffffffff80000000},
      {"cvt.u64.s32 %rd0, %r1;", {least32}, 0xffffffff80000000},
      {"cvt.s64.u32 %rd0, %r1;", {least32}, least32},
      {"cvt.s8.s32 %r0, %r1;", {0x180}, 0xffffff80},
      {"cvt.u16.u64 %rs0, %rd1;", {0x12345}, 0x2345},
      {"cvt.sat.u8.s32 %r0, %r1;", {all32}, 0},
      {"cvt.sat.s8.s32 %r0, %r1;", {1000}, 0x7f},
      {"cvt.sat.s8.s32 %r0, %r1;", {0xfffff000}, 0xffffff80},
      {"cvt.sat.u32.s64 %r0, %rd1;", {0x100000000}, all32},
      {"cvt.sat.s32.u32 %r0, %r1;", {least32}, 0x7fffffff},
  });
}

TEST(PtxInteger, LetsDivisionsByZeroBeNothingThatIsExpected) {
  // What they are is not said; programs may not depend on it.
  runChecks({
      {"div.u32 %r3, %r1, %r2; setp.eq.u32 %q0, %r3, -1;", {5, 0}, 0},
      {"rem.s32 %r3, %r1, %r2; setp.eq.s32 %q0, %r3, 5;", {5, 0}, 0},
  });
}
