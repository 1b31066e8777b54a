//===- HeteroKernelOps.td - Within kernels -----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels are made of between StableHLO and the LLVM dialect that MLIR has
// no operation for.

#ifndef HETERO_DIALECT_HETERO_HETEROKERNELOPS_TD
#define HETERO_DIALECT_HETERO_HETEROKERNELOPS_TD

include "hetero/Dialect/Hetero/HeteroOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Hetero_CallLibraryOp : Hetero_Op<"call_library",
    [AttrSizedOperandSegments,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "calls a function of the runtime on buffers";
  let description = [{
    Calls `callee`, a function of the runtime with C linkage, with buffers and
    numbers. The buffers that it reads and those that it writes are operands, so
    that every pass sees when their memory is in use: an address that is taken
    of a buffer hides that, and memory is then freed, shared or moved too early.
    `hetero-lower-library-calls`, the last pass that sees buffers, takes the
    addresses. `accumulates` says that it reads what it writes as well.

    There are two conventions. The function takes the address of each buffer and
    then that of the numbers; with `in_list`, it takes the address of one list
    of the numbers and, behind them, the addresses. An address is that of the
    first element of the buffer.

    Constraints:
    - (call_library_c1) The layout of each buffer is strided.
    - (call_library_c2) The elements of each buffer have a size.

    ```mlir
    // c = a b, see hetero/Runtime/Cuda.h
    func.func @product(%a: memref<4x8xf32>, %b: memref<8x6xf32>,
                       %c: memref<4x6xf32>) {
      hetero.call_library @hetero_cuda_gemm
          [11, 11, 0, 1, 4, 6, 8, 0, 8, 1, 0, 6, 1, 0, 6, 1, 0]
          reads %a, %b : memref<4x8xf32>, memref<8x6xf32>
          writes %c : memref<4x6xf32>
      return
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, DenseI64ArrayAttr:$numbers,
                       Variadic<AnyMemRef>:$reads, Variadic<AnyMemRef>:$writes,
                       UnitAttr:$accumulates, UnitAttr:$inList);
  let assemblyFormat = [{
    $callee $numbers (`accumulates` $accumulates^)? (`in_list` $inList^)?
    (`reads` $reads^ `:` type($reads))? (`writes` $writes^ `:` type($writes))?
    attr-dict
  }];
  let hasVerifier = 1;
}

#endif // HETERO_DIALECT_HETERO_HETEROKERNELOPS_TD
