//===- CudaDevice.cpp - A device with CUDA --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/CudaDevice.h"
#include <cstdio>
#include <cstdlib>

using namespace hetero::runtime;

Result<std::unique_ptr<CudaDevice>>
CudaDevice::create(std::string name, std::unique_ptr<CudaApi> api,
                   std::optional<int64_t> cap) {
  Result<CudaHandle> stream = api->createStream();
  if (!stream)
    return Error{stream.error()};
  return std::unique_ptr<CudaDevice>(
      new CudaDevice(std::move(name), std::move(api), *stream, cap));
}

CudaDevice::CudaDevice(std::string name, std::unique_ptr<CudaApi> api,
                       CudaHandle stream, std::optional<int64_t> cap)
    : Device(std::move(name), cap), api(std::move(api)), stream(stream) {}

CudaDevice::~CudaDevice() { releaseAll(); }

void *CudaDevice::takeFromSystem(int64_t bytes) { return api->allocate(bytes); }

void CudaDevice::giveToSystem(void *memory) { api->free(memory); }

//===----------------------------------------------------------------------===//
// What sessions ask for
//===----------------------------------------------------------------------===//

MaybeError CudaDevice::write(void *to, const void *from, int64_t bytes) {
  return bytes > 0 ? api->write(to, from, bytes, stream) : std::nullopt;
}

MaybeError CudaDevice::read(void *to, const void *from, int64_t bytes) {
  return bytes > 0 ? api->read(to, from, bytes, stream) : std::nullopt;
}

MaybeError CudaDevice::copy(void *to, const void *from, int64_t bytes) {
  return bytes > 0 ? api->copy(to, from, bytes, stream) : std::nullopt;
}

MaybeError CudaDevice::accumulate(Reduction reduction, ElementType type,
                                  const void *value, void *sum, int64_t count) {
  bool isFloat = type >= ElementType::F16;
  if (reduction != Reduction::Sum || !isFloat)
    return std::string("the ") + nameOf(reduction) + " of " + nameOf(type) +
           " in place is not supported on CUDA";
  return count > 0 ? api->add(type, value, sum, count, stream) : std::nullopt;
}

MaybeError
CudaDevice::synchronize(const std::function<MaybeError()> &getFailure) {
  return api->synchronize(getFailure);
}

//===----------------------------------------------------------------------===//
// What host code asks for
//===----------------------------------------------------------------------===//

bool CudaDevice::fail(MaybeError error) {
  if (error) {
    hasFailed = true;
    keepError(*error);
  }
  return hasFailed;
}

Result<CudaHandle> CudaDevice::getKernel(const HeteroCudaImage *images,
                                         const char *kernel) {
  auto known = kernels.find({images, kernel});
  if (known != kernels.end())
    return known->second;
  if (!modules.count(images)) {
    Result<CudaHandle> loaded = api->loadModule(images);
    if (!loaded)
      return loaded;
    modules[images] = *loaded;
  }
  Result<CudaHandle> found = api->getKernel(modules[images], kernel);
  if (found)
    kernels[{images, kernel}] = *found;
  return found;
}

void CudaDevice::launch(const HeteroCudaImage *images, const char *kernel,
                        int64_t numBlocks, int64_t blockSize,
                        const int64_t *arguments, int64_t numArguments) {
  if (hasFailed)
    return;
  Result<CudaHandle> function = getKernel(images, kernel);
  if (!function) {
    fail(function.error());
    return;
  }
  fail(api->launch(*function, numBlocks, blockSize, arguments, numArguments,
                   stream));
}

namespace {
/// A loop around a multiplication, with steps in bytes.
struct OuterLoop {
  int64_t size, a, b, c;
};
} // namespace

void CudaDevice::contract(const void *a, const void *b, void *c,
                          const int64_t *table) {
  CudaGemm gemm;
  gemm.type = static_cast<ElementType>(table[0]);
  gemm.resultType = static_cast<ElementType>(table[1]);
  bool accumulate = table[2] != 0;
  gemm.batch = table[3];
  gemm.m = table[4];
  gemm.n = table[5];
  gemm.k = table[6];
  gemm.a = {table[7], table[8], table[9]};
  gemm.b = {table[10], table[11], table[12]};
  gemm.c = {table[13], table[14], table[15]};
  int64_t size = sizeOf(gemm.type), resultSize = sizeOf(gemm.resultType);
  std::vector<OuterLoop> loops, sums;
  for (int64_t i = 0; i < table[16]; ++i) {
    const int64_t *entry = table + 17 + 4 * i;
    OuterLoop loop = {entry[0], entry[1] * size, entry[2] * size,
                      entry[3] * resultSize};
    (loop.c == 0 ? sums : loops).push_back(loop);
  }
  // Sums run innermost, so that their first iteration is the one that writes.
  loops.insert(loops.end(), sums.begin(), sums.end());
  std::vector<int64_t> at(loops.size());
  while (!hasFailed) {
    int64_t offsetA = 0, offsetB = 0, offsetC = 0;
    gemm.accumulate = accumulate;
    for (size_t i = 0; i < loops.size(); ++i) {
      offsetA += at[i] * loops[i].a;
      offsetB += at[i] * loops[i].b;
      offsetC += at[i] * loops[i].c;
      if (loops[i].c == 0 && at[i] > 0)
        gemm.accumulate = true;
    }
    fail(api->gemm(gemm, static_cast<const char *>(a) + offsetA,
                   static_cast<const char *>(b) + offsetB,
                   static_cast<char *>(c) + offsetC, stream));
    size_t d = loops.size();
    while (d > 0 && ++at[d - 1] == loops[d - 1].size)
      at[--d] = 0;
    if (d == 0)
      return;
  }
}

void CudaDevice::copyWithin(void *to, const void *from, int64_t bytes) {
  if (!hasFailed)
    fail(copy(to, from, bytes));
}

int64_t CudaDevice::readWord(const void *from, int64_t bytes) {
  int64_t word = 0;
  if (!hasFailed)
    fail(read(&word, from, bytes));
  return word;
}

void *CudaDevice::getConstant(const void *data, int64_t bytes) {
  void *&memory = constants[data];
  if (memory || hasFailed)
    return memory;
  Result<void *> block = allocate(bytes, "constant of a kernel");
  if (!block) {
    fail(block.error());
    return nullptr;
  }
  memory = *block;
  fail(write(memory, data, bytes));
  return memory;
}

//===----------------------------------------------------------------------===//
// The C interface
//===----------------------------------------------------------------------===//

static CudaDevice &getCurrentDevice() {
  Device *device = Device::getCurrent();
  CudaDevice *cuda = device ? device->asCuda() : nullptr;
  if (cuda)
    return *cuda;
  std::fprintf(stderr, "error: a kernel for CUDA was called on a thread that "
                       "has no CUDA device\n");
  std::_Exit(1);
}

extern "C" void hetero_cuda_launch(const HeteroCudaImage *images,
                                   const char *kernel, int64_t numBlocks,
                                   int64_t blockSize, const int64_t *arguments,
                                   int64_t numArguments) {
  getCurrentDevice().launch(images, kernel, numBlocks, blockSize, arguments,
                            numArguments);
}

extern "C" void hetero_cuda_gemm(const void *a, const void *b, void *c,
                                 const int64_t *table) {
  getCurrentDevice().contract(a, b, c, table);
}

extern "C" void hetero_cuda_copy(void *to, const void *from, int64_t bytes) {
  getCurrentDevice().copyWithin(to, from, bytes);
}

extern "C" int64_t hetero_cuda_read(const void *from, int64_t bytes) {
  return getCurrentDevice().readWord(from, bytes);
}

extern "C" void *hetero_cuda_constant(const void *data, int64_t bytes) {
  return getCurrentDevice().getConstant(data, bytes);
}

extern "C" void *hetero_cuda_alloc(uint64_t bytes) {
  return getCurrentDevice().allocateWorkspace(
      bytes > INT64_MAX ? INT64_MAX : static_cast<int64_t>(bytes));
}

extern "C" void hetero_cuda_free(void *memory) {
  getCurrentDevice().release(memory);
}
