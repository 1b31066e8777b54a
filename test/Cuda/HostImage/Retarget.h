//===- Retarget.h - Kernels of a GPU as functions of the host ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hetero-serialize-kernels{format=llvm} writes becomes code for this
// machine that does not pass through PTX: each kernel becomes a function that
// runs one thread, as those which are translated from PTX do (PtxThread.h).
//
//   define ptx_kernel void @loop_0(ptr %p) { %v = load float, ptr %p ... }
//   // becomes
//   define void @host_0(ptr %thread) {
//     %p = ...                 ; access() to the first parameter
//     %at = call ptr %access(ptr %thread, i32 0, i64 %p, i32 4, i32 0, i32 1)
//     %v = load float, ptr %at ...
//   }
//
// Special registers are read from the thread, barriers and shuffles are calls
// of the host, and instructions of NVPTX are calls of HostOperations.h.
//
// `hetero_manifest` says in words what the module has:
//
//   kernel loop_0 host_0 1     its name, its function, whether threads wait
//   parameter 0 8              of that kernel: where, and how many bytes
//   threads 256 1 1            the most of a block
//   shared 64 128              memory of a block that it uses
//   memory 192                 bytes of shared memory from address 0 on
//   line %v = load float ...   what the number of an access stands for

#ifndef HETERO_TEST_CUDA_HOSTIMAGE_RETARGET_H
#define HETERO_TEST_CUDA_HOSTIMAGE_RETARGET_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace hetero::standin {

/// The error names what is not known.
llvm::Error retarget(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace hetero::standin

#endif // HETERO_TEST_CUDA_HOSTIMAGE_RETARGET_H
