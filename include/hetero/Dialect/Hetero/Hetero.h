//===- Hetero.h - The hetero dialect, whole ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a training step is written down while it is being laid out on a cluster
// of unlike devices. Include this to get all of the dialect.
//
// The idea
// --------
// A step is a function in whatever dialect it came in (StableHLO here). Its
// arguments and results have a *role*: parameter, batch, loss, ... The cluster
// is an operation beside it. Everything that is decided about the step is
// either an attribute on its values and operations or an operation beside it,
// in words that a person can read and change; the function itself stays the
// same mathematics until it is partitioned.
//
// Three things are said about a value:
//
//   form      how an axis holds it: replicated, split or partial. An axis is
//             the microbatches of a step (over time) or an axis of a mesh (over
//             devices); the algebra is the same for both.
//   sharding  forms on a mesh, with the exact number of rows of each device.
//             Never a ratio: 64 rows on four devices are [13, 12, 34, 5].
//   storage   the sharding in which state lives between steps. Work is shared
//             out by speed and state by memory, so it may be another one.
//
// A change of form is what costs something:
//
//   from        to          over devices            over microbatches
//   split       replicated  all_gather              keep and concatenate
//   partial     replicated  all_reduce              accumulate
//   partial     split       reduce_scatter          accumulate, slice
//   split       split       all_to_all              keep and slice again
//   (prefixes)              exclusive_scan          carry
//   replicated  any         slice, for nothing      slice
//
// A worked example
// ----------------
// Two dense layers on an A100 and a T4 in one machine and an A100 in another.
// test/Dialect/Hetero/walkthrough.mlir has the whole text of each phase.
//
// 1. Imported. One function, with roles:
//
//   func.func @step(
//       %w0: tensor<4x6xf32> {hetero.role = #hetero.role<parameter>}, ...,
//       %x: tensor<8x4xf32> {hetero.role = #hetero.role<batch>})
//       -> (tensor<f32> {hetero.role = #hetero.role<loss>},
//           tensor<4x6xf32> {hetero.role = #hetero.role<updated_state of 0>},
//           ...)
//
// 2. Cluster attached. Devices have ranks in the order of this text: 0 is an
// A100, 1 the T4, 2 the other A100.
//
//   hetero.cluster @lab {
//     hetero.device_class @a100 memory 40 GiB ...
//     hetero.device_class @t4 memory 16 GB ...
//     hetero.node @n0 [1 x @a100, 1 x @t4] link <pcie, 12 GB/s, 5 us>
//     hetero.node @n1 [1 x @a100] host 256 GiB
//     hetero.link @n0 <-> @n1 by <ethernet, 1.25 GB/s, 30 us>
//   }
//
// 3. Planned. Two stages and two microbatches; the first stage spans the A100
// and the T4, which take 3 and 1 of the 4 samples, but hold 1 and 3 of the 4
// rows of its parameter. `batch` stands for the shares of the plan.
//
//   hetero.mesh @stage0 = [0, 1]
//   hetero.mesh @stage1 = [2]
//   hetero.plan @plan of @step planner "joint" minimizes time layers @layers
//       batch 8 microbatches [4, 4] predicted 1.2 ms bound 900 us gap 0.25 {
//     hetero.stage 0 on @stage0 layers [0] samples [[3, 1]] in_flight 2 ...
//     hetero.stage 1 on @stage1 layers [1] samples [[4]] in_flight 1 ...
//   }
//   %h = stablehlo.dot_general %x, %w0, ... {
//       hetero.layer = #hetero.layer<0, forward>,
//       hetero.placement = #hetero.placement<stage = 0>,
//       hetero.sharding = #hetero.sharding<@stage0, split 0 : batch>}
//   %h1 = hetero.reshard %h to <@stage1> : tensor<8x6xf32>
//
// 4. Scheduled. Each stage gets the order of its work:
//
//   hetero.schedule @order h1f1b of @plan microbatches 2 {
//     hetero.stage_schedule 0 in_flight 2 [
//       gather, forward 0, send_activation 0 to 1, forward 1, ...]
//     hetero.stage_schedule 1 in_flight 1 [
//       recv_activation 0 from 0, forward 0, backward 0, ...]
//   }
//
// 5. Partitioned. Each rank gets a program of its own, straight-line code that
// calls the functions of its stage and talks to other ranks. What is kept for
// later is a value that is used later; there are no slots to manage, and the
// memory at any instant is that of the values alive then.
//
//   func.func @rank1(%part: tensor<3x6xf32>, %x0: tensor<1x4xf32>, ...)
//       attributes {hetero.program = #hetero.program<on [1]>} {
//     %w = hetero.all_gather %part split 0 : [1, 3] over @stage0
//         : tensor<3x6xf32> -> tensor<4x6xf32>
//     %h0 = call @stage0_forward_1(%w, %x0) {
//         hetero.instruction = #hetero.instruction<forward 0>} : ...
//     %s0 = hetero.send %h0 to 2 channel 0 : tensor<1x6xf32> -> !hetero.handle
//     ...
//     %sum = hetero.accumulate sum %dw1 into %dw0 : tensor<4x6xf32>
//     %dw = hetero.reduce_scatter sum %sum split 0 : [1, 3] over @stage0
//         : tensor<4x6xf32> -> tensor<3x6xf32>
//
// Because the function says which ranks run it, the verifier knows that rank 1
// must bring 3 rows to the gather and gets 3 from the reduction.
//
// Where what is
// -------------
//   HeteroAttrs.h        roles, layers, forms, shardings, instructions, amounts
//   HeteroTypes.h        !hetero.handle (something under way), !hetero.host
//   HeteroClusterOps.h   cluster and its parts; mesh
//   HeteroPlanOps.h      layer_table, plan, stage, share
//   HeteroScheduleOps.h  schedule, stage_schedule
//   HeteroCommOps.h      collectives, send and recv, wait, reshard, accumulate
//   HeteroKernelOps.h    call_library, within kernels
//   HeteroInterfaces.h   CommunicationOpInterface
//
// Constraints have names (`all_gather_c3`) that are the same in the ODS
// description, in the diagnostic and in the negative test.

#ifndef HETERO_DIALECT_HETERO_HETERO_H
#define HETERO_DIALECT_HETERO_HETERO_H

#include "hetero/Dialect/Hetero/HeteroAttrs.h"
#include "hetero/Dialect/Hetero/HeteroClusterOps.h"
#include "hetero/Dialect/Hetero/HeteroCommOps.h"
#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "hetero/Dialect/Hetero/HeteroInterfaces.h"
#include "hetero/Dialect/Hetero/HeteroKernelOps.h"
#include "hetero/Dialect/Hetero/HeteroPlanOps.h"
#include "hetero/Dialect/Hetero/HeteroScheduleOps.h"
#include "hetero/Dialect/Hetero/HeteroTypes.h"

#endif // HETERO_DIALECT_HETERO_HETERO_H
