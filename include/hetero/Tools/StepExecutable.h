//===- StepExecutable.h - From a step to something that runs ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What hetero-run and the Python package share: IR in, a running step out.
//
//   StepOptions options;
//   options.clusterFile = "cluster.yaml";
//   std::unique_ptr<StepExecutable> step =
//       StepExecutable::create(std::move(module), options);
//   if (!step)
//     return failure();                      // diagnostics have been emitted
//   step->carryState();
//   for (const StepTensor &argument : step->getArguments())
//     step->setArgument(i, data, argument.type);
//   step->step();
//   step->getResult(0, &loss, step->getResults()[0].type);
//
// The idea
// --------
// A module says by itself how far it has come, so only the passes that are
// still missing are run:
//
//   has rank programs (#hetero.program)   verify
//   has a hetero.plan                     schedule if it has none, partition,
//                                         select-collectives, verify
//   has roles and layers                  attach-cluster, plan, and so on
//   anything else                         import, layers, and so on
//
// What a person has written by hand stays as it is: a role, a cluster, a plan,
// a sharding.
//
// Without a cluster there is one device, without limits.
//
// With the `mpi` transport each process compiles and runs the program of its
// own rank; all processes make the same calls in the same order.

#ifndef HETERO_TOOLS_STEPEXECUTABLE_H
#define HETERO_TOOLS_STEPEXECUTABLE_H

#include "hetero/Planner/Driver/PlanRequest.h"
#include "hetero/Runtime/CudaDevice.h"
#include "hetero/Runtime/MpiTransport.h"
#include "hetero/Runtime/ProgramGroup.h"
#include "hetero/Tools/StepTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/raw_ostream.h"
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hetero {

class Jit;
struct RuntimePrograms;
namespace cluster {
struct Cluster;
} // namespace cluster

/// How ranks speak with each other.
enum class TransportKind { Threads, Mpi };

/// "threads" or "mpi"; nothing for other names.
std::optional<TransportKind> parseTransportKind(llvm::StringRef name);

/// What ranks run on: this machine, or a GPU each.
enum class DeviceKind { Cpu, Cuda };

/// "cpu" or "cuda"; nothing for other names.
std::optional<DeviceKind> parseDeviceKind(llvm::StringRef name);

struct StepOptions {
  /// A cluster.yaml, or its text (which comes first); one device without both.
  std::string clusterFile, clusterText;
  /// What is asked of the plan.
  planner::PlanRequest plan;
  /// Roles of arguments by name, for steps that do not tell them: as the option
  /// `roles` of hetero-infer-roles.
  std::vector<std::string> roles;

  TransportKind transport = TransportKind::Threads;
  DeviceKind device = DeviceKind::Cpu;
  /// What kernels for CUDA become: "cubin", or "ptx" for the driver to compile.
  std::string cudaFormat = "cubin";
  /// Where the memory of CUDA devices comes from, and whether steps that repeat
  /// become graphs.
  runtime::CudaMemory cudaMemory = runtime::CudaMemory::Arena;
  bool cudaGraphs = true;
  /// The directory of the CUDA toolkit; searched for if empty.
  std::string cudaToolkit;
  /// Where the libraries of CUDA may be, beside the usual places.
  std::vector<std::string> cudaLibraryDirectories;
  runtime::CommunicatorOptions communication;
  runtime::MpiOptions mpi;
  /// Ranks end with an error when they need more memory than their device in
  /// the cluster has.
  bool memoryCaps = true;
  /// And when they need more than this many bytes.
  std::optional<int64_t> memoryCap;
  /// 0 is a rank's share of the processors of its machine.
  unsigned threadsPerRank = 0;
  /// Each rank has processors of its own, one for each of its threads.
  bool pin = false;

  /// Where compiled kernels are kept; nowhere if empty.
  std::string cacheDirectory;
  /// LLVM's, 0 to 3.
  unsigned optLevel = 2;
  /// Traces have the operations within kernels.
  bool probes = false;
  /// Is told what happens next: "importing", "planning", "partitioning",
  /// "compiling", ..., and "starting" when the ranks begin to take memory and
  /// to find each other.
  std::function<void(llvm::StringRef phase)> progress;
};

/// What `module` still lacks of import, cluster, layers, plan and schedule is
/// added to it. A module with rank programs stays as it is.
mlir::LogicalResult planModule(mlir::ModuleOp module,
                               const StepOptions &options);

/// Adds rank programs to a planned module, which loses its step, and chooses
/// their collectives. A module that has rank programs stays as it is. Either
/// way they are verified: what does not pass does not run.
mlir::LogicalResult partitionModule(mlir::ModuleOp module,
                                    const StepOptions &options);

/// Writes the plan of a planned module as a table for people: stages, devices,
/// layers, samples, memory, predicted time.
void printPlanTable(mlir::ModuleOp planned, llvm::raw_ostream &os);

/// The arguments and results of the step of a module, or those that its rank
/// programs have parts of. Fails, with a diagnostic, if it has neither or if
/// one has a type that cannot be executed.
struct StepSignature {
  std::vector<StepTensor> arguments, results;
};
mlir::FailureOr<StepSignature> getStepSignature(mlir::ModuleOp module);

class StepExecutable {
public:
  /// Plans, partitions and compiles. Null after an error, which has been
  /// emitted through the context of the module.
  static std::unique_ptr<StepExecutable>
  create(mlir::OwningOpRef<mlir::ModuleOp> module, const StepOptions &options);
  ~StepExecutable();
  StepExecutable(const StepExecutable &) = delete;
  StepExecutable &operator=(const StepExecutable &) = delete;

  const std::vector<StepTensor> &getArguments() const {
    return signature.arguments;
  }
  const std::vector<StepTensor> &getResults() const {
    return signature.results;
  }
  int64_t getNumRanks() const { return group->getNumRanks(); }
  /// The ranks of this process, in order.
  std::vector<int64_t> getLocalRanks() const;

  /// Everything below is as in ProgramGroup: whole tensors, row by row.
  /// The type must be that of the argument or result.
  runtime::MaybeError setArgument(int64_t index, const void *whole,
                                  const runtime::TensorType &type);
  runtime::MaybeError getResult(int64_t index, void *whole,
                                const runtime::TensorType &type,
                                int64_t root = -1);
  /// The argument stays for all following steps.
  runtime::MaybeError keep(int64_t argument);
  /// Each result that is the updated value of an argument becomes it after each
  /// step.
  runtime::MaybeError carryState();
  /// One step of all ranks. After an error the run has ended.
  runtime::MaybeError step();
  /// Returns when all steps are done.
  runtime::MaybeError synchronize() { return group->synchronize(); }
  /// Ends the ranks: nothing else is called afterwards.
  runtime::MaybeError close() { return group->close(); }
  /// Ends a step that is under way on another thread, and the run with it.
  void abort(const std::string &reason);
  /// Why the run has ended, if it has.
  runtime::MaybeError getFailure() const;

  /// Whether a step may free its arguments before it ends; at first it may.
  void setDonating(bool on) { group->setDonating(on); }

  void setTracing(bool on) { group->setTracing(on); }
  std::vector<runtime::TraceEvent> takeTrace() { return group->takeTrace(); }
  /// What to call the ranks in traces: their devices, where known.
  const std::map<int64_t, std::string> &getRankNames() const {
    return rankNames;
  }
  /// The device of a local rank.
  runtime::Device &getDevice(size_t localRank);

  /// The module with its plan, before it was partitioned; null if it came with
  /// rank programs. And the one with the rank programs.
  mlir::ModuleOp getPlanned() const { return planned.get(); }
  mlir::ModuleOp getPartitioned() const { return partitioned.get(); }

private:
  StepExecutable();
  mlir::LogicalResult load(const StepOptions &options);
  mlir::FailureOr<std::vector<runtime::RankSetup>>
  makeSetups(RuntimePrograms &programs,
             const std::vector<std::unique_ptr<runtime::Transport>> &transports,
             const cluster::Cluster *cluster, const StepOptions &options,
             std::set<std::string> &architectures);

  mlir::OwningOpRef<mlir::ModuleOp> planned, partitioned;
  StepSignature signature;
  std::map<int64_t, std::string> rankNames;
  /// Outlives the group, which runs its kernels.
  std::unique_ptr<Jit> jit;
  std::unique_ptr<runtime::ProgramGroup> group;
};

} // namespace hetero

#endif // HETERO_TOOLS_STEPEXECUTABLE_H
