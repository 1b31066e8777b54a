//===- Fft.cpp - cuFFT by the definition of the transform -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over all elements of each line, in double precision. Like cuFFT it has
// plans that work on one device with memory that they are given, and destroys
// what it makes real numbers of.

#include "Calls.h"
#include "Ending.h"
#include <cmath>
#include <complex>
#include <cstring>
#include <cufftXt.h>

using namespace hetero::standin;

using Number = std::complex<double>;

namespace {
struct Plan {
  Device *device = nullptr;
  CUstream stream = nullptr;
  bool isAutomatic = true, isMade = false;
  std::vector<int64_t> lengths;
  int64_t batch = 0;
  cudaDataType from = CUDA_C_32F, to = CUDA_C_32F;
  uint64_t workspace = 0;

  bool isWide() const { return from == CUDA_R_64F || from == CUDA_C_64F; }
  bool isRealOperand() const {
    return from == CUDA_R_32F || from == CUDA_R_64F;
  }
  bool isRealResult() const { return to == CUDA_R_32F || to == CUDA_R_64F; }
  /// Of one transform, with all or with half of the last dimension.
  int64_t count(bool isHalf) const {
    int64_t product = 1;
    for (int64_t length : lengths)
      product *= length;
    return isHalf ? product / lengths.back() * (lengths.back() / 2 + 1)
                  : product;
  }
  int64_t operandCount() const { return count(isRealResult()); }
  int64_t resultCount() const { return count(isRealOperand()); }
  int64_t operandBytes() const {
    return batch * operandCount() * (isWide() ? 8 : 4) *
           (isRealOperand() ? 1 : 2);
  }
  int64_t resultBytes() const {
    return batch * resultCount() * (isWide() ? 8 : 4) *
           (isRealResult() ? 1 : 2);
  }
  int64_t workspaceBytes() const { return batch * count(false) * 8; }
};

class FftCall : public Call {
public:
  FftCall(const char *function, cufftHandle handle)
      : Call(function), handle(handle) {}

  cufftResult check();
  Plan &getPlan() const { return *plan; }

private:
  cufftHandle handle;
  Plan *plan = nullptr;
};
} // namespace

static std::map<cufftHandle, Plan> &getPlans() {
  static auto *plans = new std::map<cufftHandle, Plan>;
  return *plans;
}

cufftResult FftCall::check() {
  if (fate != Fate::Works)
    return CUFFT_EXEC_FAILED;
  auto found = getPlans().find(handle);
  if (found == getPlans().end())
    leaveProcess(name + " is given a plan that was destroyed or never was one");
  plan = &found->second;
  return plan->device == device ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Transforms
//===----------------------------------------------------------------------===//

/// One line: the sum over j of in[j] exp(sign 2 pi i j k / n).
static std::vector<Number> transformLine(const std::vector<Number> &in,
                                         int sign) {
  size_t n = in.size();
  std::vector<Number> roots(n), out(n);
  for (size_t i = 0; i < n; ++i)
    roots[i] = std::polar(1.0, sign * 2 * M_PI * double(i) / double(n));
  for (size_t k = 0; k < n; ++k)
    for (size_t j = 0; j < n; ++j)
      out[k] += in[j] * roots[j * k % n];
  return out;
}

/// All lines along one dimension of a dense tensor.
static void transformAlong(std::vector<Number> &data,
                           const std::vector<int64_t> &shape, size_t dimension,
                           int sign) {
  int64_t inner = 1, size = shape[dimension];
  for (size_t d = dimension + 1; d < shape.size(); ++d)
    inner *= shape[d];
  for (int64_t begin = 0; begin < int64_t(data.size()); begin += inner * size)
    for (int64_t i = 0; i < inner; ++i) {
      std::vector<Number> line(size);
      for (int64_t j = 0; j < size; ++j)
        line[j] = data[begin + j * inner + i];
      line = transformLine(line, sign);
      for (int64_t j = 0; j < size; ++j)
        data[begin + j * inner + i] = line[j];
    }
}

/// From half of the last dimension to all of it: the rest are conjugates.
static std::vector<Number> complete(const std::vector<Number> &half,
                                    int64_t n) {
  int64_t had = n / 2 + 1;
  std::vector<Number> data;
  for (size_t begin = 0; begin < half.size(); begin += had)
    for (int64_t j = 0; j < n; ++j)
      data.push_back(j == 0       ? half[begin].real()
                     : 2 * j == n ? half[begin + j].real()
                     : j < had    ? half[begin + j]
                                  : std::conj(half[begin + n - j]));
  return data;
}

template <typename T>
static void transform(const Plan &plan, int direction, const char *from,
                      char *to) {
  auto *operand = reinterpret_cast<const T *>(from);
  auto *result = reinterpret_cast<T *>(to);
  int64_t last = plan.lengths.back();
  for (int64_t b = 0; b < plan.batch; ++b) {
    std::vector<Number> data;
    for (int64_t i = 0; i < plan.operandCount(); ++i) {
      data.emplace_back(*operand++);
      if (!plan.isRealOperand())
        data.back().imag(*operand++);
    }
    std::vector<int64_t> shape = plan.lengths;
    if (plan.isRealResult())
      shape.back() = last / 2 + 1;
    for (size_t d = 0; d + 1 < shape.size(); ++d)
      transformAlong(data, shape, d, direction);
    if (plan.isRealResult())
      data = complete(data, last);
    transformAlong(data, plan.lengths, shape.size() - 1, direction);
    int64_t kept = plan.isRealOperand() ? last / 2 + 1 : last;
    for (int64_t i = 0; i < int64_t(data.size()); ++i) {
      if (i % last >= kept)
        continue;
      *result++ = T(data[i].real());
      if (!plan.isRealResult())
        *result++ = T(data[i].imag());
    }
  }
}

//===----------------------------------------------------------------------===//
// Entry points
//===----------------------------------------------------------------------===//

cufftResult cufftCreate(cufftHandle *made) {
  Call call(__func__);
  if (call.getFate() != Fate::Works || !call.getDevice())
    return CUFFT_SETUP_FAILED;
  static cufftHandle numPlans = 0;
  *made = ++numPlans;
  getPlans()[*made].device = call.getDevice();
  return CUFFT_SUCCESS;
}

cufftResult cufftDestroy(cufftHandle handle) {
  FftCall call(__func__, handle);
  if (cufftResult result = call.check())
    return result;
  getPlans().erase(handle);
  return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int isAutomatic) {
  FftCall call(__func__, handle);
  if (cufftResult result = call.check())
    return result;
  if (call.getPlan().isMade)
    return CUFFT_INVALID_PLAN;
  call.getPlan().isAutomatic = isAutomatic != 0;
  return CUFFT_SUCCESS;
}

/// Dense tensors and memory that is given; nothing else is offered.
cufftResult cufftXtMakePlanMany(cufftHandle handle, int rank, long long *n,
                                long long *inembed, long long, long long,
                                cudaDataType from, long long *onembed,
                                long long, long long, cudaDataType to,
                                long long batch, size_t *bytes,
                                cudaDataType execution) {
  FftCall call(__func__, handle);
  if (cufftResult result = call.check())
    return result;
  Plan &plan = call.getPlan();
  if (plan.isMade)
    return CUFFT_INVALID_PLAN;
  if (rank < 1 || rank > 3 || batch < 1)
    return CUFFT_INVALID_SIZE;
  plan.lengths.assign(n, n + rank);
  for (int64_t length : plan.lengths)
    if (length < 1)
      return CUFFT_INVALID_SIZE;
  plan.from = from;
  plan.to = to;
  cudaDataType complex = plan.isWide() ? CUDA_C_64F : CUDA_C_32F;
  cudaDataType real = plan.isWide() ? CUDA_R_64F : CUDA_R_32F;
  bool isKnown = (from == complex && (to == complex || to == real)) ||
                 (from == real && to == complex);
  if (inembed || onembed || plan.isAutomatic || !isKnown ||
      execution != complex)
    return CUFFT_NOT_SUPPORTED;
  plan.batch = batch;
  plan.isMade = true;
  *bytes = plan.workspaceBytes();
  return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void *workspace) {
  FftCall call(__func__, handle);
  if (cufftResult result = call.check())
    return result;
  call.getPlan().workspace = reinterpret_cast<uint64_t>(workspace);
  return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
  FftCall call(__func__, handle);
  if (cufftResult result = call.check())
    return result;
  call.getPlan().stream = reinterpret_cast<CUstream>(stream);
  return CUFFT_SUCCESS;
}

cufftResult cufftXtExec(cufftHandle handle, void *from, void *to,
                        int direction) {
  FftCall call(__func__, handle);
  if (cufftResult result = call.check())
    return result;
  const Plan &plan = call.getPlan();
  if (!plan.isMade || !plan.workspace)
    leaveProcess(call.getName() + " is called for a plan without " +
                 (plan.isMade ? "a work area" : "lengths"));
  bool isForward = direction == CUFFT_FORWARD;
  if ((plan.isRealOperand() && !isForward) ||
      (plan.isRealResult() && isForward) || from == to)
    return CUFFT_INVALID_VALUE;
  Stream &stream =
      Engine::get().getStream(plan.stream, *plan.device, call.getName());
  Work work;
  work.name = "fft of " + str(plan.batch) + " x " + str(plan.count(false));
  Memory &memory = plan.device->memory;
  work.run = [=, &memory](const std::string &who) {
    auto at = [&](const void *address, int64_t bytes, bool isWrite) {
      return memory.access(reinterpret_cast<uint64_t>(address), bytes, isWrite,
                           who.c_str());
    };
    char *operand = at(from, plan.operandBytes(), false);
    char *result = at(to, plan.resultBytes(), true);
    // What it leaves there may be anything.
    std::memset(
        memory.access(plan.workspace, plan.workspaceBytes(), true, who.c_str()),
        poison, plan.workspaceBytes());
    if (plan.isWide())
      transform<double>(plan, direction, operand, result);
    else
      transform<float>(plan, direction, operand, result);
    if (plan.isRealResult())
      std::memset(at(from, plan.operandBytes(), true), poison,
                  plan.operandBytes());
  };
  Engine::get().enter(stream, work);
  return CUFFT_SUCCESS;
}
