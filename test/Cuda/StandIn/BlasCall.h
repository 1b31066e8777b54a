//===- BlasCall.h - What calls of cuBLAS have in common ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry point of cuBLAS has a handle, which works on the device that was
// current when it was made and in the stream that it was last given.

#ifndef HETERO_TEST_CUDA_STANDIN_BLASCALL_H
#define HETERO_TEST_CUDA_STANDIN_BLASCALL_H

#include "Calls.h"
#include <cublas_v2.h>

namespace hetero::standin {

struct BlasHandle {
  Device *device = nullptr;
  CUstream stream = nullptr;
};

class BlasCall : public Call {
public:
  BlasCall(const char *function, cublasHandle_t handle)
      : Call(function), handle(reinterpret_cast<BlasHandle *>(handle)) {}

  /// What it has to return at once; zero to go on.
  cublasStatus_t check() const;
  BlasHandle &getHandle() const { return *handle; }
  Stream &getStream() const {
    return engine.getStream(handle->stream, *handle->device, name);
  }

private:
  BlasHandle *handle;
};

/// A matrix that lies column by column, with columns `ld` elements apart.
struct ColumnMatrix {
  uint64_t address = 0;
  int64_t rows = 0, columns = 0, ld = 0, elementBytes = 0;

  /// Checks that all that is touched lives, and gives its place.
  char *reach(Memory &memory, bool reads, bool writes,
              const std::string &who) const {
    char *place = nullptr;
    for (int64_t column = 0; column < columns; ++column)
      for (bool isWrite : {false, true}) {
        if (isWrite ? !writes : !reads)
          continue;
        char *at = memory.access(address + column * ld * elementBytes,
                                 rows * elementBytes, isWrite, who.c_str());
        if (column == 0)
          place = at;
      }
    return place;
  }
};

template <typename T>
ColumnMatrix makeMatrix(const T *data, int64_t rows, int64_t columns,
                        int64_t ld) {
  return {reinterpret_cast<uint64_t>(data), rows, columns, ld, sizeof(T)};
}

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_STANDIN_BLASCALL_H
