//===- CombineKernel.cpp - Reductions that no library has -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CombineKernel.h"
#include "hetero/Runtime/CudaDevice.h"
#include <algorithm>

using namespace hetero::runtime;

/// Enough for a multiprocessor to be full, as all our kernels have.
static constexpr int64_t blockSize = 256;

//===----------------------------------------------------------------------===//
// PTX
//===----------------------------------------------------------------------===//

/// The oldest architecture that is supported, and the first version of PTX that
/// all of its drivers take. Later ones compile it for themselves.
static const char header[] = R"(.version 6.0
.target sm_60
.address_size 64

.visible .entry combine(
	.param .u64 combine_param_0,
	.param .u64 combine_param_1,
	.param .u64 combine_param_2
)
{
	.reg .pred %p<8>;
	.reg .b16 %rs<3>;
	.reg .b32 %r<8>;
	.reg .f32 %f<3>;
	.reg .b64 %rd<12>;
	.reg .f64 %fd<3>;

	ld.param.u64 %rd1, [combine_param_0];
	ld.param.u64 %rd2, [combine_param_1];
	ld.param.u64 %rd3, [combine_param_2];
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mov.u32 %r3, %tid.x;
	mul.wide.u32 %rd4, %r1, %r2;
	cvt.u64.u32 %rd5, %r3;
	add.s64 %rd4, %rd4, %rd5;
	setp.ge.u64 %p1, %rd4, %rd3;
	@%p1 bra $L_done;
	cvta.to.global.u64 %rd1, %rd1;
	cvta.to.global.u64 %rd2, %rd2;
)";

static const char footer[] = R"($L_done:
	ret;
}
)";

/// The old value is in %r4 or %rd8, the one that joins it in %r5 or %rd9, the
/// new one in %r6 or %rd10. Bytes and short numbers are in 32 bits.
static std::string combineIntegers(Reduction reduction, ElementType type) {
  bool isSigned = type >= ElementType::I8 && type <= ElementType::I64;
  bool isWide = sizeOf(type) == 8;
  std::string width = isWide ? "64" : "32";
  std::string kind = isSigned ? "s" : "u";
  std::string name;
  switch (reduction) {
  case Reduction::Sum:
    // The sum of booleans, which are 0 or 1, is their `or`.
    name = type == ElementType::Bool ? "or.b" : "add.s";
    break;
  case Reduction::Max:
    name = "max." + kind;
    break;
  case Reduction::Min:
    name = "min." + kind;
    break;
  case Reduction::And:
    name = "and.b";
    break;
  case Reduction::Or:
    name = "or.b";
    break;
  }
  return "\t" + name + width +
         (isWide ? " %rd10, %rd8, %rd9;\n" : " %r6, %r4, %r5;\n");
}

/// The floats of the bits above, for comparisons.
static std::string makeFloats(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return "\tcvt.u16.u32 %rs1, %r4;\n"
           "\tcvt.u16.u32 %rs2, %r5;\n"
           "\tcvt.f32.f16 %f1, %rs1;\n"
           "\tcvt.f32.f16 %f2, %rs2;\n";
  case ElementType::BF16:
    // The upper half of a f32.
    return "\tshl.b32 %r1, %r4, 16;\n"
           "\tshl.b32 %r2, %r5, 16;\n"
           "\tmov.b32 %f1, %r1;\n"
           "\tmov.b32 %f2, %r2;\n";
  case ElementType::F64:
    return "\tmov.b64 %fd1, %rd8;\n"
           "\tmov.b64 %fd2, %rd9;\n";
  default:
    return "\tmov.b32 %f1, %r4;\n"
           "\tmov.b32 %f2, %r5;\n";
  }
}

/// `max` and `min` of PTX prefer numbers to NaN, and do not order zeros. So the
/// bits of one of the two are chosen:
///
///   p7 = the old one is a number, and (the other is none, or it is greater, or
///        they are equal and the sign of the old one is that of a lesser zero)
static std::string chooseFloats(Reduction reduction, ElementType type) {
  bool isWide = type == ElementType::F64, isMax = reduction == Reduction::Max;
  std::string a = isWide ? "%fd1" : "%f1", b = isWide ? "%fd2" : "%f2";
  std::string suffix = isWide ? ".f64 " : ".f32 ";
  std::string text = makeFloats(type);
  auto compare = [&](const char *how, const char *to, const std::string &left,
                     const std::string &right) {
    text += std::string("\tsetp.") + how + suffix + to + ", " + left + ", " +
            right + ";\n";
  };
  compare("num", "%p2", a, a);
  compare("nan", "%p3", b, b);
  compare(isMax ? "gt" : "lt", "%p4", b, a);
  compare("eq", "%p5", a, b);
  // Floats that are equal and of another sign are zeros.
  int signBit = 8 * std::min<int64_t>(sizeOf(type), 4) - 1;
  if (isWide)
    text += "\tshr.u64 %rd11, %rd8, 32;\n"
            "\tcvt.u32.u64 %r4, %rd11;\n";
  text += "\tshr.u32 %r7, %r4, " + std::to_string(signBit) + ";\n";
  text += std::string("\tsetp.eq.s32 %p6, %r7, ") + (isMax ? "1" : "0") + ";\n";
  text += "\tand.pred %p5, %p5, %p6;\n"
          "\tor.pred %p7, %p3, %p4;\n"
          "\tor.pred %p7, %p7, %p5;\n"
          "\tand.pred %p7, %p7, %p2;\n";
  return text + (isWide ? "\tselp.b64 %rd10, %rd9, %rd8, %p7;\n"
                        : "\tselp.b32 %r6, %r5, %r4, %p7;\n");
}

std::string hetero::runtime::writeCombineKernel(Reduction reduction,
                                                ElementType type) {
  bool isFloat = type >= ElementType::F16;
  bool isSigned = type >= ElementType::I8 && type <= ElementType::I64;
  int64_t size = sizeOf(type);
  std::string memory =
      ".global." + std::string(isSigned ? "s" : "u") + std::to_string(8 * size);
  std::string bytes = std::to_string(size);
  auto place = [&](const char *base, const char *to) {
    return std::string("\tmad.lo.s64 ") + to + ", %rd4, " + bytes + ", " +
           base + ";\n";
  };
  bool isWide = size == 8;
  std::string text = header;
  text += place("%rd1", "%rd6") + place("%rd2", "%rd7");
  text += "\tld" + memory + (isWide ? " %rd8" : " %r4") + ", [%rd7];\n";
  text += "\tld" + memory + (isWide ? " %rd9" : " %r5") + ", [%rd6];\n";
  text += isFloat ? chooseFloats(reduction, type)
                  : combineIntegers(reduction, type);
  text += "\tst.global.u" + std::to_string(8 * size) + " [%rd7], " +
          (isWide ? "%rd10" : "%r6") + ";\n";
  return text + footer;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

MaybeError CudaDevice::combine(Reduction reduction, ElementType type,
                               const void *value, void *sum, int64_t count,
                               CudaHandle inStream) {
  if (count <= 0)
    return std::nullopt;
  std::unique_ptr<Combination> &made = combinations[{reduction, type}];
  if (!made) {
    made = std::make_unique<Combination>();
    made->text = writeCombineKernel(reduction, type);
    // Any capability will do: the driver compiles the text.
    made->images[0] = {0, static_cast<int64_t>(made->text.size()),
                       made->text.c_str()};
  }
  Result<CudaHandle> kernel = getKernel(made->images, "combine");
  if (!kernel)
    return kernel.error();
  const int64_t arguments[] = {reinterpret_cast<int64_t>(value),
                               reinterpret_cast<int64_t>(sum), count};
  return getApi().launch(*kernel, (count + blockSize - 1) / blockSize,
                         blockSize, arguments, 3, inStream);
}
