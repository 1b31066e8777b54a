//===- Enums.td - Enumerations of all layers ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enumerations that are written as words, in YAML and in assembly. Each has one
// definition, here, whose C++ (hetero/Support/Enums.h) needs no IR: planners,
// the simulator and the runtime use it as the attributes of the dialect do.

#ifndef HETERO_SUPPORT_ENUMS_TD
#define HETERO_SUPPORT_ENUMS_TD

include "mlir/IR/EnumAttr.td"

class Hetero_Enum<string name, string summary, list<EnumCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::hetero";
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

def Hetero_RoleKind : Hetero_Enum<"RoleKind", "what a value is to training", [
  I32EnumCase<"Parameter", 0, "parameter">,
  I32EnumCase<"OptimizerState", 1, "optimizer_state">,
  I32EnumCase<"ModelState", 2, "model_state">,
  I32EnumCase<"Batch", 3, "batch">,
  I32EnumCase<"Rng", 4, "rng">,
  I32EnumCase<"HyperParameter", 5, "hyper_parameter">,
  I32EnumCase<"Loss", 6, "loss">,
  I32EnumCase<"Metric", 7, "metric">,
  I32EnumCase<"Gradient", 8, "gradient">,
  I32EnumCase<"UpdatedState", 9, "updated_state">
]>;

def Hetero_Phase : Hetero_Enum<"Phase", "the part of a step", [
  I32EnumCase<"Forward", 0, "forward">,
  I32EnumCase<"Backward", 1, "backward">,
  I32EnumCase<"Recompute", 2, "recompute">,
  I32EnumCase<"Update", 3, "update">
]>;

//===----------------------------------------------------------------------===//
// The cluster
//===----------------------------------------------------------------------===//

def Hetero_LinkKind : Hetero_Enum<"LinkKind", "what a link is made of", [
  I32EnumCase<"Memory", 0, "memory">,
  I32EnumCase<"Pcie", 1, "pcie">,
  I32EnumCase<"Nvlink", 2, "nvlink">,
  I32EnumCase<"Infiniband", 3, "infiniband">,
  I32EnumCase<"Ethernet", 4, "ethernet">
]>;

def Hetero_CollectiveKind : Hetero_Enum<"CollectiveKind",
                                        "what a group of devices does together", [
  I32EnumCase<"AllReduce", 0, "all_reduce">,
  I32EnumCase<"AllGather", 1, "all_gather">,
  I32EnumCase<"ReduceScatter", 2, "reduce_scatter">,
  I32EnumCase<"AllToAll", 3, "all_to_all">,
  I32EnumCase<"Broadcast", 4, "broadcast">
]>;

def Hetero_ResourceKind : Hetero_Enum<"ResourceKind",
                                      "what a plan can run out of", [
  I32EnumCase<"Compute", 0, "compute">,
  I32EnumCase<"Memory", 1, "memory">,
  I32EnumCase<"Bandwidth", 2, "bandwidth">,
  I32EnumCase<"Latency", 3, "latency">
]>;

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

def Hetero_ReductionKind : Hetero_Enum<"ReductionKind",
                                       "how partial values are combined", [
  I32EnumCase<"Sum", 0, "sum">,
  I32EnumCase<"Max", 1, "max">,
  I32EnumCase<"Min", 2, "min">,
  I32EnumCase<"And", 3, "and">,
  I32EnumCase<"Or", 4, "or">
]>;

def Hetero_FormKind : Hetero_Enum<"FormKind", "how an axis holds a value", [
  I32EnumCase<"Replicated", 0, "replicated">,
  I32EnumCase<"Split", 1, "split">,
  I32EnumCase<"Partial", 2, "partial">
]>;

def Hetero_Objective : Hetero_Enum<"Objective", "what a plan minimizes", [
  I32EnumCase<"Time", 0, "time">,
  I32EnumCase<"Price", 1, "price">
]>;

// Instead of each device holding all of it: none; the optimizer state; also the
// parameters, which are gathered for the step; as `full` inside of each node and
// replicated between nodes.
def Hetero_StateMode : Hetero_Enum<"StateMode", "which state a stage divides", [
  I32EnumCase<"Replicated", 0, "replicated">,
  I32EnumCase<"Optimizer", 1, "optimizer">,
  I32EnumCase<"Full", 2, "full">,
  I32EnumCase<"Node", 3, "node">
]>;

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

def Hetero_ScheduleKind : Hetero_Enum<"ScheduleKind", "how a pipeline runs", [
  I32EnumCase<"Gpipe", 0, "gpipe">,
  I32EnumCase<"OneFOneB", 1, "1f1b">,
  I32EnumCase<"Interleaved", 2, "interleaved">,
  I32EnumCase<"HeteroOneFOneB", 3, "h1f1b">,
  I32EnumCase<"ZeroBubble", 4, "zero_bubble">,
  I32EnumCase<"Layered", 5, "layered">,
  I32EnumCase<"Custom", 6, "custom">
]>;

def Hetero_InstructionKind : Hetero_Enum<"InstructionKind",
                                         "one thing a stage does", [
  I32EnumCase<"Forward", 0, "forward">,
  I32EnumCase<"Recompute", 1, "recompute">,
  I32EnumCase<"Backward", 2, "backward">,
  I32EnumCase<"InputGradient", 3, "input_gradient">,
  I32EnumCase<"WeightGradient", 4, "weight_gradient">,
  I32EnumCase<"Update", 5, "update">,
  I32EnumCase<"Gather", 6, "gather">,
  I32EnumCase<"Reduce", 7, "reduce">,
  I32EnumCase<"SendActivation", 8, "send_activation">,
  I32EnumCase<"RecvActivation", 9, "recv_activation">,
  I32EnumCase<"SendGradient", 10, "send_gradient">,
  I32EnumCase<"RecvGradient", 11, "recv_gradient">,
  I32EnumCase<"Prepare", 12, "prepare">
]>;

//===----------------------------------------------------------------------===//
// Communication
//===----------------------------------------------------------------------===//

def Hetero_Algorithm : Hetero_Enum<"Algorithm", "how a collective is done", [
  I32EnumCase<"Auto", 0, "auto">,
  I32EnumCase<"Ring", 1, "ring">,
  I32EnumCase<"Tree", 2, "tree">,
  I32EnumCase<"Hierarchical", 3, "hierarchical">,
  I32EnumCase<"Padded", 4, "padded">,
  I32EnumCase<"Grouped", 5, "grouped">,
  I32EnumCase<"PointToPoint", 6, "point_to_point">
]>;

#endif // HETERO_SUPPORT_ENUMS_TD
