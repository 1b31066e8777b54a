//===- HeteroScheduleOps.td - Schedules --------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which order the stages work.

#ifndef HETERO_DIALECT_HETERO_HETEROSCHEDULEOPS_TD
#define HETERO_DIALECT_HETERO_HETEROSCHEDULEOPS_TD

include "hetero/Dialect/Hetero/HeteroOpBase.td"

def Hetero_InstructionArrayAttr
    : TypedArrayAttrBase<Hetero_InstructionAttr, "array of instructions">;

def Hetero_ScheduleOp : Hetero_Op<"schedule",
    [Symbol, IsolatedFromAbove, NoTerminator, SingleBlock, NoRegionArguments,
     DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the order of work of all stages";
  let description = [{
    One list of instructions per stage. The kind says how the lists were made;
    their meaning is in the lists alone, so a list that has been changed by hand
    is as good as any other.

    | kind | order |
    |---|---|
    | `gpipe` | all forwards, then all backwards |
    | `"1f1b"` | a backward as soon as there is one, in strict alternation |
    | `interleaved` | the same with several chunks per stage |
    | `h1f1b` | `"1f1b"` with more microbatches in flight where a slow link would stall it |
    | `zero_bubble` | weight gradients fill the gaps |
    | `layered` | all microbatches of a layer before the next layer |
    | `custom` | by hand |

    Constraints:
    - (schedule_c1) There is at least one microbatch.
    - (schedule_c2) The body has at least one stage and only stages, numbered 0,
      1, ... in order.
    - (schedule_c3) What a stage sends to another, that one receives from it,
      and nothing else: same payload, microbatch and sweep, equally often.
    - (schedule_c4) The plan, if named, exists and has as many microbatches and
      stages, and each stage as many chunks.

    ```mlir
    hetero.schedule @order "1f1b" microbatches 3 {
      hetero.stage_schedule 0 in_flight 2 [
        forward 0, send_activation 0 to 1, forward 1, send_activation 1 to 1,
        recv_gradient 0 from 1, backward 0, forward 2, send_activation 2 to 1,
        recv_gradient 1 from 1, backward 1, recv_gradient 2 from 1, backward 2,
        update
      ]
      hetero.stage_schedule 1 in_flight 1 [
        recv_activation 0 from 0, forward 0, backward 0, send_gradient 0 to 0,
        recv_activation 1 from 0, forward 1, backward 1, send_gradient 1 to 0,
        recv_activation 2 from 0, forward 2, backward 2, send_gradient 2 to 0,
        update
      ]
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       Hetero_ScheduleKindAttr:$kind,
                       OptionalAttr<FlatSymbolRefAttr>:$plan,
                       I64Attr:$microbatches);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name $kind (`of` $plan^)? `microbatches` $microbatches
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Hetero_StageScheduleOp : Hetero_Op<"stage_schedule",
    [HasParent<"ScheduleOp">]> {
  let summary = "the order of work of one stage";
  let description = [{
    The instructions of a stage, in the order in which its devices issue them.
    A pair of microbatch and chunk is *in flight* from its first forward to its
    last backward or weight gradient: that long, its activations are kept. A
    list may leave out sends and receives, when only the order of computation
    is of interest.

    Constraints:
    - (stage_schedule_c1) Microbatches and chunks are below their numbers; the
      other stage of a send or receive is not the stage itself.
    - (stage_schedule_c2) No instruction appears twice, except `gather` and
      `reduce`.
    - (stage_schedule_c3) In each sweep that has one, every microbatch of every
      chunk has a forward; every microbatch of every chunk has a backward, or an
      input and a weight gradient.
    - (stage_schedule_c4) A forward follows all forwards of the sweep before,
      a recomputation and a gradient follow the last forward of their
      microbatch, and a weight gradient follows its input gradient.
    - (stage_schedule_c5) At most `in_flight` are in flight at any time.
    - (stage_schedule_c6) An update follows all gradients of its chunk.
    - (stage_schedule_c7) A send follows what it sends, and a receive comes
      before what uses it.

    ```mlir
    hetero.schedule @order zero_bubble microbatches 2 {
      hetero.stage_schedule 0 in_flight 2 chunks 1 [
        forward 0, forward 1, input_gradient 0, input_gradient 1,
        weight_gradient 0, weight_gradient 1, reduce, update
      ]
    }
    ```
  }];
  let arguments = (ins I64Attr:$index, I64Attr:$in_flight,
                       DefaultValuedAttr<I64Attr, "1">:$chunks,
                       Hetero_InstructionArrayAttr:$instructions);
  let assemblyFormat = [{
    $index `in_flight` $in_flight (`chunks` $chunks^)?
    custom<Instructions>($instructions) attr-dict
  }];
  let hasVerifier = 1;
}

#endif // HETERO_DIALECT_HETERO_HETEROSCHEDULEOPS_TD
