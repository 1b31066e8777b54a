//===- LoweringLibrary.cpp - Operations that a library carries out --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fourier transforms, factorizations of matrices, and the custom calls that JAX
// makes of them on the CPU. Each becomes one call of the runtime
// (hetero/Runtime/Fft.h, hetero/Runtime/Lapack.h) with a list of words: numbers
// that are known here, and addresses of buffers.
//
//   %q = stablehlo.custom_call @lapack_sorgqr_ffi(%a, %tau)
//   // becomes
//   %q = memref.alloc() : memref<6x4xf32>
//   hetero.call_library @hetero_lapack [5, 0, 1, 6, ...] in_list
//       reads %a, %tau : ... writes %q : memref<6x4xf32>
//
// JAX asks for matrices in column-major order; only what is in a matrix matters
// here, so layouts are not looked at.
//
// On CUDA the functions are hetero_cuda_fft and hetero_cuda_lapack
// (hetero/Runtime/Cuda.h). What the libraries leave to do is a loop over the
// result: cuFFT does not divide, and cuSOLVER leaves the other triangle alone.

#include "Lowering.h"
#include "hetero/Dialect/Hetero/HeteroKernelOps.h"
#include "hetero/Runtime/Fft.h"
#include "hetero/Runtime/Lapack.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace hetero;
using namespace mlir::stablehlo;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

LogicalResult Lowering::callLibrary(Operation *op, StringRef name,
                                    ArrayRef<int64_t> numbers,
                                    ValueRange operands, ValueRange results) {
  SmallVector<Value> buffers, made;
  for (Value operand : operands)
    buffers.push_back(getBuffer(operand));
  for (Value result : results)
    made.push_back(makeBuffer(result));
  std::string function = name.str();
  if (target == Target::Cuda)
    function.insert(strlen("hetero_"), "cuda_");
  CallLibraryOp::create(b, function, numbers, buffers, made,
                        /*accumulates=*/false, /*inList=*/true);
  mapBuffers(results, made);
  return success();
}

/// `factor * value` for a real factor.
static Value emitScaled(LoopBuilder &b, Value value, double factor) {
  auto type = dyn_cast<ComplexType>(value.getType());
  if (!type)
    return b.mulF(value, b.real(value.getType(), factor));
  Value scale = b.real(type.getElementType(), factor);
  Value re = complex::ReOp::create(b, value);
  Value im = complex::ImOp::create(b, value);
  return complex::CreateOp::create(b, type, b.mulF(re, scale),
                                   b.mulF(im, scale));
}

void Lowering::replace(
    Value value,
    llvm::function_ref<Value(LoopBuilder &, ValueRange, Value)> body) {
  Value tensor = lookup(value);
  map(value, makeGenerated(convertType(value), [&](LoopBuilder &nested,
                                                   ValueRange indices) {
        return body(nested, indices, nested.extract(tensor, indices));
      }));
}

LogicalResult Lowering::lower(FftOp op) {
  RankedTensorType type = convertType(op.getOperand());
  if (mapEmpty(op.getResult()))
    return success();
  Type element = type.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (!element.isF32() && !element.isF64())
    return reject(op, "elements of " +
                          llvm::Twine(element.isF16() ? "f16" : "this type"));
  ArrayRef<int64_t> lengths = op.getFftLength();
  int64_t batch = 1;
  for (int64_t size : type.getShape().drop_back(lengths.size()))
    batch *= size;
  // Both enumerations have one order.
  static_assert(int64_t(FftType::FFT) == runtime::kFft &&
                int64_t(FftType::IFFT) == runtime::kIfft &&
                int64_t(FftType::RFFT) == runtime::kRfft &&
                int64_t(FftType::IRFFT) == runtime::kIrfft);
  SmallVector<int64_t> numbers = {int64_t(op.getFftType()), element.isF64(),
                                  batch, int64_t(lengths.size())};
  numbers.append(lengths.begin(), lengths.end());
  if (failed(callLibrary(op, "hetero_fft", numbers, op.getOperand(),
                         op.getResult())))
    return failure();
  bool isInverse =
      op.getFftType() == FftType::IFFT || op.getFftType() == FftType::IRFFT;
  if (target == Target::Cuda && isInverse) {
    double count = 1;
    for (int64_t length : lengths)
      count *= double(length);
    replace(op.getResult(), [&](LoopBuilder &nested, ValueRange, Value value) {
      return emitScaled(nested, value, 1 / count);
    });
  }
  return success();
}

//===----------------------------------------------------------------------===//
// LAPACK
//===----------------------------------------------------------------------===//

/// Which elements LAPACK has routines for.
static std::optional<runtime::LapackElement> getLapackElement(Type type) {
  if (type.isF32())
    return runtime::kLapackF32;
  if (type.isF64())
    return runtime::kLapackF64;
  auto complex = dyn_cast<ComplexType>(type);
  if (!complex)
    return std::nullopt;
  return complex.getElementType().isF32() ? runtime::kLapackC64
                                          : runtime::kLapackC128;
}

namespace {
/// The part of a call that differs from routine to routine.
struct LapackCall {
  runtime::LapackRoutine routine;
  /// The tensor whose last two dimensions are m and n, and whose others count
  /// the matrices.
  Value shaped;
  int64_t k = 0;
  std::array<int64_t, 4> options = {0, 0, 0, 0};

  /// Everything before the addresses; nothing for elements without routines.
  std::optional<SmallVector<int64_t>> getNumbers() const {
    RankedTensorType type = Lowering::convertType(shaped);
    auto element = getLapackElement(type.getElementType());
    if (!element || type.getRank() < 2)
      return std::nullopt;
    int64_t batch = 1;
    for (int64_t size : type.getShape().drop_back(2))
      batch *= size;
    SmallVector<int64_t> numbers = {routine,
                                    *element,
                                    batch,
                                    type.getDimSize(type.getRank() - 2),
                                    type.getDimSize(type.getRank() - 1),
                                    k};
    llvm::append_range(numbers, options);
    return numbers;
  }
};
} // namespace

static Value makeNan(LoopBuilder &b, Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  Value nan = b.real(complex ? complex.getElementType() : type,
                     std::numeric_limits<double>::quiet_NaN());
  return complex ? complex::CreateOp::create(b, type, nan,
                                             b.zero(complex.getElementType()))
                       .getResult()
                 : nan;
}

/// As the CPU does it by itself: zeros in the other triangle, and NaN if there
/// is no factor.
void Lowering::maskFactor(CholeskyOp op, Value info) {
  Type element = convertType(op.getResult()).getElementType();
  auto order = op.getLower() ? IntOrder::sge : IntOrder::sle;
  replace(op.getResult(),
          [&](LoopBuilder &nested, ValueRange indices, Value value) -> Value {
            ValueRange matrix = indices.drop_back(2);
            Value isIn =
                nested.cmpI(order, indices[matrix.size()], indices.back());
            Value failed = nested.extract(info, matrix);
            Value zero = nested.integer(failed.getType(), 0);
            Value isGood = nested.cmpI(IntOrder::eq, failed, zero);
            Value kept = nested.select(isIn, value, nested.zero(element));
            return nested.select(isGood, kept, makeNan(nested, element));
          });
}

LogicalResult Lowering::lower(CholeskyOp op) {
  if (mapEmpty(op.getResult()))
    return success();
  bool isCuda = target == Target::Cuda;
  LapackCall call{runtime::kPotrf, op.getA()};
  call.options = {op.getLower() ? 'L' : 'U', /*alone=*/!isCuda, 0, 0};
  auto numbers = call.getNumbers();
  if (!numbers)
    return reject(op, "these element types");
  if (isCuda) {
    RankedTensorType type = convertType(op.getResult());
    auto infoType =
        RankedTensorType::get(type.getShape().drop_back(2), b.getI32Type());
    Value factor = makeBuffer(op.getResult());
    Value info = memref::AllocOp::create(
        b, MemRefType::get(infoType.getShape(), b.getI32Type()));
    CallLibraryOp::create(b, "hetero_cuda_lapack", *numbers,
                          ValueRange(getBuffer(op.getA())),
                          ValueRange({factor, info}), /*accumulates=*/false,
                          /*inList=*/true);
    mapBuffers(op.getResult(), factor);
    maskFactor(op, bufferization::ToTensorOp::create(b, infoType, info,
                                                     /*restrict=*/true));
    return success();
  }
  return callLibrary(op, "hetero_lapack", *numbers, op.getA(), op.getResult());
}

LogicalResult Lowering::lower(TriangularSolveOp op) {
  if (mapEmpty(op.getResult()))
    return success();
  LapackCall call{runtime::kTrsm, op.getB()};
  char transpose = op.getTransposeA() == Transpose::ADJOINT     ? 'C'
                   : op.getTransposeA() == Transpose::TRANSPOSE ? 'T'
                                                                : 'N';
  call.options = {op.getLeftSide() ? 'L' : 'R', op.getLower() ? 'L' : 'U',
                  transpose, op.getUnitDiagonal() ? 'U' : 'N'};
  auto numbers = call.getNumbers();
  if (!numbers)
    return reject(op, "these element types");
  return callLibrary(op, "hetero_lapack", *numbers, {op.getA(), op.getB()},
                     op.getResult());
}

//===----------------------------------------------------------------------===//
// Custom calls
//===----------------------------------------------------------------------===//

namespace {
/// How JAX calls a routine.
struct LapackTarget {
  /// Without `lapack_`, the letter of the type, and `_ffi`.
  StringRef real, complex;
  runtime::LapackRoutine routine;
  unsigned shaped, numOperands, numRealResults, numComplexResults;
  /// Attributes that become options.
  SmallVector<StringRef> options;
};
} // namespace

static const LapackTarget *findTarget(StringRef name) {
  using namespace hetero::runtime;
  static const LapackTarget targets[] = {
      {"potrf", "potrf", kPotrf, 0, 1, 2, 2, {"uplo"}},
      {"trsm", "trsm", kTrsm, 1, 2, 1, 1, {"side", "uplo", "trans_x", "diag"}},
      {"getrf", "getrf", kGetrf, 0, 1, 3, 3, {}},
      {"geqrf", "geqrf", kGeqrf, 0, 1, 2, 2, {}},
      {"geqp3", "geqp3", kGeqp3, 0, 2, 3, 3, {}},
      {"orgqr", "ungqr", kOrgqr, 0, 2, 1, 1, {}},
      {"ormqr", "unmqr", kOrmqr, 2, 3, 1, 1, {"left", "transpose"}},
      {"syevd", "heevd", kSyevd, 0, 1, 3, 3, {"mode", "uplo"}},
      {"gesdd", "gesdd", kGesdd, 0, 1, 5, 5, {"mode"}},
      {"gesvd", "gesvd", kGesvd, 0, 1, 5, 5, {"mode"}},
      {"geev", "geev", kGeev, 0, 1, 5, 4, {"compute_left", "compute_right"}},
      {"gees", "gees", kGees, 0, 1, 6, 5, {"mode"}},
      {"gehrd", "gehrd", kGehrd, 0, 1, 3, 3, {"low", "high"}},
      {"sytrd", "hetrd", kSytrd, 0, 1, 5, 5, {"uplo"}},
      {"gtsv", "gtsv", kGtsv, 3, 4, 5, 5, {}},
  };
  if (!name.consume_front("lapack_") || !name.consume_back("_ffi") ||
      name.size() < 2)
    return nullptr;
  bool isComplex = name[0] == 'c' || name[0] == 'z';
  if (!isComplex && name[0] != 's' && name[0] != 'd')
    return nullptr;
  const LapackTarget *found = llvm::find_if(targets, [&](auto &target) {
    return (isComplex ? target.complex : target.real) == name.drop_front();
  });
  return found == std::end(targets) ? nullptr : found;
}

static int64_t getLastSize(Value value) {
  RankedTensorType type = Lowering::convertType(value);
  return type.getRank() == 0 ? 1 : type.getDimSize(type.getRank() - 1);
}

/// Sizes that are not those of the shaped operand.
static void addSizes(LapackCall &call, CustomCallOp op) {
  switch (call.routine) {
  case runtime::kOrgqr:
    call.k = getLastSize(op.getInputs()[1]);
    break;
  case runtime::kOrmqr:
    call.k = getLastSize(op.getInputs()[1]);
    call.options[2] = getLastSize(op.getInputs()[0]);
    break;
  case runtime::kGesdd:
  case runtime::kGesvd: {
    call.k = getLastSize(op->getResult(2));
    RankedTensorType right = Lowering::convertType(op->getResult(3));
    call.options[1] =
        right.getRank() < 2 ? 1 : right.getDimSize(right.getRank() - 2);
    break;
  }
  default:
    break;
  }
}

LogicalResult Lowering::lower(CustomCallOp op) {
  StringRef name = op.getCallTargetName();
  // Wishes that this code is too late for.
  if (name == "Sharding" && op.getInputs().size() == 1 &&
      op->getNumResults() == 1 &&
      op.getInputs()[0].getType() == op->getResult(0).getType()) {
    map(op->getResult(0), lookup(op.getInputs()[0]));
    return success();
  }
  const LapackTarget *known = findTarget(name);
  if (!known)
    return reject(op, "target '" + name + "'");
  if (op.getInputs().size() != known->numOperands)
    return op.emitError() << "calls '" << name << "' with "
                          << op.getInputs().size() << " operands, but it has "
                          << known->numOperands;
  LapackCall call{known->routine, op.getInputs()[known->shaped]};
  auto element = getLapackElement(convertType(call.shaped).getElementType());
  bool isComplex =
      element == runtime::kLapackC64 || element == runtime::kLapackC128;
  unsigned numResults =
      isComplex ? known->numComplexResults : known->numRealResults;
  if (op->getNumResults() != numResults)
    return op.emitError() << "calls '" << name << "' for "
                          << op->getNumResults() << " results, but it has "
                          << numResults;
  auto config = dyn_cast_or_null<DictionaryAttr>(
      op.getBackendConfig() ? *op.getBackendConfig() : Attribute());
  if (!config)
    config = op->getAttrOfType<DictionaryAttr>("mhlo.backend_config");
  for (auto [i, key] : llvm::enumerate(known->options)) {
    auto value =
        config ? dyn_cast_or_null<IntegerAttr>(config.get(key)) : IntegerAttr();
    if (!value)
      return op.emitError()
             << "calls '" << name << "' without the attribute '" << key << "'";
    call.options[i] = int64_t(value.getValue().getZExtValue());
  }
  addSizes(call, op);
  auto numbers = call.getNumbers();
  if (!numbers)
    return reject(op, "these types");
  return callLibrary(op, "hetero_lapack", *numbers, op.getInputs(),
                     op->getResults());
}
