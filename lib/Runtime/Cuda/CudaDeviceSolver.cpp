//===- CudaDeviceSolver.cpp - Transforms and factorizations ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host code has tensors, which lie row by row, and libraries want matrices that
// lie column by column: as they see it, each is its transpose. Where that is as
// good, nothing is moved:
//
//   a = l l^H     is   conj(a) = (l^T)^H (l^T), the upper factor of what
//   cuSOLVER
//                 sees
//   a x = b       is   x^T a^T = b^T: the other side, the other triangle
//   a v = v w     is   conj(a) conj(v) = conj(v) w: the vectors are turned once
//   a = u s vt    is   a^T = vt^T s u^T, if there are no fewer columns than
//   rows
//
// Everything else is transposed on the way in and out. What cuSOLVER has no
// routine for is computed on the host, which waits for it.

#include "hetero/Runtime/CudaDevice.h"
#include <algorithm>

using namespace hetero::runtime;

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

void CudaDevice::transform(const int64_t *call) {
  if (hasFailed)
    return;
  CudaFft fft;
  fft.kind = static_cast<FftKind>(call[0]);
  fft.isDouble = call[1] != 0;
  fft.batch = call[2];
  fft.lengths.assign(call + 4, call + 4 + call[3]);
  auto *from = reinterpret_cast<void *>(call[4 + call[3]]);
  auto *to = reinterpret_cast<void *>(call[5 + call[3]]);
  int64_t workspace = 0;
  Result<CudaHandle> plan = getApi().planFft(fft, workspace);
  if (!plan) {
    fail(plan.error());
    return;
  }
  void *memory = allocateWorkspace(workspace), *copied = nullptr;
  if (fft.kind == kIrfft) {
    // cuFFT overwrites what it makes real numbers of.
    int64_t bytes = fft.batch * (fft.isDouble ? 16 : 8);
    for (int64_t length : fft.lengths)
      bytes *= length;
    bytes = bytes / fft.lengths.back() * (fft.lengths.back() / 2 + 1);
    copied = allocateWorkspace(bytes);
    if (copied)
      fail(copy(copied, from, bytes));
    from = copied;
  }
  if (memory && from && !hasFailed)
    fail(getApi().runFft(*plan, from, to, memory, stream));
  release(copied);
  release(memory);
}

//===----------------------------------------------------------------------===//
// Factorizations
//===----------------------------------------------------------------------===//

namespace {
/// One call of `hetero_cuda_lapack`.
class Factorization {
public:
  Factorization(CudaDevice &device, const int64_t *words)
      : device(device), api(device.getApi()), words(words), m(words[3]),
        n(words[4]), k(words[5]) {
    solve.routine = static_cast<LapackRoutine>(words[0]);
    solve.element = static_cast<LapackElement>(words[1]);
    bool isDouble = solve.element == kLapackF64 || solve.element == kLapackC128;
    bool isComplex =
        solve.element == kLapackC64 || solve.element == kLapackC128;
    realBytes = isDouble ? 8 : 4;
    bytes = realBytes * (isComplex ? 2 : 1);
  }
  ~Factorization() {
    for (void *block : memory)
      device.release(block);
  }

  /// All matrices, one after the other.
  MaybeError run();

private:
  void runOne();
  void runPotrf();
  void runTrsm();
  void runOrmqr();
  void runSyevd();
  void runGesvd();
  /// Transposes the first operand in and the result out; `others` are the
  /// further buffers of the routine.
  void runTransposed(std::vector<void *> others, int result);

  int64_t option(int i) const { return words[6 + i]; }
  /// Operand or result number i of the matrix that is worked on.
  void *buffer(int i, int64_t size, int64_t bytesOfEach) const {
    return reinterpret_cast<char *>(words[10 + i]) + index * size * bytesOfEach;
  }
  void *matrix(int i, int64_t rows, int64_t columns) const {
    return buffer(i, rows * columns, bytes);
  }
  void *info(int i) const { return buffer(i, 1, sizeof(int32_t)); }
  /// Memory of this call, the same for all matrices, by its number; null after
  /// an error.
  void *getScratch(size_t number, int64_t size);
  void *getScratchInfo() { return getScratch(scratchInfo, sizeof(int32_t)); }

  void copy(void *to, const void *from, int64_t count);
  /// From rows to columns. The way back is that of the transposed matrix.
  void transpose(int64_t rows, int64_t columns, const void *from, void *to,
                 bool isConjugated = false);
  void call(int64_t rows, int64_t columns, std::array<int64_t, 4> options,
            std::vector<void *> buffers);

  /// Numbers of memory.
  static constexpr size_t first = 0, second = 1, scratchInfo = 2, workspace = 3;

  CudaDevice &device;
  CudaApi &api;
  const int64_t *words;
  const int64_t m, n, k;
  CudaSolve solve;
  int64_t bytes = 0, realBytes = 0, index = 0;
  std::array<void *, 4> memory = {};
  std::optional<int64_t> workspaceBytes;
  MaybeError failure;
};
} // namespace

static int64_t flipUplo(int64_t uplo) { return uplo == 'L' ? 'U' : 'L'; }

void *Factorization::getScratch(size_t number, int64_t size) {
  void *&block = memory[number];
  if (!block && !failure) {
    Result<void *> made = device.allocate(size, "workspace of a factorization");
    if (made)
      block = *made;
    else
      failure = made.error();
  }
  return block;
}

void Factorization::copy(void *to, const void *from, int64_t count) {
  if (!failure)
    failure = device.copy(to, from, count * bytes);
}

void Factorization::transpose(int64_t rows, int64_t columns, const void *from,
                              void *to, bool isConjugated) {
  if (!failure)
    failure = api.transpose(solve.element, rows, columns, from, to,
                            isConjugated, device.getStream());
}

void Factorization::call(int64_t rows, int64_t columns,
                         std::array<int64_t, 4> options,
                         std::vector<void *> buffers) {
  if (failure)
    return;
  solve.m = rows;
  solve.n = columns;
  solve.k = k;
  solve.options = options;
  std::copy(buffers.begin(), buffers.end(), solve.buffers.begin());
  if (!workspaceBytes) {
    Result<int64_t> wanted = api.getWorkspace(solve);
    if (!wanted) {
      failure = wanted.error();
      return;
    }
    workspaceBytes = *wanted;
  }
  void *space = getScratch(workspace, *workspaceBytes);
  if (!failure)
    failure = api.solve(solve, space, *workspaceBytes, device.getStream());
}

void Factorization::runPotrf() {
  void *factor = matrix(1, n, n);
  copy(factor, matrix(0, n, n), n * n);
  call(n, n, {flipUplo(option(0))}, {factor, info(2)});
}

void Factorization::runTrsm() {
  bool isLeft = option(0) == 'L';
  int64_t order = isLeft ? m : n;
  void *x = matrix(2, m, n);
  copy(x, matrix(1, m, n), m * n);
  call(n, m, {isLeft ? 'R' : 'L', flipUplo(option(1)), option(2), option(3)},
       {matrix(0, order, order), x});
}

void Factorization::runTransposed(std::vector<void *> others, int result) {
  void *columns = getScratch(first, m * n * bytes);
  transpose(m, n, matrix(0, m, n), columns);
  others.insert(others.begin(), columns);
  call(m, n, {option(0), option(1)}, others);
  transpose(n, m, columns, matrix(result, m, n));
}

void Factorization::runOrmqr() {
  bool isLeft = option(0) != 0;
  bool isComplex = bytes != realBytes;
  int64_t rows = isLeft ? m : n, columns = option(2);
  void *q = getScratch(first, rows * columns * bytes);
  void *c = getScratch(second, m * n * bytes);
  transpose(rows, columns, matrix(0, rows, columns), q);
  transpose(m, n, matrix(2, m, n), c);
  call(m, n,
       {isLeft ? 'L' : 'R', !option(1)  ? 'N'
                            : isComplex ? 'C'
                                        : 'T'},
       {q, buffer(1, k, bytes), c, getScratchInfo()});
  transpose(n, m, c, matrix(3, m, n));
}

void Factorization::runSyevd() {
  void *vectors = getScratch(first, n * n * bytes);
  copy(vectors, matrix(0, n, n), n * n);
  call(n, n, {option(0), flipUplo(option(1))},
       {vectors, buffer(2, n, realBytes), info(3)});
  transpose(n, n, vectors, matrix(1, n, n), /*isConjugated=*/true);
}

void Factorization::runGesvd() {
  int64_t rowsOfVt = option(1);
  void *values = buffer(2, std::min(m, n), realBytes);
  void *u = matrix(3, m, k), *vt = matrix(4, rowsOfVt, n);
  // The result that holds the operand is overwritten by all of them.
  void *a = matrix(1, m, n);
  if (m <= n) {
    copy(a, matrix(0, m, n), m * n);
    call(n, m, {option(0)}, {a, values, vt, u, info(5)});
    return;
  }
  transpose(m, n, matrix(0, m, n), a);
  void *left = getScratch(first, m * k * bytes);
  void *right = getScratch(second, rowsOfVt * n * bytes);
  call(m, n, {option(0)}, {a, values, left, right, info(5)});
  // Without vectors there is nothing to turn.
  if (option(0) == 'N')
    return;
  transpose(k, m, left, u);
  transpose(n, rowsOfVt, right, vt);
}

void Factorization::runOne() {
  switch (solve.routine) {
  case kPotrf:
    return runPotrf();
  case kTrsm:
    return runTrsm();
  case kGetrf:
    return runTransposed({buffer(2, std::min(m, n), sizeof(int32_t)), info(3)},
                         1);
  case kGeqrf:
    return runTransposed({buffer(2, std::min(m, n), bytes), getScratchInfo()},
                         1);
  case kOrgqr:
    return runTransposed({buffer(1, k, bytes), getScratchInfo()}, 2);
  case kOrmqr:
    return runOrmqr();
  case kSyevd:
    return runSyevd();
  case kGesdd:
    solve.routine = kGesvd;
    [[fallthrough]];
  case kGesvd:
    return runGesvd();
  case kSytrd: {
    int64_t beside = std::max<int64_t>(0, n - 1);
    return runTransposed({buffer(2, n, realBytes), buffer(3, beside, realBytes),
                          buffer(4, beside, bytes), info(5)},
                         1);
  }
  default:
    failure = "routine " + std::to_string(solve.routine) +
              " of LAPACK is none of cuSOLVER's";
  }
}

MaybeError Factorization::run() {
  for (index = 0; index < words[2] && !failure; ++index)
    runOne();
  return failure;
}

//===----------------------------------------------------------------------===//
// On the host
//===----------------------------------------------------------------------===//

/// cuSOLVER lacks pivots of QR, the values and forms of matrices that are not
/// symmetric (newer versions have some), and tridiagonal systems.
static bool isOfHost(LapackRoutine routine) {
  return routine == kGeqp3 || routine == kGeev || routine == kGees ||
         routine == kGehrd || routine == kGtsv;
}

/// Bytes that one matrix has in each buffer of a routine of the host; operands
/// come first, `numOperands` of them.
static std::vector<int64_t> getSizes(const int64_t *words,
                                     size_t &numOperands) {
  auto element = static_cast<LapackElement>(words[1]);
  int64_t m = words[3], n = words[4];
  bool isComplex = element == kLapackC64 || element == kLapackC128;
  int64_t real = element == kLapackF64 || element == kLapackC128 ? 8 : 4;
  int64_t size = isComplex ? 2 * real : real, info = sizeof(int32_t);
  int64_t matrix = m * n * size, vector = n * size;
  // Values are complex; those of real matrices come in two parts.
  std::vector<int64_t> values(isComplex ? 1 : 2, vector), sizes;
  auto add = [&](std::vector<int64_t> more) {
    sizes.insert(sizes.end(), more.begin(), more.end());
  };
  numOperands = 1;
  switch (static_cast<LapackRoutine>(words[0])) {
  case kGeqp3:
    numOperands = 2;
    add({matrix, n * info, matrix, n * info, std::min(m, n) * size});
    break;
  case kGeev:
    add({matrix});
    add(values);
    add({2 * n * n * real, 2 * n * n * real, info});
    break;
  case kGees:
    add({matrix, matrix, matrix});
    add(values);
    add({info, info});
    break;
  case kGehrd:
    add({matrix, matrix, std::max<int64_t>(0, n - 1) * size, info});
    break;
  default: // kGtsv
    numOperands = 4;
    for (int i = 0; i < 2; ++i)
      add({m * size, m * size, m * size, matrix});
    add({info});
  }
  return sizes;
}

MaybeError CudaDevice::factorizeOnHost(const int64_t *call) {
  hasRead = true;
  if (silent)
    return std::nullopt;
  size_t numOperands = 0;
  std::vector<int64_t> sizes = getSizes(call, numOperands);
  std::vector<int64_t> words(call, call + 10);
  std::vector<std::vector<char>> buffers;
  for (size_t i = 0; i < sizes.size(); ++i) {
    // LAPACK wants an address for what is empty as well.
    buffers.emplace_back(sizes[i] * call[2] + 1);
    words.push_back(reinterpret_cast<int64_t>(buffers[i].data()));
    if (i < numOperands)
      if (MaybeError error = read(buffers[i].data(),
                                  reinterpret_cast<const void *>(call[10 + i]),
                                  sizes[i] * call[2]))
        return error;
  }
  hetero_lapack(words.data());
  for (size_t i = numOperands; i < sizes.size(); ++i)
    if (MaybeError error = write(reinterpret_cast<void *>(call[10 + i]),
                                 buffers[i].data(), sizes[i] * call[2]))
      return error;
  return std::nullopt;
}

void CudaDevice::factorize(const int64_t *call) {
  if (hasFailed)
    return;
  auto routine = static_cast<LapackRoutine>(call[0]);
  if (isOfHost(routine)) {
    fail(factorizeOnHost(call));
    return;
  }
  hasSolved |= routine != kTrsm;
  fail(Factorization(*this, call).run());
}
