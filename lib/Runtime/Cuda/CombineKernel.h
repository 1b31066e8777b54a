//===- CombineKernel.h - Reductions that no library has ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuBLAS adds floats, and NCCL reduces some types by some operations. What both
// lack is done by a kernel that is written here as PTX, which every driver
// compiles for its device: a program's own images need not have it.

#ifndef HETERO_LIB_RUNTIME_CUDA_COMBINEKERNEL_H
#define HETERO_LIB_RUNTIME_CUDA_COMBINEKERNEL_H

#include "hetero/Runtime/Program.h"

namespace hetero::runtime {

/// The kernel `combine` of (value, sum, count): sum[i] := sum[i] op value[i],
/// by threads of a number for each element, as hetero/Runtime/Elements.h
/// defines it. Not for sums of floats and complex numbers.
std::string writeCombineKernel(Reduction reduction, ElementType type);

} // namespace hetero::runtime

#endif // HETERO_LIB_RUNTIME_CUDA_COMBINEKERNEL_H
