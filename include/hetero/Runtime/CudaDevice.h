//===- CudaDevice.h - A device with CUDA ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU as a device of the executor. What a session does in order, it enters
// into one stream in that order, and nothing waits before the end of the step:
// memory that is given back can be reused at once, because whoever gets it
// comes later in the stream.
//
//   Result<std::unique_ptr<CudaApi>> api = createCudaApi(0);
//   auto device = CudaDevice::create("a100 0", std::move(*api), cap);
//   Session::create(program, kernels, **device, communicator);
//
// Kernels are the functions that `hetero-cuda-pipeline` makes; they find the
// device as the current one of their thread (hetero/Runtime/Cuda.h).

#ifndef HETERO_RUNTIME_CUDADEVICE_H
#define HETERO_RUNTIME_CUDADEVICE_H

#include "hetero/Runtime/CudaApi.h"
#include "hetero/Runtime/Device.h"

namespace hetero::runtime {

class CudaDevice : public Device {
public:
  static Result<std::unique_ptr<CudaDevice>>
  create(std::string name, std::unique_ptr<CudaApi> api,
         std::optional<int64_t> cap = std::nullopt);
  ~CudaDevice() override;

  CudaApi &getApi() { return *api; }
  /// Where everything but communication goes.
  CudaHandle getStream() const { return stream; }

  MaybeError write(void *to, const void *from, int64_t bytes) override;
  MaybeError read(void *to, const void *from, int64_t bytes) override;
  MaybeError copy(void *to, const void *from, int64_t bytes) override;
  MaybeError accumulate(Reduction reduction, ElementType type,
                        const void *value, void *sum, int64_t count) override;
  MaybeError
  synchronize(const std::function<MaybeError()> &getFailure) override;
  bool isHost() const override { return false; }
  CudaDevice *asCuda() override { return this; }

  //===--------------------------------------------------------------------===//
  // What hetero/Runtime/Cuda.h does on the current device. Errors are kept for
  // `takeError`.
  //===--------------------------------------------------------------------===//

  void launch(const HeteroCudaImage *images, const char *kernel,
              int64_t numBlocks, int64_t blockSize, const int64_t *arguments,
              int64_t numArguments);
  void contract(const void *a, const void *b, void *c, const int64_t *table);
  void copyWithin(void *to, const void *from, int64_t bytes);
  int64_t readWord(const void *from, int64_t bytes);
  void *getConstant(const void *data, int64_t bytes);

protected:
  void *takeFromSystem(int64_t bytes) override;
  void giveToSystem(void *memory) override;

private:
  CudaDevice(std::string name, std::unique_ptr<CudaApi> api, CudaHandle stream,
             std::optional<int64_t> cap);

  /// Keeps the first error; whether there is one.
  bool fail(MaybeError error);
  Result<CudaHandle> getKernel(const HeteroCudaImage *images,
                               const char *kernel);

  std::unique_ptr<CudaApi> api;
  const CudaHandle stream;
  bool hasFailed = false;
  /// By address: they are globals of the host code.
  std::map<const void *, CudaHandle> modules;
  std::map<std::pair<const void *, const void *>, CudaHandle> kernels;
  std::map<const void *, void *> constants;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_CUDADEVICE_H
