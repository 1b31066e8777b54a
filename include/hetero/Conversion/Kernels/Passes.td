//===- Passes.td - From kernels to machine code ------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_CONVERSION_KERNELS_PASSES_TD
#define HETERO_CONVERSION_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def SetDestinationsPass
    : Pass<"hetero-set-destinations", "::mlir::func::FuncOp"> {
  let summary = "Makes a kernel write its results into given buffers";
  let description = [{
    The caller of a kernel owns its operands and results: each result becomes a
    buffer argument that the value is materialized in, and operands are marked
    as not writable. It is separate from bufferization, which then lets the
    producers write there at once.

    ```mlir
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> {
      ...
      return %r : tensor<4xf32>
    }
    // becomes
    func.func @k(%x: tensor<4xf32> {bufferization.writable = false}, %out: memref<4xf32>) {
      ...
      bufferization.materialize_in_destination %r in restrict writable %out
        : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
  let statistics = [
    Statistic<"numResults", "num-results", "Number of results">
  ];
}

def ReuseDestinationsPass
    : Pass<"hetero-reuse-destinations", "::mlir::ModuleOp"> {
  let summary = "Computes values where they are wanted";
  let description = [{
    A value that ends in the buffer of a result, or in a part of another value,
    is computed there from the start instead of in a temporary. It does what
    MLIR's eliminate-empty-tensors does, but for the buffer of a result only if
    nothing else would be computed in it: the write that completes the result
    comes last and is not seen by the analysis of tensors, which would let a
    second value, made of the same start in place, be read there after it.

    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    %r = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    bufferization.materialize_in_destination %r in restrict writable %out
      : (tensor<4xf32>, memref<4xf32>) -> ()
    // becomes
    %d = bufferization.to_tensor %out restrict writable
      : memref<4xf32> to tensor<4xf32>
    %r = linalg.exp ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>) -> tensor<4xf32>
    bufferization.materialize_in_destination %r in writable %out
      : (tensor<4xf32>, memref<4xf32>) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::tensor::TensorDialect"];
  let statistics = [
    Statistic<"numReused", "num-reused", "Number of temporaries that are gone">
  ];
}

def MergeLoopsPass : Pass<"hetero-merge-loops", "::mlir::func::FuncOp"> {
  let summary = "Makes one loop of those that read the same buffers";
  let description = [{
    Two loops over the same elements that have much in common, such as the
    updates of both moments of a parameter and of the parameter itself, become
    one with the results of both: what they share is read once, and what the
    second one needs of the first one is not read at all.

    The first loop moves to the second one. That is possible if nothing between
    them reads what it writes or writes what it reads, and if what one of them
    writes is touched by the other at the same element alone. It is done if a
    quarter of what the smaller one reads and writes is shared, if the new loop
    has at most 96 operations and 10 buffers, and if temporaries that are kept
    for longer do not add to the most that are in use at a time.

    Only loops in which every dimension is parallel are merged, before memory is
    planned: buffers are then allocations or arguments, and do not overlap.
    A buffer whose address is taken, or that is handed to a call or another
    block, is left alone with all its loops.

    ```mlir
    linalg.generic ... ins(%m, %g : ...) outs(%m1 : ...) { /* 0.9 m + 0.1 g */ }
    linalg.generic ... ins(%p, %m1 : ...) outs(%p1 : ...) { /* p - 0.01 m1 */ }
    // becomes
    linalg.generic ... ins(%m, %g, %p : ...) outs(%m1, %p1 : ...) { /* both */ }
    ```
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
  let statistics = [
    Statistic<"numMerged", "num-merged",
              "Number of loops that became part of another one">
  ];
}

def PlanMemoryPass : Pass<"hetero-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Puts the temporaries of a kernel in one block of memory";
  let description = [{
    Each temporary of static size that a kernel allocates becomes a view of one
    block. Those that are not in use at the same time share memory:
    a temporary is in use from its allocation to the last operation that reads
    or writes it. The largest ones get their place first, each the lowest that is
    free. One that is handed to an operation that nothing is known of stays as it
    is.

    The kernel then asks for memory once, and the device keeps the block from
    step to step. Temporaries of loops and branches, and those that are handed
    from one to the other, stay as they are. Where nothing is freed yet, the
    block is not either: who frees the rest frees it as well.

    A result is computed in the memory of an operand where `hetero.in_place` on
    the kernel has their numbers: hetero-lower-to-linalg has decided that, as the
    check of memory does. It has to be seen on the buffers that the operand is
    read before the result is written, or element by element by the operation
    that writes it; a pair of which that cannot be seen is refused. Who calls the
    kernel passes one buffer for the pairs that are left.

    ```mlir
    %a = memref.alloc() : memref<16xf32>
    linalg.generic ... ins(%x : ...) outs(%a : ...)
    %b = memref.alloc() : memref<16xf32>
    linalg.generic ... ins(%a : ...) outs(%b : ...)
    %c = memref.alloc() : memref<16xf32>
    linalg.generic ... ins(%b : ...) outs(%c : ...)
    // becomes
    %memory = memref.alloc() : memref<128xi8>
    %a = memref.view %memory[%c0][] : memref<128xi8> to memref<16xf32>
    linalg.generic ... ins(%x : ...) outs(%a : ...)
    %b = memref.view %memory[%c64][] : memref<128xi8> to memref<16xf32>
    linalg.generic ... ins(%a : ...) outs(%b : ...)
    %c = memref.view %memory[%c0][] : memref<128xi8> to memref<16xf32>
    linalg.generic ... ins(%b : ...) outs(%c : ...)
    memref.dealloc %memory : memref<128xi8>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
  let options = [
    Option<"temporaries", "temporaries", "bool", /*default=*/"true",
           "Put temporaries in one block">,
    Option<"results", "results", "bool", /*default=*/"true",
           "Let results take the memory of operands">
  ];
  let statistics = [
    Statistic<"numTemporaries", "num-temporaries", "Number of temporaries">,
    Statistic<"numBytes", "num-bytes", "Size of the blocks">,
    Statistic<"numBytesUnshared", "num-bytes-unshared",
              "Size of all temporaries">,
    Statistic<"numInPlace", "num-in-place",
              "Number of results in the memory of operands">,
    Statistic<"numRefused", "num-refused",
              "Number of results that were to be in the memory of operands">
  ];
}

def LowerContractionsPass
    : Pass<"hetero-lower-contractions", "::mlir::ModuleOp"> {
  let summary = "Calls the matrix library for contractions";
  let description = [{
    A linalg.generic with `hetero.contraction` on buffers of f32 or f64 whose
    strides are known becomes a `hetero.call_library` of `hetero_contract_f32` or
    `_f64` (hetero/Runtime/Contraction.h), with numbers that say how far each
    operand moves along each dimension of the loop nest. Transposed and strided operands
    and the windows of convolutions need no copies before that. It runs after
    bufferization, when strides are known. Others stay loops.

    ```mlir
    linalg.generic {indexing_maps = [...], hetero.contraction}
      ins(%a, %b : memref<4x8xf32>, memref<8x6xf32>) outs(%c : memref<4x6xf32>) {...}
    // becomes
    hetero.call_library @hetero_contract_f32
      [3, 1, 4, 8, 0, 6, 6, 0, 1, 1, 8, 1, 6, 0] accumulates
      reads %a, %b : memref<4x8xf32>, memref<8x6xf32> writes %c : memref<4x6xf32>
    ```
  }];
  let dependentDialects = ["::hetero::HeteroDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numCalls", "num-calls", "Number of calls">
  ];
}

def LowerLibraryCallsPass
    : Pass<"hetero-lower-library-calls", "::mlir::ModuleOp"> {
  let summary = "Takes the addresses that library calls need";
  let description = [{
    A `hetero.call_library` becomes a call of the function that it names, with
    addresses instead of buffers. It comes last of all passes that know buffers:
    whoever frees, moves or shares memory after it does not see what the calls
    use. Equal lists of numbers are kept once.

    ```mlir
    hetero.call_library @f [3, 1] reads %a : memref<4xf32> writes %c : memref<4xf32>
    // becomes
    memref.global "private" constant @numbers : memref<2xi64> = dense<[3, 1]>
    %pa = memref.extract_aligned_pointer_as_index %a : memref<4xf32> -> index
    %pc = memref.extract_aligned_pointer_as_index %c : memref<4xf32> -> index
    %n = memref.get_global @numbers : memref<2xi64>
    %pn = memref.extract_aligned_pointer_as_index %n : memref<2xi64> -> index
    call @f(%pa, %pc, %pn) : (index, index, index) -> ()
    ```
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect"];
  let statistics = [
    Statistic<"numCalls", "num-calls", "Number of calls">
  ];
}

def OutlineLoopsPass : Pass<"hetero-outline-loops", "::mlir::ModuleOp"> {
  let summary = "Makes loops functions, equal ones once";
  let description = [{
    LLVM takes much more than linear time for large functions, and the layers of
    a model repeat the same loops. Each linalg operation on whole buffers
    becomes a call of a function that holds it; operations that are equal but
    for the buffers share one.

    ```mlir
    linalg.generic ... ins(%a : memref<4xf32>) outs(%b : memref<4xf32>) {...}
    linalg.generic ... ins(%b : memref<4xf32>) outs(%c : memref<4xf32>) {...}
    // becomes
    call @loop_0(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
    call @loop_0(%b, %c) : (memref<4xf32>, memref<4xf32>) -> ()
    ```

    LLVM is told not to put the loops back, and not to optimize functions that
    only call others afterwards: they have thousands of calls, and nothing is to
    be gained there.

    With `device`, everything that reads or writes an element becomes such a
    function, single stores and loops over elements as well, because the host
    cannot; and views and scalars in memory are moved along, so that the host
    does not have to wait for them.
  }];
  let options = [
    Option<"device", "device", "bool", /*default=*/"false",
           "The buffers are in the memory of a device">
  ];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
  let statistics = [
    Statistic<"numCalls", "num-calls", "Number of loops that became calls">,
    Statistic<"numFunctions", "num-functions", "Number of distinct loops">
  ];
}

def ParallelizeLoopsPass
    : Pass<"hetero-parallelize-loops", "::mlir::ModuleOp"> {
  let summary = "Divides loops among threads";
  let description = [{
    Each function that `hetero-outline-loops` made and that has enough work is
    given the bounds of one of its loops as arguments, so that several threads
    can run a piece of it each. Pieces write different elements: the loop is
    over a parallel dimension that all results have, or one that is marked
    `hetero.parallel`. A reduction over rows is cut along its columns, so every
    sum is done by one thread and does not depend on their number. Dimensions
    that are neighbours in every operand are joined before.

    `hetero-wrap-kernels` then makes the calls go through the runtime's pool of
    threads.

    ```mlir
    func.func private @loop(%a: memref<256x512xf32>, %b: memref<256x512xf32>) {
      linalg.generic ... ins(%a : ...) outs(%b : ...) {...}
      return
    }
    call @loop(%x, %y) : (memref<256x512xf32>, memref<256x512xf32>) -> ()
    // becomes
    func.func private @loop(%begin: index, %end: index, %a: ..., %b: ...)
        attributes {hetero.pieces} {
      scf.for %i = %begin to %end step %c1 {...}
      return
    }
    call @loop(%c0, %c131072, %x, %y) : (index, index, ...) -> ()
    ```
  }];
  let options = [
    Option<"minWork", "min-work", "int64_t", /*default=*/"65536",
           "Operations on elements that a loop must have to be divided">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numCalls", "num-calls", "Number of calls that are divided">,
    Statistic<"numFunctions", "num-functions", "Number of loops that are">
  ];
}

def WrapKernelsPass : Pass<"hetero-wrap-kernels", "::mlir::ModuleOp"> {
  let summary = "Gives kernels their calling convention";
  let description = [{
    The last step before translation. Each function with `hetero.kernel` becomes
    private, and a function of its name reads its pointers from a list. Calls of
    the allocator that the conversion of memref leaves become calls of
    `hetero_workspace_alloc` and `hetero_workspace_free`. A function with
    `hetero.pieces` is called by `hetero_parallel_for`, a piece at a time.

    ```mlir
    llvm.func @k(%x: !llvm.ptr, %out: !llvm.ptr) attributes {hetero.kernel} {...}
    // becomes
    llvm.func private @k.impl(%x: !llvm.ptr, %out: !llvm.ptr) {...}
    llvm.func @k(%buffers: !llvm.ptr) {
      %x = llvm.load %buffers : !llvm.ptr -> !llvm.ptr
      %1 = llvm.getelementptr %buffers[1] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
      %out = llvm.load %1 : !llvm.ptr -> !llvm.ptr
      llvm.call @k.impl(%x, %out) : (!llvm.ptr, !llvm.ptr) -> ()
      llvm.return
    }
    ```
  }];
  let options = [
    Option<"device", "device", "bool", /*default=*/"false",
           "Allocate with hetero_cuda_alloc and hetero_cuda_free instead">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let statistics = [
    Statistic<"numKernels", "num-kernels", "Number of kernels">
  ];
}

def NameOperationsPass : Pass<"hetero-name-operations", "::mlir::ModuleOp"> {
  let summary = "Puts operations into their locations";
  let description = [{
    The first step for code that is to be profiled: the location of each
    operation also says what it is. All code that is made from it keeps the
    location, through fusion and outlining, and `hetero-insert-probes` reads it
    there. It is a pass of its own because it comes before everything else, and
    that one after.

    ```mlir
    %1 = stablehlo.tanh %0 : tensor<8x4xf32> loc("step.mlir":3:8)
    // becomes
    %1 = stablehlo.tanh %0 : tensor<8x4xf32> loc(fused<"tanh 8x4xf32">["step.mlir":3:8])
    ```
  }];
  let statistics = [
    Statistic<"numNamed", "num-named", "Number of operations named">
  ];
}

def InsertProbesPass : Pass<"hetero-insert-probes", "::mlir::ModuleOp"> {
  let summary = "Tells the runtime what kernels do and when";
  let description = [{
    In functions with `hetero.kernel`, puts every call of a loop or a library,
    and every copy, between calls of `hetero_probe_begin` and `hetero_probe_end`
    (hetero/Runtime/Hooks.h). The name that it gives to the former has what the
    operation is and, on a second line, where it comes from: JAX's name or the
    line of the text. For a loop these are the operations that it has code of.
    Without this pass kernels are not slowed down by anything.

    ```mlir
    llvm.call @loop(%x, %y) : (!llvm.ptr, !llvm.ptr) -> ()
    // becomes
    %name = llvm.mlir.addressof @probe : !llvm.ptr   // "multiply, tanh 8x4xf32" and "step.mlir:3"
    llvm.call @hetero_probe_begin(%name) : (!llvm.ptr) -> ()
    llvm.call @loop(%x, %y) : (!llvm.ptr, !llvm.ptr) -> ()
    llvm.call @hetero_probe_end() : () -> ()
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
  let statistics = [
    Statistic<"numProbes", "num-probes", "Number of pairs of calls added">
  ];
}

#endif // HETERO_CONVERSION_KERNELS_PASSES_TD
