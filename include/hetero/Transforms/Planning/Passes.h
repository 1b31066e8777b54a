//===- Passes.h - What runs where, and when ---------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HETERO_TRANSFORMS_PLANNING_PASSES_H
#define HETERO_TRANSFORMS_PLANNING_PASSES_H

#include "hetero/Planner/Driver/PlanRequest.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassOptions.h"

namespace hetero {

#define GEN_PASS_DECL
#include "hetero/Transforms/Planning/Passes.h.inc"

/// Copies the options of a plan, which have the same names in a request, the
/// pass and the pipeline.
template <typename From, typename To>
void copyPlanOptions(const From &from, To &to) {
  to.planner = from.planner;
  to.schedule = from.schedule;
  to.microbatches.assign(from.microbatches.begin(), from.microbatches.end());
  to.state.assign(from.state.begin(), from.state.end());
  to.tensor = from.tensor;
  to.maxStages = from.maxStages;
  to.without.assign(from.without.begin(), from.without.end());
  to.effort = from.effort;
  to.timeBudget = from.timeBudget;
}

/// The options of hetero-plan for a request.
PlanPassOptions getPassOptions(const planner::PlanRequest &request);

/// Options of the pipeline `hetero-plan-pipeline`: those of its passes.
struct PlanPipelineOptions
    : public mlir::PassPipelineOptions<PlanPipelineOptions> {
  Option<std::string> cluster{
      *this, "cluster",
      llvm::cl::desc("The cluster.yaml; if empty, the module has its cluster")};
  ListOption<std::string> roles{
      *this, "roles",
      llvm::cl::desc("Roles that are given, see hetero-infer-roles")};
  Option<int64_t> maxLayers{
      *this, "max-layers",
      llvm::cl::desc("The largest number of layers; 0 for no limit"),
      llvm::cl::init(0)};
  Option<std::string> planner{
      *this, "planner",
      llvm::cl::desc(
          "The planner: single, even, dp-proportional, stages, joint, ..."),
      llvm::cl::init("joint")};
  ListOption<int64_t> microbatches{
      *this, "microbatches",
      llvm::cl::desc("The number of microbatches, or the sizes of several")};
  Option<std::string> schedule{
      *this, "schedule",
      llvm::cl::desc("The kind of schedule: gpipe, 1f1b, h1f1b, ..., or auto"),
      llvm::cl::init("auto")};
  ListOption<std::string> state{
      *this, "state",
      llvm::cl::desc("How stages of several devices may hold their state: "
                     "replicated, optimizer, full")};
  Option<int64_t> maxStages{
      *this, "max-stages",
      llvm::cl::desc("The largest number of stages; 0 for no limit"),
      llvm::cl::init(0)};
  Option<int64_t> tensor{
      *this, "tensor",
      llvm::cl::desc("In how many parts every stage divides its layers along a "
                     "model dimension; 0 to let the planner choose"),
      llvm::cl::init(0)};
  ListOption<int64_t> without{
      *this, "without",
      llvm::cl::desc("Devices, by rank, that must not be used")};
  Option<int64_t> effort{
      *this, "effort",
      llvm::cl::desc("How many times as long joint searches, from 1 to 100"),
      llvm::cl::init(1)};
  Option<std::string> timeBudget{
      *this, "time-budget",
      llvm::cl::desc("How long a planner may search, as 5s")};
  Option<bool> partition{*this, "partition",
                         llvm::cl::desc("Write the program of each rank, too"),
                         llvm::cl::init(false)};
};

/// From what JAX emits to a planned and scheduled step: import, attach-cluster,
/// form-layers, plan, schedule. Each of them leaves alone what is there, so the
/// pipeline continues where a module that was edited by hand has stopped.
void buildPlanPipeline(mlir::OpPassManager &manager,
                       const PlanPipelineOptions &options);

/// Registers the pipeline by name.
void registerPlanPipeline();

#define GEN_PASS_REGISTRATION
#include "hetero/Transforms/Planning/Passes.h.inc"

} // namespace hetero

#endif // HETERO_TRANSFORMS_PLANNING_PASSES_H
