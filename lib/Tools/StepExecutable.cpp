//===- StepExecutable.cpp - From a step to something that runs ------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Tools/StepExecutable.h"
#include "hetero/Analysis/ClusterValue.h"
#include "hetero/Conversion/Jit.h"
#include "hetero/Conversion/RuntimePrograms.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Runtime/Hooks.h"
#include "hetero/Runtime/MpiTransport.h"

using namespace mlir;
using namespace hetero;
using runtime::MaybeError;

std::optional<TransportKind> hetero::parseTransportKind(StringRef name) {
  if (name == "threads")
    return TransportKind::Threads;
  if (name == "mpi")
    return TransportKind::Mpi;
  return std::nullopt;
}

StepExecutable::StepExecutable() = default;
StepExecutable::~StepExecutable() = default;

/// The transports of the ranks of this process.
static FailureOr<std::vector<std::unique_ptr<runtime::Transport>>>
createTransports(ModuleOp module, const StepOptions &options,
                 int64_t numRanks) {
  if (options.transport == TransportKind::Threads)
    return runtime::createThreadsTransports(numRanks);
  auto transport = runtime::createMpiTransport(options.mpi);
  if (!transport)
    return module.emitError() << transport.error();
  if ((*transport)->getNumRanks() != numRanks)
    return module.emitError()
           << "the plan is for " << numRanks << " ranks, but MPI has "
           << (*transport)->getNumRanks()
           << ((*transport)->getNumRanks() == 1 ? " process" : " processes")
           << "; start it with mpirun -n " << numRanks;
  std::vector<std::unique_ptr<runtime::Transport>> transports;
  transports.push_back(std::move(*transport));
  return transports;
}

static std::unique_ptr<Jit> compile(ModuleOp kernels,
                                    const StepOptions &options) {
  JitOptions jitOptions;
  jitOptions.optLevel = options.optLevel;
  jitOptions.cacheDirectory = options.cacheDirectory;
  if (options.progress)
    jitOptions.progress = [&](StringRef phase) { options.progress(phase); };
  auto add = [&](StringRef name, auto *function) {
    jitOptions.symbols[name] = reinterpret_cast<void *>(function);
  };
  add("hetero_workspace_alloc", &hetero_workspace_alloc);
  add("hetero_workspace_free", &hetero_workspace_free);
  add("hetero_parallel_for", &hetero_parallel_for);
  return Jit::compile(kernels, jitOptions);
}

std::unique_ptr<StepExecutable>
StepExecutable::create(OwningOpRef<ModuleOp> module,
                       const StepOptions &options) {
  if (failed(planStep(*module, options)))
    return nullptr;
  std::unique_ptr<StepExecutable> step(new StepExecutable());
  FailureOr<StepSignature> signature = getStepSignature(*module);
  if (failed(signature))
    return nullptr;
  step->signature = std::move(*signature);
  if (getRankPrograms(*module).empty())
    step->planned = module->clone();
  if (failed(partitionStep(*module, options)))
    return nullptr;
  step->partitioned = std::move(module);
  if (failed(step->load(options)))
    return nullptr;
  return step;
}

/// One more than the highest rank of a program or a device.
static int64_t getNumRanks(ModuleOp module, const cluster::Cluster *cluster) {
  int64_t count = cluster ? cluster->devices.size() : 0;
  for (func::FuncOp function : getRankPrograms(module))
    for (int64_t rank :
         function
             ->getAttrOfType<ProgramAttr>(HeteroDialect::getProgramAttrName())
             .getRanks())
      count = std::max(count, rank + 1);
  return count;
}

LogicalResult StepExecutable::load(const StepOptions &options) {
  std::optional<cluster::Cluster> cluster;
  for (ClusterOp op : partitioned->getOps<ClusterOp>()) {
    FailureOr<cluster::Cluster> value = getCluster(op);
    if (failed(value))
      return failure();
    cluster = std::move(*value);
  }
  int64_t numRanks = ::getNumRanks(*partitioned, cluster ? &*cluster : nullptr);
  for (int64_t rank = 0; cluster && rank < int64_t(cluster->devices.size());
       ++rank)
    rankNames[rank] = cluster->describe(rank);
  auto transports = createTransports(*partitioned, options, numRanks);
  if (failed(transports))
    return failure();
  std::optional<int64_t> only;
  if (options.transport == TransportKind::Mpi)
    only = transports->front()->getRank();
  FailureOr<RuntimePrograms> programs =
      convertToRuntimePrograms(*partitioned, numRanks, only);
  if (failed(programs))
    return failure();
  if (options.progress)
    options.progress("compiling");
  jit = compile(*programs->kernels, options);
  if (!jit)
    return failure();
  std::vector<runtime::RankSetup> setups;
  for (const auto &transport : *transports) {
    runtime::RankSetup setup;
    setup.program = std::move(programs->programs[transport->getRank()]);
    for (const std::string &name : setup.program.kernels) {
      setup.kernels.push_back(jit->lookup(name));
      if (!setup.kernels.back())
        return partitioned->emitError() << "kernel '" << name << "' is missing";
    }
    setup.numThreads = options.threadsPerRank;
    int64_t rank = transport->getRank();
    if (auto name = rankNames.find(rank); name != rankNames.end()) {
      setup.deviceName = name->second;
      if (options.memoryCaps)
        setup.memoryCap = cluster->classOf(rank).usableMemory().count();
    }
    setups.push_back(std::move(setup));
  }
  auto made = runtime::ProgramGroup::create(
      std::move(setups), std::move(*transports), options.communication);
  if (!made)
    return partitioned->emitError() << made.error();
  group = std::move(*made);
  return success();
}

std::vector<int64_t> StepExecutable::getLocalRanks() const {
  std::vector<int64_t> ranks;
  for (size_t i = 0; i < group->getNumSessions(); ++i)
    ranks.push_back(group->getSession(i).getProgram().rank);
  return ranks;
}

/// The index and the type must be those of the step.
static MaybeError check(const std::vector<StepTensor> &tensors, int64_t index,
                        const runtime::TensorType *type, const char *what) {
  if (index < 0 || index >= int64_t(tensors.size()))
    return std::string("there is no ") + what + " " + std::to_string(index) +
           "; the step has " + std::to_string(tensors.size());
  const StepTensor &tensor = tensors[index];
  if (!type || *type == tensor.type)
    return std::nullopt;
  std::string name = tensor.name.empty() ? "" : " (" + tensor.name + ")";
  return what + (" " + std::to_string(index)) + name + " is " + type->str() +
         ", expected " + tensor.type.str();
}

MaybeError StepExecutable::setArgument(int64_t index, const void *whole,
                                       const runtime::TensorType &type) {
  if (MaybeError error = check(signature.arguments, index, &type, "argument"))
    return error;
  return group->setArgument(index, whole, type);
}

MaybeError StepExecutable::getResult(int64_t index, void *whole,
                                     const runtime::TensorType &type,
                                     int64_t root) {
  if (MaybeError error = check(signature.results, index, &type, "result"))
    return error;
  return group->getResult(index, whole, type, root);
}

MaybeError StepExecutable::carry(int64_t result, int64_t argument) {
  if (MaybeError error = check(signature.results, result, nullptr, "result"))
    return error;
  if (MaybeError error =
          check(signature.arguments, argument, nullptr, "argument"))
    return error;
  return group->carry(result, argument);
}

MaybeError StepExecutable::keep(int64_t argument) {
  if (MaybeError error =
          check(signature.arguments, argument, nullptr, "argument"))
    return error;
  return group->keep(argument);
}

MaybeError StepExecutable::carryState() {
  for (auto [index, result] : llvm::enumerate(signature.results))
    if (result.updates)
      if (MaybeError error = carry(index, *result.updates))
        return error;
  return std::nullopt;
}

MaybeError StepExecutable::step() { return group->step(); }

void StepExecutable::abort(const std::string &reason) {
  for (size_t i = 0; i < group->getNumSessions(); ++i)
    group->getSession(i).getCommunicator().getTransport().abort(reason);
}

int64_t StepExecutable::getPeakBytes(size_t localRank) const {
  return group->getSession(localRank).getDevice().getPeakBytes();
}
