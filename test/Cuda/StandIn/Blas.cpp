//===- Blas.cpp - cuBLAS by a BLAS of the host ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BlasCall.h"
#include "Damages.h"
#include "Ending.h"
#include "Leaks.h"
#include "Numbers.h"
#include "Versions.h"
#include <algorithm>
#include <cblas.h>
#include <complex>

using namespace hetero::standin;

static std::set<BlasHandle *> &getHandles() {
  static auto *handles = new std::set<BlasHandle *>;
  return *handles;
}

cublasStatus_t BlasCall::check() const {
  if (hasFailed() || (device && device->sickness))
    return CUBLAS_STATUS_EXECUTION_FAILED;
  if (!handle)
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!getHandles().count(handle))
    leaveProcess(name +
                 " is given a handle that was destroyed or never was one");
  // A handle works on the device that was current when it was made.
  return handle->device == device ? CUBLAS_STATUS_SUCCESS
                                  : CUBLAS_STATUS_EXECUTION_FAILED;
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

cublasStatus_t cublasCreate(cublasHandle_t *made) {
  Call call(__func__);
  if (call.hasFailed() || !call.getDevice())
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!canRunLibraries(*call.getDevice()))
    return CUBLAS_STATUS_ARCH_MISMATCH;
  openblas_set_num_threads(1);
  auto *handle = new BlasHandle;
  handle->device = call.getDevice();
  getHandles().insert(handle);
  noteGiven(Thing::BlasHandle);
  *made = reinterpret_cast<cublasHandle_t>(handle);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  BlasCall call(__func__, handle);
  noteGivenBack(Thing::BlasHandle);
  if (cublasStatus_t status = call.check())
    return status;
  getHandles().erase(&call.getHandle());
  delete &call.getHandle();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  BlasCall call(__func__, handle);
  if (cublasStatus_t status = call.check())
    return status;
  call.getHandle().stream = reinterpret_cast<CUstream>(stream);
  call.getStream();
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t *stream) {
  BlasCall call(__func__, handle);
  if (cublasStatus_t status = call.check())
    return status;
  *stream = reinterpret_cast<cudaStream_t>(call.getHandle().stream);
  return CUBLAS_STATUS_SUCCESS;
}

/// Scalars are read on the host at the call; nothing else is offered.
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle,
                                    cublasPointerMode_t mode) {
  BlasCall call(__func__, handle);
  if (cublasStatus_t status = call.check())
    return status;
  return mode == CUBLAS_POINTER_MODE_HOST ? CUBLAS_STATUS_SUCCESS
                                          : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t) {
  BlasCall call(__func__, handle);
  return call.check();
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *, size_t) {
  BlasCall call(__func__, handle);
  return call.check();
}

cublasStatus_t cublasGetVersion(cublasHandle_t, int *version) {
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}

const char *cublasGetStatusString(cublasStatus_t status) {
  Call call(__func__, /*doesDrift=*/false);
  if (call.getFate() == Fate::Fails)
    return "unknown cuBLAS status";
  switch (status) {
  case CUBLAS_STATUS_SUCCESS:
    return "CUBLAS_STATUS_SUCCESS";
  case CUBLAS_STATUS_NOT_INITIALIZED:
    return "CUBLAS_STATUS_NOT_INITIALIZED";
  case CUBLAS_STATUS_INVALID_VALUE:
    return "CUBLAS_STATUS_INVALID_VALUE";
  case CUBLAS_STATUS_EXECUTION_FAILED:
    return "CUBLAS_STATUS_EXECUTION_FAILED";
  case CUBLAS_STATUS_NOT_SUPPORTED:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  default:
    return "CUBLAS_STATUS_INTERNAL_ERROR";
  }
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

namespace {
/// What the matrices of one operand are.
struct Operand {
  uint64_t address = 0;
  cudaDataType type = CUDA_R_32F;
  /// As they lie: columns of `rows` elements, `ld` apart.
  int64_t rows = 0, columns = 0, ld = 0;
  int64_t stride = 0;
};

struct Gemm {
  cublasOperation_t transposeA = CUBLAS_OP_N, transposeB = CUBLAS_OP_N;
  int m = 0, n = 0, k = 0, batch = 1;
  Operand a, b, c;
  /// Real and imaginary.
  double alpha[2] = {1, 0}, beta[2] = {0, 0};
};
} // namespace

static int64_t sizeOf(cudaDataType type) {
  switch (type) {
  case CUDA_R_16F:
  case CUDA_R_16BF:
    return 2;
  case CUDA_R_32F:
    return 4;
  case CUDA_R_64F:
  case CUDA_C_32F:
    return 8;
  case CUDA_C_64F:
    return 16;
  default:
    return 0;
  }
}

static bool isComplex(cudaDataType type) {
  return type == CUDA_C_32F || type == CUDA_C_64F;
}
static bool isWide(cudaDataType type) {
  return type == CUDA_R_64F || type == CUDA_C_64F;
}
static bool isShort(cudaDataType type) {
  return type == CUDA_R_16F || type == CUDA_R_16BF;
}

/// Checks that all that is touched lives, column by column: between the columns
/// there may be something else.
static char *reach(const Operand &operand, int64_t matrix, bool isWrite,
                   Memory &memory, const std::string &who) {
  int64_t size = sizeOf(operand.type);
  uint64_t begin = operand.address + matrix * operand.stride * size;
  char *place = nullptr;
  for (int64_t column = 0; column < operand.columns; ++column) {
    char *at = memory.access(begin + column * operand.ld * size,
                             operand.rows * size, isWrite, who.c_str());
    if (column == 0)
      place = at;
  }
  return place;
}

template <typename Short>
static void widen(const char *from, const Operand &operand, float *to) {
  auto *data = reinterpret_cast<const Short *>(from);
  for (int64_t column = 0; column < operand.columns; ++column)
    for (int64_t row = 0; row < operand.rows; ++row)
      *to++ = data[column * operand.ld + row];
}

template <typename Short>
static void narrow(const float *from, const Operand &operand, char *to) {
  auto *data = reinterpret_cast<Short *>(to);
  for (int64_t column = 0; column < operand.columns; ++column)
    for (int64_t row = 0; row < operand.rows; ++row)
      data[column * operand.ld + row] = Short(*from++);
}

/// Copies a matrix of floats column by column.
static void moveFloats(const char *from, int64_t fromLd, char *to, int64_t toLd,
                       const Operand &operand) {
  for (int64_t column = 0; column < operand.columns; ++column)
    std::memcpy(to + 4 * column * toLd, from + 4 * column * fromLd,
                4 * operand.rows);
}

static std::vector<float> toFloats(const char *from, const Operand &operand) {
  std::vector<float> floats(operand.rows * operand.columns);
  if (operand.type == CUDA_R_16F)
    widen<Half>(from, operand, floats.data());
  else if (operand.type == CUDA_R_16BF)
    widen<BFloat>(from, operand, floats.data());
  else
    moveFloats(from, operand.ld, reinterpret_cast<char *>(floats.data()),
               operand.rows, operand);
  return floats;
}

static CBLAS_TRANSPOSE toCblas(cublasOperation_t operation) {
  return operation == CUBLAS_OP_N   ? CblasNoTrans
         : operation == CUBLAS_OP_T ? CblasTrans
                                    : CblasConjTrans;
}

/// Multiplies in f32 and rounds once to the type of the result.
static void multiplyShort(const Gemm &gemm, const char *a, const char *b,
                          char *c) {
  std::vector<float> left = toFloats(a, gemm.a), right = toFloats(b, gemm.b);
  // With beta zero the old values are not read, not even if they are no
  // numbers.
  std::vector<float> result(int64_t(gemm.m) * gemm.n);
  if (gemm.beta[0] != 0)
    result = toFloats(c, gemm.c);
  cblas_sgemm(CblasColMajor, toCblas(gemm.transposeA), toCblas(gemm.transposeB),
              gemm.m, gemm.n, gemm.k, gemm.alpha[0], left.data(),
              std::max<int64_t>(gemm.a.rows, 1), right.data(),
              std::max<int64_t>(gemm.b.rows, 1), gemm.beta[0], result.data(),
              gemm.m);
  if (gemm.c.type == CUDA_R_16F)
    narrow<Half>(result.data(), gemm.c, c);
  else if (gemm.c.type == CUDA_R_16BF)
    narrow<BFloat>(result.data(), gemm.c, c);
  else
    moveFloats(reinterpret_cast<char *>(result.data()), gemm.m, c, gemm.c.ld,
               gemm.c);
}

static void multiply(const Gemm &gemm, const char *a, const char *b, char *c) {
  CBLAS_TRANSPOSE ta = toCblas(gemm.transposeA), tb = toCblas(gemm.transposeB);
  const Operand &l = gemm.a, &r = gemm.b, &o = gemm.c;
  const float alpha[2] = {float(gemm.alpha[0]), float(gemm.alpha[1])};
  const float beta[2] = {float(gemm.beta[0]), float(gemm.beta[1])};
  auto *wideA = reinterpret_cast<const double *>(a);
  auto *wideB = reinterpret_cast<const double *>(b);
  auto *wideC = reinterpret_cast<double *>(c);
  if (gemm.a.type == CUDA_R_64F)
    cblas_dgemm(CblasColMajor, ta, tb, gemm.m, gemm.n, gemm.k, gemm.alpha[0],
                wideA, l.ld, wideB, r.ld, gemm.beta[0], wideC, o.ld);
  else if (gemm.a.type == CUDA_C_64F)
    cblas_zgemm(CblasColMajor, ta, tb, gemm.m, gemm.n, gemm.k, gemm.alpha,
                wideA, l.ld, wideB, r.ld, gemm.beta, wideC, o.ld);
  else if (gemm.a.type == CUDA_C_32F)
    cblas_cgemm(CblasColMajor, ta, tb, gemm.m, gemm.n, gemm.k, alpha, a, l.ld,
                b, r.ld, beta, c, o.ld);
  else
    multiplyShort(gemm, a, b, c);
}

static void runGemm(const Gemm &gemm, Memory &memory, const std::string &who) {
  bool reads = gemm.beta[0] != 0 || gemm.beta[1] != 0;
  for (int64_t i = 0; i < gemm.batch; ++i) {
    if (reads)
      reach(gemm.c, i, /*isWrite=*/false, memory, who);
    char *c = reach(gemm.c, i, /*isWrite=*/true, memory, who);
    bool isEmpty = gemm.k == 0;
    char *a = isEmpty ? nullptr : reach(gemm.a, i, false, memory, who);
    char *b = isEmpty ? nullptr : reach(gemm.b, i, false, memory, who);
    multiply(gemm, a, b, c);
  }
}

/// cuBLAS: columns of an operand are at least as far apart as they are long.
static bool isValid(const Operand &operand) {
  return operand.ld >= std::max<int64_t>(operand.rows, 1);
}

/// The combinations of types that the manual lists, as far as they are here.
static bool isKnown(const Gemm &gemm, cublasComputeType_t compute) {
  cudaDataType type = gemm.a.type, result = gemm.c.type;
  if (type != gemm.b.type)
    return false;
  switch (compute) {
  case CUBLAS_COMPUTE_64F:
    return isWide(type) && result == type;
  case CUBLAS_COMPUTE_32F:
  case CUBLAS_COMPUTE_32F_PEDANTIC:
  case CUBLAS_COMPUTE_32F_FAST_TF32:
    return sizeOf(type) && !isWide(type) &&
           (result == type || (isShort(type) && result == CUDA_R_32F));
  default:
    return false;
  }
}

static void readScalar(const void *scalar, bool wide, bool complex,
                       double (&value)[2]) {
  for (int i = 0; i < (complex ? 2 : 1); ++i)
    value[i] = wide ? static_cast<const double *>(scalar)[i]
                    : static_cast<const float *>(scalar)[i];
}

/// Matrices of a batch must not write on each other.
static bool doResultsMeet(const Gemm &gemm) {
  int64_t extent = (gemm.c.columns - 1) * gemm.c.ld + gemm.c.rows;
  int64_t stride = std::abs(gemm.c.stride);
  if (gemm.batch < 2 || stride >= extent)
    return false;
  // Interleaved columns or rows of columns may be apart all the same.
  return stride < gemm.c.rows;
}

static std::string nameOf(const Gemm &gemm) {
  return "gemm of " + str(gemm.batch) + " x " + str(gemm.m) + "x" +
         str(gemm.n) + "x" + str(gemm.k);
}

// The headers have another one of this name, for C++.
extern "C" cublasStatus_t cublasGemmStridedBatchedEx(
    cublasHandle_t handle, cublasOperation_t transposeA,
    cublasOperation_t transposeB, int m, int n, int k, const void *alpha,
    const void *a, cudaDataType typeA, int lda, long long strideA,
    const void *b, cudaDataType typeB, int ldb, long long strideB,
    const void *beta, void *c, cudaDataType typeC, int ldc, long long strideC,
    int batch, cublasComputeType_t compute, cublasGemmAlgo_t) {
  BlasCall call("cublasGemmStridedBatchedEx", handle);
  if (cublasStatus_t status = call.check())
    return status;
  if (m < 0 || n < 0 || k < 0 || batch < 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  auto operand = [](const void *data, cudaDataType type, int rows, int columns,
                    int ld, int64_t stride) {
    return Operand{
        reinterpret_cast<uint64_t>(data), type, rows, columns, ld, stride};
  };
  bool isA = transposeA == CUBLAS_OP_N, isB = transposeB == CUBLAS_OP_N;
  Gemm gemm;
  gemm.transposeA = transposeA;
  gemm.transposeB = transposeB;
  gemm.m = m, gemm.n = n, gemm.k = k, gemm.batch = batch;
  gemm.a = operand(a, typeA, isA ? m : k, isA ? k : m, lda, strideA);
  gemm.b = operand(b, typeB, isB ? k : n, isB ? n : k, ldb, strideB);
  gemm.c = operand(c, typeC, m, n, ldc, strideC);
  if (!isValid(gemm.a) || !isValid(gemm.b) || !isValid(gemm.c) || !alpha ||
      !beta)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!isKnown(gemm, compute))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (doResultsMeet(gemm))
    leaveProcess("cublasGemmStridedBatchedEx is given results of " +
                 nameOf(gemm) + " that overlap: they are " + str(strideC) +
                 " elements apart");
  readScalar(alpha, isWide(typeA), isComplex(typeA), gemm.alpha);
  readScalar(beta, isWide(typeA), isComplex(typeA), gemm.beta);
  if (!m || !n || !batch)
    return CUBLAS_STATUS_SUCCESS;
  Stream &stream = damageStream(Damage::GemmStream, call.getStream());
  if (isDamaged(Damage::DropGemm, *stream.device))
    return CUBLAS_STATUS_SUCCESS;
  if (isDamaged(Damage::GemmSum, *stream.device))
    gemm.beta[0] = 1;
  // Rows of what the program sees by rows.
  if (isDamaged(Damage::GemmRows, *stream.device))
    gemm.c.columns += 8;
  Work work;
  work.name = nameOf(gemm);
  Memory &memory = stream.device->memory;
  work.run = [gemm, &memory](const std::string &who) {
    runGemm(gemm, memory, who);
  };
  Engine::get().enter(stream, work);
  return CUBLAS_STATUS_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

namespace {
struct Axpy {
  int64_t count = 0, stepX = 1, stepY = 1;
  uint64_t x = 0, y = 0;
  cudaDataType type = CUDA_R_32F;
  double alpha[2] = {1, 0};
};
} // namespace

template <typename T, typename Wide>
static void addTo(const Axpy &axpy, Wide alpha, const char *x, char *y) {
  // With a negative step a vector begins at its end.
  auto at = [&](int64_t i, int64_t step) {
    return step >= 0 ? i * step : (i - axpy.count + 1) * step;
  };
  auto *from = reinterpret_cast<const T *>(x);
  auto *to = reinterpret_cast<T *>(y);
  for (int64_t i = 0; i < axpy.count; ++i) {
    T &sum = to[at(i, axpy.stepY)];
    sum = T(alpha * Wide(from[at(i, axpy.stepX)]) + Wide(sum));
  }
}

static void runAxpy(const Axpy &axpy, Memory &memory, const std::string &who) {
  int64_t size = sizeOf(axpy.type);
  auto extent = [&](int64_t step) {
    return ((axpy.count - 1) * std::abs(step) + 1) * size;
  };
  const char *x = memory.access(axpy.x, extent(axpy.stepX), false, who.c_str());
  char *y = memory.access(axpy.y, extent(axpy.stepY), true, who.c_str());
  auto alpha = static_cast<float>(axpy.alpha[0]);
  switch (axpy.type) {
  case CUDA_R_16F:
    return addTo<Half, float>(axpy, alpha, x, y);
  case CUDA_R_16BF:
    return addTo<BFloat, float>(axpy, alpha, x, y);
  case CUDA_R_64F:
    return addTo<double, double>(axpy, axpy.alpha[0], x, y);
  case CUDA_C_32F:
    return addTo<std::complex<float>, std::complex<float>>(
        axpy, {alpha, float(axpy.alpha[1])}, x, y);
  case CUDA_C_64F:
    return addTo<std::complex<double>, std::complex<double>>(
        axpy, {axpy.alpha[0], axpy.alpha[1]}, x, y);
  default:
    return addTo<float, float>(axpy, alpha, x, y);
  }
}

cublasStatus_t cublasAxpyEx(cublasHandle_t handle, int count, const void *alpha,
                            cudaDataType alphaType, const void *x,
                            cudaDataType typeX, int stepX, void *y,
                            cudaDataType typeY, int stepY,
                            cudaDataType compute) {
  BlasCall call(__func__, handle);
  if (cublasStatus_t status = call.check())
    return status;
  // Short floats are added in f32, everything else in its own type.
  cudaDataType expected = isShort(typeX) ? CUDA_R_32F : typeX;
  if (!sizeOf(typeX) || typeX != typeY || compute != expected ||
      alphaType != expected)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (!alpha)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (count <= 0)
    return CUBLAS_STATUS_SUCCESS;
  Axpy axpy;
  axpy.count = count;
  axpy.stepX = stepX, axpy.stepY = stepY;
  axpy.x = reinterpret_cast<uint64_t>(x);
  axpy.y = reinterpret_cast<uint64_t>(y);
  axpy.type = typeX;
  readScalar(alpha, isWide(typeX), isComplex(typeX), axpy.alpha);
  Work work;
  work.name = "axpy of " + str(count);
  Memory &memory = call.getStream().device->memory;
  work.run = [axpy, &memory](const std::string &who) {
    runAxpy(axpy, memory, who);
  };
  Engine::get().enter(call.getStream(), work);
  return CUBLAS_STATUS_SUCCESS;
}
