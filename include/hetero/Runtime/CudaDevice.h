//===- CudaDevice.h - A device with CUDA ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU as a device of the executor. What a session does in order, it enters
// into one stream in that order, and the host goes on: while the device runs
// one step the next one is entered. Memory that is given back can be reused at
// once, because whoever gets it comes later in the stream.
//
//   Result<std::unique_ptr<CudaApi>> api = createCudaApi(0);
//   auto device = CudaDevice::create("a100 0", std::move(*api), options);
//   Session::create(program, kernels, **device, communicator);
//
// Kernels are the functions that `hetero-cuda-pipeline` makes; they find the
// device as the current one of their thread (hetero/Runtime/Cuda.h).
//
// Before the first step
// ---------------------
// A session rehearses its step when it is created: all of its host code runs,
// and nothing reaches the device. That loads the modules, looks up the kernels,
// and shows how much memory a step needs with the gaps between its blocks. One
// piece of that size is allocated then, with the constants of the kernels in
// it, and an Arena places all blocks there: a step allocates nothing. What does
// not fit after all (another order of arguments, say) gets a further piece.
//
// Steps that repeat
// -----------------
// Blocks lie where they did in an earlier step when that began from the same
// layout, so the device can be given the same work as one graph. The session
// decides when (Device::beginRecording). A step whose host code reads a value
// of the device, to know how often a loop runs, cannot be recorded, and neither
// can one that calls cuSOLVER.

#ifndef HETERO_RUNTIME_CUDADEVICE_H
#define HETERO_RUNTIME_CUDADEVICE_H

#include "hetero/Runtime/Arena.h"
#include "hetero/Runtime/CudaApi.h"
#include "hetero/Runtime/Device.h"

namespace hetero::runtime {

/// Where blocks come from.
enum class CudaMemory {
  /// One piece, see above.
  Arena,
  /// The device's pool, each by itself: tools that watch memory see it.
  Pool
};

struct CudaDeviceOptions {
  std::optional<int64_t> cap;
  CudaMemory memory = CudaMemory::Arena;
  /// Steps that repeat become graphs; not with a pool.
  bool graphs = true;
};

class Staging;

class CudaDevice : public Device {
public:
  static Result<std::unique_ptr<CudaDevice>>
  create(std::string name, std::unique_ptr<CudaApi> api,
         CudaDeviceOptions options = {});
  ~CudaDevice() override;

  /// In a rehearsal, one that does nothing.
  CudaApi &getApi() { return silent ? *silent : *api; }
  /// Where everything but communication goes.
  CudaHandle getStream() const { return stream; }

  MaybeError write(void *to, const void *from, int64_t bytes) override;
  MaybeError writeConstant(void *to, const void *from, int64_t bytes) override;
  MaybeError read(void *to, const void *from, int64_t bytes) override;
  MaybeError copy(void *to, const void *from, int64_t bytes) override;
  MaybeError accumulate(Reduction reduction, ElementType type,
                        const void *value, void *sum, int64_t count) override;
  /// The same in a stream, by a kernel of the runtime, which is loaded when it
  /// is first asked for. Not for sums of floats and complex numbers.
  MaybeError combine(Reduction reduction, ElementType type, const void *value,
                     void *sum, int64_t count, CudaHandle inStream);
  MaybeError synchronize() override;
  MaybeError endStep() override;
  MaybeError check() override { return getApi().check(); }
  MaybeError close() override;
  MaybeError rehearse(const std::function<MaybeError()> &step) override;
  bool canRecord() const override;
  MaybeError beginRecording() override;
  Result<std::unique_ptr<Recording>> endRecording() override;
  MaybeError replay(Recording &recording) override;
  MaybeError beginMarks() override;
  int64_t mark() override { return mark(stream); }
  int64_t mark(CudaHandle inStream);
  /// Whether marks were begun.
  bool hasMarks() const { return !marks.empty(); }
  int64_t toTraceTime(int64_t mark) override;
  bool isHost() const override { return false; }
  CudaDevice *asCuda() override { return this; }

  //===--------------------------------------------------------------------===//
  // What hetero/Runtime/Cuda.h does on the current device. Errors are kept for
  // `takeError`.
  //===--------------------------------------------------------------------===//

  /// After an error an address that nothing has.
  void *allocateTemporary(uint64_t bytes);
  void launch(const HeteroCudaImage *images, const char *kernel,
              int64_t numBlocks, int64_t blockSize, const int64_t *arguments,
              int64_t numArguments);
  void contract(const void *a, const void *b, void *c, const int64_t *table);
  void transform(const int64_t *call);
  void factorize(const int64_t *call);
  void copyWithin(void *to, const void *from, int64_t bytes);
  int64_t readWord(const void *from, int64_t bytes);
  void *getConstant(const void *data, int64_t bytes);

protected:
  void *place(int64_t bytes) override;
  void unplace(void *memory, int64_t bytes) override;
  void placeAt(void *memory, int64_t bytes) override;
  std::string whyNoMore() const override { return noMore; }

private:
  class Graph;

  CudaDevice(std::string name, std::unique_ptr<CudaApi> api, CudaHandle stream,
             CudaDeviceOptions options);

  /// Keeps the first error; whether there is one.
  bool fail(MaybeError error);
  Result<CudaHandle> getKernel(const HeteroCudaImage *images,
                               const char *kernel);
  /// What cuSOLVER does not have.
  MaybeError factorizeOnHost(const int64_t *call);
  /// A further piece for the arena; null if there is no more.
  void *addPiece(int64_t bytes);
  Result<int64_t> rehearseOnce(const std::function<MaybeError()> &step);
  void releaseMarks();

  std::unique_ptr<CudaApi> api;
  /// During a rehearsal.
  std::unique_ptr<CudaApi> silent;
  const CudaHandle stream;
  const CudaDeviceOptions options;
  bool hasFailed = false;
  /// Whether host code has read from the device, and whether a recording is
  /// under way.
  bool hasRead = false, isRecording = false;
  /// Whether host code has called cuSOLVER, which may wait for the device.
  bool hasSolved = false;
  /// What host code reads in a rehearsal.
  uint64_t random = 1;

  std::unique_ptr<Arena> arena;
  std::vector<void *> pieces;
  std::string noMore = "the device has no more";
  std::unique_ptr<Staging> staging;
  /// Steps that the device has not ended, with what the staging had entered.
  struct OpenStep {
    CudaHandle end;
    int64_t point;
  };
  std::vector<OpenStep> open;
  /// The first is the one that `beginMarks` made, at `origin` in trace time.
  std::vector<CudaHandle> marks;
  int64_t origin = 0;

  /// By address: they are globals of the host code.
  std::map<const void *, CudaHandle> modules;
  std::map<std::pair<const void *, const void *>, CudaHandle> kernels;
  std::map<const void *, void *> constants;
  /// The kernels of `combine`, as lists of one image.
  struct Combination {
    std::string text;
    HeteroCudaImage images[2] = {};
  };
  std::map<std::pair<Reduction, ElementType>, std::unique_ptr<Combination>>
      combinations;
  /// What a rehearsal asked for, with the sizes.
  std::vector<std::pair<const void *, int64_t>> rehearsedConstants;
};

} // namespace hetero::runtime

#endif // HETERO_RUNTIME_CUDADEVICE_H
