//===- RecordingCudaApi.cpp - Calls of CUDA as lines of text --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Runtime/CudaApi.h"
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>

using namespace hetero::runtime;

namespace {
class RecordingCudaApi : public CudaApi {
public:
  explicit RecordingCudaApi(std::function<void(const std::string &)> write)
      : sink(std::move(write)) {}

  MaybeError close() override { return std::nullopt; }
  std::string getName() const override { return "recorded device"; }
  int getCapability() const override { return 80; }

  Result<void *> allocate(int64_t bytes) override;
  void free(void *memory) override;
  Result<void *> allocateInOrder(int64_t bytes, CudaHandle) override {
    return allocate(bytes);
  }
  void freeInOrder(void *memory, CudaHandle) override { free(memory); }
  Result<void *> allocateOnHost(int64_t bytes) override;
  void freeOnHost(void *memory) override;
  MaybeError write(void *to, const void *from, int64_t bytes,
                   CudaHandle stream) override;
  MaybeError read(void *to, const void *from, int64_t bytes,
                  CudaHandle stream) override;
  MaybeError copy(void *to, const void *from, int64_t bytes,
                  CudaHandle stream) override;
  MaybeError copyRows(void *to, int64_t toPitch, const void *from,
                      int64_t fromPitch, int64_t width, int64_t rows,
                      CudaHandle stream) override;

  Result<CudaHandle> loadModule(const HeteroCudaImage *images) override;
  Result<CudaHandle> getKernel(CudaHandle module, const char *name) override;
  MaybeError launch(CudaHandle kernel, int64_t numBlocks, int64_t blockSize,
                    const int64_t *arguments, int64_t numArguments,
                    CudaHandle stream) override;
  MaybeError gemm(const CudaGemm &gemm, const void *a, const void *b, void *c,
                  CudaHandle stream) override;
  MaybeError add(ElementType type, const void *value, void *sum, int64_t count,
                 CudaHandle stream) override;

  Result<CudaHandle> planFft(const CudaFft &fft, int64_t &workspace) override;
  MaybeError runFft(CudaHandle plan, void *from, void *to, void *workspace,
                    CudaHandle stream) override;
  Result<int64_t> getWorkspace(const CudaSolve &solve) override;
  MaybeError solve(const CudaSolve &solve, void *workspace, int64_t bytes,
                   CudaHandle stream) override;
  MaybeError transpose(LapackElement element, int64_t rows, int64_t columns,
                       const void *from, void *to, bool isConjugated,
                       CudaHandle stream) override;

  Result<CudaHandle> createStream() override;
  Result<CudaHandle> record(CudaHandle stream, bool isTimed) override;
  MaybeError await(CudaHandle stream, CudaHandle event) override;
  void release(CudaHandle event) override;
  Result<double> getSeconds(CudaHandle, CudaHandle) override { return 0.0; }
  MaybeError waitFor(CudaHandle event,
                     const std::function<MaybeError()> &getFailure) override;
  MaybeError
  synchronize(const std::function<MaybeError()> &getFailure) override;
  MaybeError check() override { return std::nullopt; }
  /// Not of the program: it only says how far the device has come.
  Result<const int32_t *> createCounters(int32_t number, int32_t) override {
    counters.assign(number, 0);
    return counters.data();
  }
  MaybeError setCounter(int32_t, int32_t, CudaHandle) override {
    return std::nullopt;
  }
  MaybeError beginGraph(CudaHandle stream) override;
  Result<CudaHandle> endGraph(CudaHandle stream) override;
  MaybeError launchGraph(CudaHandle graph, CudaHandle stream) override;
  void releaseGraph(CudaHandle graph) override;

  Result<NcclId> makeNcclId() override;
  Result<CudaHandle> joinGroup(const NcclId &id, int64_t numMembers,
                               int64_t self,
                               const std::function<MaybeError()> &) override;
  MaybeError settle(CudaHandle, const std::function<MaybeError()> &) override {
    return std::nullopt;
  }
  MaybeError leaveGroups(const std::function<MaybeError()> &) override {
    return line("leave groups");
  }
  void abortGroups() override {}
  MaybeError beginGroup() override { return line("group begin"); }
  MaybeError endGroup() override { return line("group end"); }
  MaybeError send(const void *data, int64_t count, ElementType type,
                  int64_t member, CudaHandle group, CudaHandle stream) override;
  MaybeError receive(void *data, int64_t count, ElementType type,
                     int64_t member, CudaHandle group,
                     CudaHandle stream) override;
  MaybeError broadcast(const void *from, void *to, int64_t count,
                       ElementType type, int64_t root, CudaHandle group,
                       CudaHandle stream) override;
  MaybeError allReduce(const void *from, void *to, int64_t count,
                       ElementType type, Reduction reduction, CudaHandle group,
                       CudaHandle stream) override;
  MaybeError reduce(const void *from, void *to, int64_t count, ElementType type,
                    Reduction reduction, int64_t root, CudaHandle group,
                    CudaHandle stream) override;
  MaybeError allGather(const void *from, void *to, int64_t count,
                       ElementType type, CudaHandle group,
                       CudaHandle stream) override;
  MaybeError reduceScatter(const void *from, void *to, int64_t count,
                           ElementType type, Reduction reduction,
                           CudaHandle group, CudaHandle stream) override;

private:
  template <typename... Parts>
  MaybeError line(const Parts &...parts) {
    std::ostringstream text;
    (text << ... << parts);
    sink(text.str());
    return std::nullopt;
  }
  /// "m3", or "m3+64" for an address inside of block 3, or "null".
  std::string nameOfMemory(const void *memory) const;
  std::string nameOfWord(int64_t word) const;

  struct Block {
    int64_t number, bytes;
  };
  std::function<void(const std::string &)> sink;
  std::map<uint64_t, Block> blocks;
  /// Addresses that nothing has.
  uint64_t nextAddress = uint64_t(1) << 46;
  int64_t numBlocks = 0;
  std::vector<int32_t> counters;
  CudaHandle numStreams = 0, numEvents = 0, numModules = 0, numGroups = 0,
             numGraphs = 0, numPlans = 0;
  std::vector<std::string> kernels;
};
} // namespace

static std::string on(CudaHandle stream) {
  return " on s" + std::to_string(stream);
}

std::string RecordingCudaApi::nameOfMemory(const void *memory) const {
  auto address = reinterpret_cast<uint64_t>(memory);
  auto after = blocks.upper_bound(address);
  if (after == blocks.begin())
    return memory ? "host" : "null";
  auto found = std::prev(after);
  uint64_t offset = address - found->first;
  if (offset > 0 && offset >= static_cast<uint64_t>(found->second.bytes))
    return "unknown";
  return "m" + std::to_string(found->second.number) +
         (offset ? "+" + std::to_string(offset) : "");
}

std::string RecordingCudaApi::nameOfWord(int64_t word) const {
  if (word < int64_t(1) << 46)
    return std::to_string(word);
  std::string name = nameOfMemory(reinterpret_cast<const void *>(word));
  return name == "unknown" ? std::to_string(word) : name;
}

Result<void *> RecordingCudaApi::allocate(int64_t bytes) {
  uint64_t address = nextAddress;
  nextAddress += (bytes + 4095) / 4096 * 4096;
  blocks[address] = {numBlocks++, bytes};
  void *memory = reinterpret_cast<void *>(address);
  line("allocate ", nameOfMemory(memory), " ", bytes);
  return memory;
}

void RecordingCudaApi::free(void *memory) {
  line("free ", nameOfMemory(memory));
  blocks.erase(reinterpret_cast<uint64_t>(memory));
}

Result<void *> RecordingCudaApi::allocateOnHost(int64_t bytes) {
  line("allocate on host ", bytes);
  return std::malloc(bytes);
}

void RecordingCudaApi::freeOnHost(void *memory) {
  line("free on host");
  std::free(memory);
}

MaybeError RecordingCudaApi::write(void *to, const void *, int64_t bytes,
                                   CudaHandle stream) {
  return line("write ", nameOfMemory(to), " ", bytes, on(stream));
}

MaybeError RecordingCudaApi::read(void *to, const void *from, int64_t bytes,
                                  CudaHandle stream) {
  std::memset(to, 0, bytes);
  return line("read ", nameOfMemory(from), " ", bytes, on(stream));
}

MaybeError RecordingCudaApi::copy(void *to, const void *from, int64_t bytes,
                                  CudaHandle stream) {
  return line("copy ", nameOfMemory(from), " to ", nameOfMemory(to), " ", bytes,
              on(stream));
}

MaybeError RecordingCudaApi::copyRows(void *to, int64_t toPitch,
                                      const void *from, int64_t fromPitch,
                                      int64_t width, int64_t rows,
                                      CudaHandle stream) {
  return line("copy rows ", nameOfMemory(from), " pitch ", fromPitch, " to ",
              nameOfMemory(to), " pitch ", toPitch, " ", rows, "x", width,
              on(stream));
}

Result<CudaHandle> RecordingCudaApi::loadModule(const HeteroCudaImage *images) {
  std::ostringstream text;
  for (const HeteroCudaImage *image = images; image && image->code; ++image)
    text << " sm_" << image->capability
         << (std::memcmp(image->code, "\177ELF", 4) == 0 ? " cubin" : " ptx");
  CudaHandle module = numModules++;
  line("load module", module, text.str());
  return module;
}

Result<CudaHandle> RecordingCudaApi::getKernel(CudaHandle module,
                                               const char *name) {
  kernels.emplace_back(name);
  return CudaHandle(kernels.size() - 1);
}

MaybeError RecordingCudaApi::launch(CudaHandle kernel, int64_t numBlocks,
                                    int64_t blockSize, const int64_t *arguments,
                                    int64_t numArguments, CudaHandle stream) {
  std::string list;
  for (int64_t i = 0; i < numArguments; ++i)
    list += (i ? ", " : "") + nameOfWord(arguments[i]);
  return line("launch ", kernels[kernel], " <", numBlocks, ", ", blockSize,
              ">(", list, ")", on(stream));
}

MaybeError RecordingCudaApi::gemm(const CudaGemm &gemm, const void *a,
                                  const void *b, void *c, CudaHandle stream) {
  auto steps = [](const CudaGemm::Steps &s) {
    return "[" + std::to_string(s.batch) + ", " + std::to_string(s.row) + ", " +
           std::to_string(s.column) + "]";
  };
  return line("gemm ", nameOf(gemm.type), " to ", nameOf(gemm.resultType), " ",
              gemm.batch, " x ", gemm.m, "x", gemm.n, "x", gemm.k, " ",
              nameOfMemory(a), steps(gemm.a), " ", nameOfMemory(b),
              steps(gemm.b), gemm.accumulate ? " += " : " = ", nameOfMemory(c),
              steps(gemm.c), on(stream));
}

MaybeError RecordingCudaApi::add(ElementType type, const void *value, void *sum,
                                 int64_t count, CudaHandle stream) {
  return line("add ", nameOfMemory(value), " to ", nameOfMemory(sum), " ",
              count, " ", nameOf(type), on(stream));
}

/// As much workspace as shows in a log.
static constexpr int64_t someWorkspace = 1000;

Result<CudaHandle> RecordingCudaApi::planFft(const CudaFft &fft,
                                             int64_t &workspace) {
  std::string lengths;
  for (int64_t length : fft.lengths)
    lengths += (lengths.empty() ? "" : "x") + std::to_string(length);
  const char *const kinds[] = {"fft", "ifft", "rfft", "irfft"};
  workspace = someWorkspace;
  line("plan ", numPlans, " ", kinds[fft.kind],
       fft.isDouble ? " f64 " : " f32 ", fft.batch, " x ", lengths);
  return numPlans++;
}

MaybeError RecordingCudaApi::runFft(CudaHandle plan, void *from, void *to,
                                    void *workspace, CudaHandle stream) {
  return line("run plan ", plan, " ", nameOfMemory(from), " to ",
              nameOfMemory(to), " with ", nameOfMemory(workspace), on(stream));
}

static const char *nameOf(LapackElement element) {
  const char *const names[] = {"f32", "f64", "complex<f32>", "complex<f64>"};
  return names[element];
}

Result<int64_t> RecordingCudaApi::getWorkspace(const CudaSolve &solve) {
  return solve.routine == kTrsm ? 0 : someWorkspace;
}

MaybeError RecordingCudaApi::solve(const CudaSolve &solve, void *workspace,
                                   int64_t, CudaHandle stream) {
  const char *const names[] = {"potrf", "trsm",  "getrf", "geqrf", "geqp3",
                               "orgqr", "ormqr", "syevd", "gesdd", "gesvd",
                               "geev",  "gees",  "gehrd", "sytrd", "gtsv"};
  std::string list;
  for (void *buffer : solve.buffers)
    if (buffer)
      list += " " + nameOfMemory(buffer);
  for (int64_t option : solve.options)
    if (option)
      list += std::string(" ") + char(option);
  return line(names[solve.routine], " ", nameOf(solve.element), " ", solve.m,
              "x", solve.n, list, " with ", nameOfMemory(workspace),
              on(stream));
}

MaybeError RecordingCudaApi::transpose(LapackElement element, int64_t rows,
                                       int64_t columns, const void *from,
                                       void *to, bool isConjugated,
                                       CudaHandle stream) {
  return line("transpose ", nameOf(element), " ", rows, "x", columns, " ",
              nameOfMemory(from), " to ", nameOfMemory(to),
              isConjugated ? " conjugated" : "", on(stream));
}

Result<CudaHandle> RecordingCudaApi::createStream() {
  line("stream s", numStreams);
  return numStreams++;
}

Result<CudaHandle> RecordingCudaApi::record(CudaHandle stream, bool isTimed) {
  line("record e", numEvents, isTimed ? " timed" : "", on(stream));
  return numEvents++;
}

MaybeError RecordingCudaApi::await(CudaHandle stream, CudaHandle event) {
  return line("await e", event, on(stream));
}

void RecordingCudaApi::release(CudaHandle event) { line("release e", event); }

MaybeError
RecordingCudaApi::waitFor(CudaHandle event,
                          const std::function<MaybeError()> &getFailure) {
  line("wait for e", event);
  return getFailure();
}

MaybeError
RecordingCudaApi::synchronize(const std::function<MaybeError()> &getFailure) {
  line("synchronize");
  return getFailure();
}

MaybeError RecordingCudaApi::beginGraph(CudaHandle stream) {
  return line("begin graph", on(stream));
}

Result<CudaHandle> RecordingCudaApi::endGraph(CudaHandle stream) {
  line("end graph", numGraphs, on(stream));
  return numGraphs++;
}

MaybeError RecordingCudaApi::launchGraph(CudaHandle graph, CudaHandle stream) {
  return line("launch graph", graph, on(stream));
}

void RecordingCudaApi::releaseGraph(CudaHandle graph) {
  line("release graph", graph);
}

Result<NcclId> RecordingCudaApi::makeNcclId() {
  line("nccl id");
  return NcclId{};
}

Result<CudaHandle>
RecordingCudaApi::joinGroup(const NcclId &, int64_t numMembers, int64_t self,
                            const std::function<MaybeError()> &) {
  line("join g", numGroups, " as ", self, " of ", numMembers);
  return numGroups++;
}

static std::string in(CudaHandle group) {
  return " in g" + std::to_string(group);
}

MaybeError RecordingCudaApi::send(const void *data, int64_t count,
                                  ElementType type, int64_t member,
                                  CudaHandle group, CudaHandle stream) {
  return line("send ", nameOfMemory(data), " ", count, " ", nameOf(type),
              " to ", member, in(group), on(stream));
}

MaybeError RecordingCudaApi::receive(void *data, int64_t count,
                                     ElementType type, int64_t member,
                                     CudaHandle group, CudaHandle stream) {
  return line("receive ", nameOfMemory(data), " ", count, " ", nameOf(type),
              " from ", member, in(group), on(stream));
}

MaybeError RecordingCudaApi::broadcast(const void *from, void *to,
                                       int64_t count, ElementType type,
                                       int64_t root, CudaHandle group,
                                       CudaHandle stream) {
  return line("broadcast ", nameOfMemory(from), " to ", nameOfMemory(to), " ",
              count, " ", nameOf(type), " from ", root, in(group), on(stream));
}

MaybeError RecordingCudaApi::allReduce(const void *from, void *to,
                                       int64_t count, ElementType type,
                                       Reduction reduction, CudaHandle group,
                                       CudaHandle stream) {
  return line("all_reduce ", nameOf(reduction), " ", nameOfMemory(from), " to ",
              nameOfMemory(to), " ", count, " ", nameOf(type), in(group),
              on(stream));
}

MaybeError RecordingCudaApi::reduce(const void *from, void *to, int64_t count,
                                    ElementType type, Reduction reduction,
                                    int64_t root, CudaHandle group,
                                    CudaHandle stream) {
  return line("reduce ", nameOf(reduction), " ", nameOfMemory(from), " to ",
              nameOfMemory(to), " ", count, " ", nameOf(type), " at ", root,
              in(group), on(stream));
}

MaybeError RecordingCudaApi::allGather(const void *from, void *to,
                                       int64_t count, ElementType type,
                                       CudaHandle group, CudaHandle stream) {
  return line("all_gather ", nameOfMemory(from), " to ", nameOfMemory(to), " ",
              count, " ", nameOf(type), in(group), on(stream));
}

MaybeError RecordingCudaApi::reduceScatter(const void *from, void *to,
                                           int64_t count, ElementType type,
                                           Reduction reduction,
                                           CudaHandle group,
                                           CudaHandle stream) {
  return line("reduce_scatter ", nameOf(reduction), " ", nameOfMemory(from),
              " to ", nameOfMemory(to), " ", count, " ", nameOf(type),
              in(group), on(stream));
}

std::unique_ptr<CudaApi> hetero::runtime::createRecordingCudaApi(
    std::function<void(const std::string &)> write) {
  return std::make_unique<RecordingCudaApi>(std::move(write));
}
