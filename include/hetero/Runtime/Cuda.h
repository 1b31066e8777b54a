//===- Cuda.h - What host code of CUDA kernels calls ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface between the code that `hetero-cuda-pipeline` makes and the
// runtime, the counterpart of hetero/Runtime/Hooks.h. Host code knows neither
// device nor stream: the thread that calls it has a current CudaDevice
// (hetero/Runtime/CudaDevice.h), and everything goes to its stream, in order.
// Nothing but `hetero_cuda_read` waits, and some of `hetero_cuda_lapack`.
//
// There is nobody to return an error to: the first one is kept, later calls do
// nothing, and the step stops with it when the kernel has returned. On a thread
// without a device the process ends with a message.

#ifndef HETERO_RUNTIME_CUDA_H
#define HETERO_RUNTIME_CUDA_H

#include <cstdint>

extern "C" {

/// The same kernels for one architecture, as a cubin or as PTX that ends with a
/// zero. Lists of them end with an entry without code.
struct HeteroCudaImage {
  int64_t capability; ///< 80 for sm_80.
  int64_t size;
  const void *code;
};

/// Launches a kernel of the image that fits the device. Each argument is in the
/// low bytes of its word: an address of the device, an integer or a float.
void hetero_cuda_launch(const HeteroCudaImage *images, const char *kernel,
                        int64_t numBlocks, int64_t blockSize,
                        const int64_t *arguments, int64_t numArguments);

/// c = a b, or c += a b, for batches of matrices and in loops around them. All
/// steps are in elements. The table is
///
///   {type of a and b, type of c,     ElementType of hetero/Runtime/Program.h
///    accumulate,                     0: write c, 1: add to it
///    batch, m, n, k,
///    steps of a: batch, m, k,
///    steps of b: batch, k, n,
///    steps of c: batch, m, n,
///    number of loops,
///    for each loop: size, steps of a, b, c}
///
/// A loop that does not move c adds up. A worked example, a: 4x8, b: 8x6:
///
///   {11, 11, 0,  1, 4, 6, 8,  0, 8, 1,  0, 6, 1,  0, 6, 1,  0}
void hetero_cuda_gemm(const void *a, const void *b, void *c,
                      const int64_t *table);

/// As hetero_fft (hetero/Runtime/Fft.h) on memory of the device, but inverse
/// transforms are not divided by the number of elements.
void hetero_cuda_fft(const int64_t *call);

/// As hetero_lapack (hetero/Runtime/Lapack.h) on memory of the device, but
/// `info` of kPotrf is never left out. It waits for routines that cuSOLVER does
/// not have.
void hetero_cuda_lapack(const int64_t *call);

/// Copies within the device.
void hetero_cuda_copy(void *to, const void *from, int64_t bytes);

/// The value of at most 8 bytes in the memory of the device, in the low bytes.
/// It waits for everything before it.
int64_t hetero_cuda_read(const void *from, int64_t bytes);

/// Where a constant of the host code lies on the device. It is copied there
/// when it is first asked for.
void *hetero_cuda_constant(const void *data, int64_t bytes);

/// Memory for a temporary, as hetero_workspace_alloc. What is given back is
/// reused by later work of the stream.
void *hetero_cuda_alloc(uint64_t bytes);
void hetero_cuda_free(void *memory);

} // extern "C"

#endif // HETERO_RUNTIME_CUDA_H
