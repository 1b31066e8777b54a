//===- CudaDevice.cpp - A device with CUDA --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/CudaDevice.h"
#include "SilentCudaApi.h"
#include "Staging.h"
#include "hetero/Runtime/Trace.h"
#include "hetero/Support/Quantity.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>

using namespace hetero::runtime;

/// Steps that the host is ahead of the device: while one runs, the next one is
/// ready.
static constexpr size_t mostOpen = 2;
/// Further pieces of the arena are no smaller: cuMemAlloc takes 2 MiB at least.
static constexpr int64_t leastPiece = int64_t(2) << 20;
/// Addresses from here on are nobody's, and more than any device has memory.
static constexpr int64_t nowhere = int64_t(1) << 46;

Result<std::unique_ptr<CudaDevice>>
CudaDevice::create(std::string name, std::unique_ptr<CudaApi> api,
                   CudaDeviceOptions options) {
  Result<CudaHandle> stream = api->createStream();
  if (!stream)
    return Error{stream.error()};
  return std::unique_ptr<CudaDevice>(
      new CudaDevice(std::move(name), std::move(api), *stream, options));
}

CudaDevice::CudaDevice(std::string name, std::unique_ptr<CudaApi> theApi,
                       CudaHandle stream, CudaDeviceOptions options)
    : Device(std::move(name), options.cap), api(std::move(theApi)),
      stream(stream), options(options), arena(std::make_unique<Arena>()),
      staging(std::make_unique<Staging>(*api, stream)) {}

CudaDevice::~CudaDevice() { CudaDevice::close(); }

MaybeError CudaDevice::close() {
  // What the device does for groups that were not left would never end.
  api->abortGroups();
  for (const OpenStep &step : open)
    api->release(step.end);
  open.clear();
  releaseMarks();
  releaseAll();
  for (void *piece : pieces)
    api->free(piece);
  pieces.clear();
  staging.reset();
  return api->close();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void *CudaDevice::addPiece(int64_t bytes) {
  bytes = std::max(Arena::roundUp(bytes), leastPiece);
  Result<void *> piece = api->allocate(bytes);
  if (!piece) {
    noMore = "the device has no more: " + piece.error();
    return nullptr;
  }
  pieces.push_back(*piece);
  arena->add(*piece, bytes);
  return *piece;
}

void *CudaDevice::place(int64_t bytes) {
  if (options.memory == CudaMemory::Pool && !silent) {
    Result<void *> memory = api->allocateInOrder(Arena::roundUp(bytes), stream);
    if (memory)
      return *memory;
    noMore = "the device has no more: " + memory.error();
    return nullptr;
  }
  if (void *memory = arena->take(bytes))
    return memory;
  return addPiece(bytes) ? arena->take(bytes) : nullptr;
}

void CudaDevice::unplace(void *memory, int64_t bytes) {
  if (options.memory == CudaMemory::Pool && !silent)
    api->freeInOrder(memory, stream);
  else
    arena->give(memory, bytes);
}

void CudaDevice::placeAt(void *memory, int64_t bytes) {
  arena->takeAt(memory, bytes);
}

//===----------------------------------------------------------------------===//
// Rehearsals
//===----------------------------------------------------------------------===//

/// How much memory the step needs, with constants in front.
Result<int64_t>
CudaDevice::rehearseOnce(const std::function<MaybeError()> &step) {
  silent = createSilentCudaApi(*api);
  auto real = std::exchange(arena, std::make_unique<Arena>());
  arena->add(reinterpret_cast<void *>(nowhere), nowhere);
  for (const auto &[data, bytes] : rehearsedConstants)
    arena->take(bytes);
  MaybeError error = step();
  // What an error left behind has no memory.
  if (error)
    releaseAll();
  int64_t needed = arena->getReach();
  arena = std::move(real);
  silent.reset();
  if (error)
    return Error{*error};
  return needed;
}

MaybeError CudaDevice::rehearse(const std::function<MaybeError()> &step) {
  rehearsedConstants.clear();
  // The first one finds the constants, which lie in front of everything.
  Result<int64_t> needed = rehearseOnce(step);
  if (needed && !rehearsedConstants.empty())
    needed = rehearseOnce(step);
  if (!needed)
    return needed.error();
  if (options.memory == CudaMemory::Arena && *needed > 0 && !addPiece(*needed))
    return "device '" + getName() + "' has no room for a step, which needs " +
           writeQuantity(Dimension::Bytes, *needed) +
           " with the gaps between its blocks: " + whyNoMore();
  for (const auto &[data, bytes] : rehearsedConstants)
    getConstant(data, bytes);
  resetPeak();
  return takeError();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

MaybeError CudaDevice::synchronize() {
  MaybeError error = getApi().synchronize([this] { return getFailure(); });
  if (!error && !silent)
    staging->setPassed(staging->getPoint());
  return error;
}

MaybeError CudaDevice::endStep() {
  if (silent)
    return std::nullopt;
  Result<CudaHandle> end = api->record(stream);
  if (!end)
    return end.error();
  open.push_back({*end, staging->getPoint()});
  if (open.size() <= mostOpen)
    return std::nullopt;
  OpenStep first = open.front();
  open.erase(open.begin());
  MaybeError error = api->waitFor(first.end, [this] { return getFailure(); });
  api->release(first.end);
  if (!error)
    staging->setPassed(first.point);
  return error;
}

class CudaDevice::Graph : public Device::Recording {
public:
  Graph(CudaApi &api, CudaHandle handle) : api(api), handle(handle) {}
  ~Graph() override { api.releaseGraph(handle); }

  CudaApi &api;
  const CudaHandle handle;
};

bool CudaDevice::canRecord() const {
  return options.graphs && options.memory == CudaMemory::Arena && !hasRead &&
         !hasSolved && !silent;
}

MaybeError CudaDevice::beginRecording() {
  isRecording = true;
  return api->beginGraph(stream);
}

Result<std::unique_ptr<Device::Recording>> CudaDevice::endRecording() {
  isRecording = false;
  Result<CudaHandle> graph = api->endGraph(stream);
  if (!graph)
    return Error{graph.error()};
  return std::unique_ptr<Recording>(std::make_unique<Graph>(*api, *graph));
}

MaybeError CudaDevice::replay(Recording &recording) {
  return api->launchGraph(static_cast<Graph &>(recording).handle, stream);
}

//===----------------------------------------------------------------------===//
// Marks
//===----------------------------------------------------------------------===//

void CudaDevice::releaseMarks() {
  for (CudaHandle mark : marks)
    api->release(mark);
  marks.clear();
}

/// The device is idle when the first mark is made, so that the host knows when
/// that was.
MaybeError CudaDevice::beginMarks() {
  releaseMarks();
  if (MaybeError error = synchronize())
    return error;
  origin = getTraceTime();
  mark();
  return takeError();
}

int64_t CudaDevice::mark(CudaHandle inStream) {
  if (silent || hasFailed)
    return 0;
  Result<CudaHandle> event = api->record(inStream, /*isTimed=*/true);
  if (!event) {
    fail(event.error());
    return 0;
  }
  marks.push_back(*event);
  return marks.size() - 1;
}

int64_t CudaDevice::toTraceTime(int64_t mark) {
  if (mark >= int64_t(marks.size()))
    return origin;
  Result<double> seconds = api->getSeconds(marks[0], marks[mark]);
  if (!seconds)
    fail(seconds.error());
  return origin + (seconds ? int64_t(*seconds * 1e9) : 0);
}

//===----------------------------------------------------------------------===//
// What sessions ask for
//===----------------------------------------------------------------------===//

MaybeError CudaDevice::write(void *to, const void *from, int64_t bytes) {
  if (silent)
    return std::nullopt;
  return staging->write(to, from, bytes, [this] { return getFailure(); });
}

MaybeError CudaDevice::writeConstant(void *to, const void *from,
                                     int64_t bytes) {
  const void *there = bytes > 0 ? getConstant(from, bytes) : nullptr;
  return there ? copy(to, there, bytes) : takeError();
}

MaybeError CudaDevice::read(void *to, const void *from, int64_t bytes) {
  if (silent)
    return std::nullopt;
  return staging->read(to, from, bytes, [this] { return getFailure(); });
}

MaybeError CudaDevice::copy(void *to, const void *from, int64_t bytes) {
  return bytes > 0 ? getApi().copy(to, from, bytes, stream) : std::nullopt;
}

MaybeError CudaDevice::accumulate(Reduction reduction, ElementType type,
                                  const void *value, void *sum, int64_t count) {
  bool isFloat = type >= ElementType::F16;
  if (reduction != Reduction::Sum || !isFloat)
    return combine(reduction, type, value, sum, count, stream);
  return count > 0 ? getApi().add(type, value, sum, count, stream)
                   : std::nullopt;
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
  fail(getApi().launch(*function, numBlocks, blockSize, arguments, numArguments,
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
    fail(getApi().gemm(gemm, static_cast<const char *>(a) + offsetA,
                       static_cast<const char *>(b) + offsetB,
                       static_cast<char *>(c) + offsetC, stream));
    size_t d = loops.size();
    while (d > 0 && ++at[d - 1] == loops[d - 1].size)
      at[--d] = 0;
    if (d == 0)
      return;
  }
}

void *CudaDevice::allocateTemporary(uint64_t bytes) {
  Result<void *> memory = Error{""};
  if (!hasFailed)
    memory = allocate(bytes > INT64_MAX ? INT64_MAX : int64_t(bytes),
                      "temporary of a kernel");
  if (memory)
    return *memory;
  if (!hasFailed)
    fail(memory.error());
  // The host follows no address of the device, and nothing is launched now.
  return reinterpret_cast<void *>(nowhere);
}

void CudaDevice::copyWithin(void *to, const void *from, int64_t bytes) {
  if (!hasFailed)
    fail(copy(to, from, bytes));
}

int64_t CudaDevice::readWord(const void *from, int64_t bytes) {
  hasRead = true;
  if (silent) {
    // Bits that differ, so that loops end; small, so that cases are chosen.
    random = random * 6364136223846793005u + 1442695040888963407u;
    return (random >> 60) & (bytes == 1 ? 1 : 3);
  }
  int64_t word = 0;
  if (isRecording)
    fail("a step that reads from the device cannot be recorded");
  if (!hasFailed)
    fail(read(&word, from, bytes));
  return word;
}

void *CudaDevice::getConstant(const void *data, int64_t bytes) {
  if (silent) {
    auto known =
        std::find_if(rehearsedConstants.begin(), rehearsedConstants.end(),
                     [&](auto &entry) { return entry.first == data; });
    if (known == rehearsedConstants.end())
      rehearsedConstants.push_back({data, bytes});
    // Nobody follows it.
    return const_cast<void *>(data);
  }
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

extern "C" void hetero_cuda_fft(const int64_t *call) {
  getCurrentDevice().transform(call);
}

extern "C" void hetero_cuda_lapack(const int64_t *call) {
  getCurrentDevice().factorize(call);
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
  return getCurrentDevice().allocateTemporary(bytes);
}

extern "C" void hetero_cuda_free(void *memory) {
  getCurrentDevice().release(memory);
}
