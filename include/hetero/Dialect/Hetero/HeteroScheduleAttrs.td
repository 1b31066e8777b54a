//===- HeteroScheduleAttrs.td - Instructions and programs --*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_DIALECT_HETERO_HETEROSCHEDULEATTRS_TD
#define HETERO_DIALECT_HETERO_HETEROSCHEDULEATTRS_TD

include "hetero/Dialect/Hetero/HeteroEnums.td"

def Hetero_InstructionAttr : Hetero_Attr<"Instruction", "instruction"> {
  let summary = "one thing that a stage does in a step";
  let description = [{
    | instruction | does |
    |---|---|
    | `forward M` | computes microbatch M |
    | `recompute M` | computes it again, for the backward |
    | `backward M` | all gradients of microbatch M |
    | `input_gradient M`, `weight_gradient M` | the two halves of it |
    | `prepare` | computes what no microbatch changes, before a sweep |
    | `update` | applies the optimizer |
    | `gather` | makes divided parameters whole |
    | `reduce` | combines the gradients of the devices |
    | `send_activation M to S`, `recv_activation M from S` | microbatch M between stages |
    | `send_gradient M to S`, `recv_gradient M from S` | its gradient |

    `chunk C` is one of several runs of layers that the stage has. `sweep W`
    numbers the passes over all microbatches when the step needs more than one,
    because samples depend on each other. Both are 0 when they are not written.

    In a `hetero.stage_schedule` the list of instructions is the order of work.
    As `hetero.instruction` on an operation of a rank program it says which
    instruction the operation carries out.

    Constraints:
    - (instruction_c1) `prepare` and `update` name no microbatch; `gather` and `reduce` may;
      all others do.
    - (instruction_c2) Sends and receives name the other stage; no other
      instruction does.
    - (instruction_c3) No number is negative.

    ```mlir
    module attributes {example.order = [#hetero.instruction<forward 3>,
                                        #hetero.instruction<send_activation 3 to 1>,
                                        #hetero.instruction<backward 3 chunk 1>,
                                        #hetero.instruction<update>]} {}
    ```
  }];
  let parameters = (ins "InstructionKind":$kind,
                        "std::optional<int64_t>":$microbatch,
                        "std::optional<int64_t>":$peer,
                        "int64_t":$chunk, "int64_t":$sweep);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isSend() const;
    bool isRecv() const;
    /// Whether this works on its own devices: neither communication between
    /// stages nor inside of one.
    bool isCompute() const;
  }];
}

def Hetero_ProgramAttr : Hetero_Attr<"Program", "program"> {
  let summary = "which ranks run a function, and as what";
  let description = [{
    Attached as `hetero.program` to functions made by partitioning.

    - `<on [2]>`: the program of rank 2 for a whole step. Ranks whose programs
      are the same may share it.
    - `<stage 0 forward on [0, 1]>`: what ranks 0 and 1 call to carry out
      instructions of that kind for stage 0, with `chunk` and `sweep` as in
      `#hetero.instruction`. Ranks with other shapes have a function of their
      own for the same instruction.

    Inside such a function the communication operations know their rank, so
    their local sizes are checked exactly.

    Constraints:
    - (program_c1) There is at least one rank, none is negative, none is listed
      twice.
    - (program_c2) Stage, chunk and sweep are not negative.
    - (program_c3) The kind is one that computes.
    - (program_c4) `hetero.program` is on a function.

    ```mlir
    func.func private @stage0_forward(tensor<13x4xf32>) -> tensor<13x4xf32>
        attributes {hetero.program = #hetero.program<stage 0 forward on [0]>}
    func.func private @rank0(tensor<26x4xf32>) -> tensor<26x4xf32>
        attributes {hetero.program = #hetero.program<on [0]>}
    ```
  }];
  let parameters = (ins "std::optional<int64_t>":$stage,
                        "std::optional<InstructionKind>":$kind,
                        "int64_t":$chunk, "int64_t":$sweep,
                        ArrayRefParameter<"int64_t">:$ranks);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Hetero_PartAttr : Hetero_Attr<"Part", "part"> {
  let summary = "which part of which value of the step this is";
  let description = [{
    Attached as `hetero.part` to the arguments and results of rank programs:
    the number of the argument (or result) of the step, and for each dimension
    the indices that the rank has of it, as ranges from `begin` to `end`, which
    is not included. There is more than one range where the split dimension was
    merged with one in front of it.

    Constraints:
    - (part_c1) The number is not negative; ranges ascend, do not overlap and
      are not reversed.
    - (part_c2) There is a list of ranges for each dimension, and together they
      are as long as it is.
    - (part_c3) The value is a ranked tensor with static shape.

    ```mlir
    func.func private @rank1(
        tensor<3x6xf32> {hetero.part = #hetero.part<0 : [1 to 4] x [0 to 6]>},
        tensor<4xf32> {hetero.part = #hetero.part<1 : [2 to 4, 8 to 10]>})
        -> (tensor<f32> {hetero.part = #hetero.part<0>})
        attributes {hetero.program = #hetero.program<on [1]>}
    ```
  }];
  let parameters = (ins "int64_t":$index,
                        ArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$ranges);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // HETERO_DIALECT_HETERO_HETEROSCHEDULEATTRS_TD
