//===- SilentCudaApi.cpp - A device that does nothing ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SilentCudaApi.h"

using namespace hetero::runtime;

namespace {
class SilentCudaApi : public CudaApi {
public:
  explicit SilentCudaApi(CudaApi &real) : real(real) {}

  MaybeError close() override { return std::nullopt; }
  std::string getName() const override { return real.getName(); }
  int getCapability() const override { return real.getCapability(); }

  Result<void *> allocate(int64_t bytes) override {
    return real.allocate(bytes);
  }
  void free(void *memory) override { real.free(memory); }
  Result<void *> allocateInOrder(int64_t bytes, CudaHandle stream) override {
    return real.allocateInOrder(bytes, stream);
  }
  void freeInOrder(void *memory, CudaHandle stream) override {
    real.freeInOrder(memory, stream);
  }
  Result<void *> allocateOnHost(int64_t bytes) override {
    return real.allocateOnHost(bytes);
  }
  void freeOnHost(void *memory) override { real.freeOnHost(memory); }
  MaybeError write(void *, const void *, int64_t, CudaHandle) override {
    return std::nullopt;
  }
  MaybeError read(void *, const void *, int64_t, CudaHandle) override {
    return std::nullopt;
  }
  MaybeError copy(void *, const void *, int64_t, CudaHandle) override {
    return std::nullopt;
  }
  MaybeError copyRows(void *, int64_t, const void *, int64_t, int64_t, int64_t,
                      CudaHandle) override {
    return std::nullopt;
  }

  Result<CudaHandle> loadModule(const HeteroCudaImage *images) override {
    return real.loadModule(images);
  }
  Result<CudaHandle> getKernel(CudaHandle module, const char *name) override {
    return real.getKernel(module, name);
  }
  MaybeError launch(CudaHandle, int64_t, int64_t, const int64_t *, int64_t,
                    CudaHandle) override {
    return std::nullopt;
  }
  MaybeError gemm(const CudaGemm &, const void *, const void *, void *,
                  CudaHandle) override {
    return std::nullopt;
  }
  MaybeError add(ElementType, const void *, void *, int64_t,
                 CudaHandle) override {
    return std::nullopt;
  }

  Result<CudaHandle> planFft(const CudaFft &fft, int64_t &workspace) override {
    return real.planFft(fft, workspace);
  }
  MaybeError runFft(CudaHandle, void *, void *, void *, CudaHandle) override {
    return std::nullopt;
  }
  Result<int64_t> getWorkspace(const CudaSolve &solve) override {
    return real.getWorkspace(solve);
  }
  MaybeError solve(const CudaSolve &, void *, int64_t, CudaHandle) override {
    return std::nullopt;
  }
  MaybeError transpose(LapackElement, int64_t, int64_t, const void *, void *,
                       bool, CudaHandle) override {
    return std::nullopt;
  }

  Result<CudaHandle> createStream() override { return real.createStream(); }
  Result<CudaHandle> record(CudaHandle, bool) override { return nothing; }
  MaybeError await(CudaHandle, CudaHandle) override { return std::nullopt; }
  void release(CudaHandle) override {}
  Result<double> getSeconds(CudaHandle, CudaHandle) override { return 0.0; }
  MaybeError waitFor(CudaHandle,
                     const std::function<MaybeError()> &getFailure) override {
    return getFailure();
  }
  MaybeError
  synchronize(const std::function<MaybeError()> &getFailure) override {
    return getFailure();
  }
  Result<const int32_t *> createCounters(int32_t number,
                                         int32_t most) override {
    return real.createCounters(number, most);
  }
  MaybeError setCounter(int32_t, int32_t, CudaHandle) override {
    return std::nullopt;
  }
  MaybeError check() override { return std::nullopt; }
  MaybeError beginGraph(CudaHandle) override { return std::nullopt; }
  Result<CudaHandle> endGraph(CudaHandle) override { return nothing; }
  MaybeError launchGraph(CudaHandle, CudaHandle) override {
    return std::nullopt;
  }
  void releaseGraph(CudaHandle) override {}

  Result<NcclId> makeNcclId() override { return real.makeNcclId(); }
  Result<CudaHandle>
  joinGroup(const NcclId &id, int64_t numMembers, int64_t self,
            const std::function<MaybeError()> &getFailure) override {
    return real.joinGroup(id, numMembers, self, getFailure);
  }
  MaybeError settle(CudaHandle, const std::function<MaybeError()> &) override {
    return std::nullopt;
  }
  MaybeError
  leaveGroups(const std::function<MaybeError()> &getFailure) override {
    return real.leaveGroups(getFailure);
  }
  void abortGroups() override { real.abortGroups(); }
  MaybeError beginGroup() override { return std::nullopt; }
  MaybeError endGroup() override { return std::nullopt; }
  MaybeError send(const void *, int64_t, ElementType, int64_t, CudaHandle,
                  CudaHandle) override {
    return std::nullopt;
  }
  MaybeError receive(void *, int64_t, ElementType, int64_t, CudaHandle,
                     CudaHandle) override {
    return std::nullopt;
  }
  MaybeError broadcast(const void *, void *, int64_t, ElementType, int64_t,
                       CudaHandle, CudaHandle) override {
    return std::nullopt;
  }
  MaybeError allReduce(const void *, void *, int64_t, ElementType, Reduction,
                       CudaHandle, CudaHandle) override {
    return std::nullopt;
  }
  MaybeError reduce(const void *, void *, int64_t, ElementType, Reduction,
                    int64_t, CudaHandle, CudaHandle) override {
    return std::nullopt;
  }
  MaybeError allGather(const void *, void *, int64_t, ElementType, CudaHandle,
                       CudaHandle) override {
    return std::nullopt;
  }
  MaybeError reduceScatter(const void *, void *, int64_t, ElementType,
                           Reduction, CudaHandle, CudaHandle) override {
    return std::nullopt;
  }

private:
  CudaApi &real;
  const CudaHandle nothing = 0;
};
} // namespace

std::unique_ptr<CudaApi> hetero::runtime::createSilentCudaApi(CudaApi &real) {
  return std::make_unique<SilentCudaApi>(real);
}
