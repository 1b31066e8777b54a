//===- StepExecutable.cpp - From a step to something that runs ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Tools/StepExecutable.h"
#include "CudaPlaces.h"
#include "hetero/Analysis/ClusterValue.h"
#include "hetero/Conversion/Cuda/Architectures.h"
#include "hetero/Conversion/Jit/Jit.h"
#include "hetero/Conversion/Programs/RuntimePrograms.h"
#include "hetero/Dialect/Hetero/Hetero.h"
#include "hetero/Runtime/Hooks.h"
#include "hetero/Runtime/NcclCommunicator.h"
#include "hetero/Runtime/ThreadPool.h"
#include "llvm/ADT/StringExtras.h"
#include <set>
#include <thread>

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

std::optional<DeviceKind> hetero::parseDeviceKind(StringRef name) {
  if (name == "cpu")
    return DeviceKind::Cpu;
  if (name == "cuda")
    return DeviceKind::Cuda;
  return std::nullopt;
}

StepExecutable::StepExecutable() = default;
StepExecutable::~StepExecutable() = default;

/// Gives rank 0 the time to end the run.
static void awaitFailure(runtime::Transport &transport) {
  for (int i = 0; i < 100 && !transport.getFailure(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

/// For what is wrong on all processes alike: the first one ends the run, and
/// who shows errors once shows its own.
static InFlightDiagnostic endTogether(ModuleOp module,
                                      runtime::Transport &transport,
                                      const std::string &problem) {
  if (transport.getRank() == 0)
    transport.abort(problem);
  else
    awaitFailure(transport);
  return module.emitError() << problem;
}

/// The transports of the ranks of this process.
static FailureOr<std::vector<std::unique_ptr<runtime::Transport>>>
createTransports(ModuleOp module, const StepOptions &options,
                 int64_t numRanks) {
  if (options.transport == TransportKind::Threads)
    return runtime::createThreadsTransports(numRanks);
  auto transport = runtime::createMpiTransport(options.mpi);
  if (!transport)
    return module.emitError() << transport.error();
  int64_t numProcesses = (*transport)->getNumRanks();
  if (numProcesses != numRanks) {
    std::string problem =
        "the plan is for " + std::to_string(numRanks) + " ranks, but MPI has " +
        std::to_string(numProcesses) +
        (numProcesses == 1 ? " process" : " processes") +
        "; start it with mpirun -n " + std::to_string(numRanks);
    return endTogether(module, **transport, problem);
  }
  std::vector<std::unique_ptr<runtime::Transport>> transports;
  transports.push_back(std::move(*transport));
  return transports;
}

/// The first of some variables of the environment that is a number.
static std::optional<int>
findNumber(std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (const char *text = std::getenv(name))
      if (int number; llvm::to_integer(text, number))
        return number;
  return std::nullopt;
}

/// The place of a rank among those of its machine.
static int getLocalNumber(int64_t rank, TransportKind transport) {
  std::optional<int> number;
  if (transport == TransportKind::Mpi)
    number = findNumber(
        {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"});
  return number.value_or(int(rank));
}

/// How many ranks share the processors of this machine.
static int64_t getNumLocalRanks(int64_t numRanks, TransportKind transport) {
  std::optional<int> number;
  if (transport == TransportKind::Mpi)
    number = findNumber({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"});
  return std::max<int64_t>(1, number.value_or(numRanks));
}

static unsigned getNumThreads(const StepOptions &options, int64_t numRanks) {
  if (options.threadsPerRank != 0)
    return options.threadsPerRank;
  int64_t share = std::thread::hardware_concurrency() /
                  getNumLocalRanks(numRanks, options.transport);
  return std::max<int64_t>(1, share);
}

/// Gives the threads of a rank processors of their own.
static MaybeError pin(runtime::RankSetup &setup, int64_t rank, int64_t numRanks,
                      TransportKind transport) {
  std::vector<int> all = runtime::getProcessors();
  // mpirun may have given this process some of its own.
  bool isBound = transport == TransportKind::Mpi &&
                 all.size() < std::thread::hardware_concurrency();
  int64_t number = setup.numThreads;
  int64_t first = isBound ? 0 : getLocalNumber(rank, transport) * number;
  int64_t needed =
      isBound ? number : getNumLocalRanks(numRanks, transport) * number;
  if (std::max(needed, first + number) > int64_t(all.size()))
    return "threads to be pinned: " + std::to_string(needed) +
           ", processors that this process may use: " +
           std::to_string(all.size());
  setup.processors.assign(all.begin() + first, all.begin() + first + number);
  return std::nullopt;
}

/// What the ranks of this process have, found out by all processes together.
static FailureOr<CudaPlaces>
findCudaPlaces(ModuleOp module, const StepOptions &options,
               const std::vector<std::unique_ptr<runtime::Transport>> &ranks) {
  runtime::CudaLibraries libraries;
  libraries.directories = options.cudaLibraryDirectories;
  auto places = hetero::findCudaPlaces(ranks, libraries, options.communication);
  if (!places)
    return endTogether(module, *ranks.front(), places.error());
  return std::move(*places);
}

/// What to compile for. Devices that are newer than LLVM run the PTX of the
/// newest that it knows.
static MaybeError addArchitectures(const CudaPlaces &places,
                                   std::set<std::string> &architectures) {
  for (int capability : places.capabilities) {
    const CudaArchitecture *chosen = chooseCudaArchitecture(capability);
    if (!chosen)
      return "a device is sm_" + std::to_string(capability) +
             "; kernels can be compiled for " +
             getCudaArchitectures().front().name.str() + " and later";
    architectures.insert(chosen->name.str());
  }
  return std::nullopt;
}

/// Makes the program of `setup` run on a GPU.
static MaybeError useCuda(runtime::RankSetup &setup, int64_t rank, int index,
                          const runtime::CudaMachine &machine,
                          const StepOptions &options) {
  auto api = runtime::createCudaApi(index, machine.libraries);
  if (!api)
    return "rank " + std::to_string(rank) + ": " + api.error();
  auto device = runtime::CudaDevice::create(
      setup.deviceName, std::move(*api),
      {setup.memoryCap, options.cudaMemory, options.cudaGraphs});
  if (!device)
    return "rank " + std::to_string(rank) + ": " + device.error();
  setup.device = std::move(*device);
  setup.makeCommunicator = [](runtime::Transport &transport,
                              runtime::Device &device,
                              const runtime::CommunicatorOptions &options)
      -> std::unique_ptr<runtime::Communicator> {
    return std::make_unique<runtime::NcclCommunicator>(
        transport, *device.asCuda(), options);
  };
  return std::nullopt;
}

/// For this machine, or for the GPUs that `architectures` names.
static std::unique_ptr<Jit>
compile(ModuleOp kernels, const StepOptions &options,
        const std::set<std::string> &architectures) {
  JitOptions jitOptions;
  jitOptions.cudaArchitectures = {architectures.begin(), architectures.end()};
  jitOptions.cudaFormat = options.cudaFormat;
  jitOptions.cudaToolkit = options.cudaToolkit;
  jitOptions.optLevel = options.optLevel;
  jitOptions.cacheDirectory = options.cacheDirectory;
  jitOptions.probes = options.probes;
  if (options.progress)
    jitOptions.progress = [&](StringRef phase) { options.progress(phase); };
  auto add = [&](StringRef name, auto *function) {
    jitOptions.symbols[name] = reinterpret_cast<void *>(function);
  };
  add("hetero_workspace_alloc", &hetero_workspace_alloc);
  add("hetero_workspace_free", &hetero_workspace_free);
  add("hetero_parallel_for", &hetero_parallel_for);
  add("hetero_probe_begin", &hetero_probe_begin);
  add("hetero_probe_end", &hetero_probe_end);
  return Jit::compile(kernels, jitOptions);
}

std::unique_ptr<StepExecutable>
StepExecutable::create(OwningOpRef<ModuleOp> module,
                       const StepOptions &options) {
  if (failed(planModule(*module, options)))
    return nullptr;
  std::unique_ptr<StepExecutable> step(new StepExecutable());
  FailureOr<StepSignature> signature = getStepSignature(*module);
  if (failed(signature))
    return nullptr;
  step->signature = std::move(*signature);
  if (getRankPrograms(*module).empty())
    step->planned = module->clone();
  if (failed(partitionModule(*module, options)))
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
    for (int64_t rank : getProgram(function).getRanks())
      count = std::max(count, rank + 1);
  return count;
}

/// The ranks of this process, but for their kernels. Adds the architectures of
/// their GPUs, for which these have to be compiled.
FailureOr<std::vector<runtime::RankSetup>> StepExecutable::makeSetups(
    RuntimePrograms &programs,
    const std::vector<std::unique_ptr<runtime::Transport>> &transports,
    const cluster::Cluster *cluster, const StepOptions &options,
    std::set<std::string> &architectures) {
  std::optional<CudaPlaces> places;
  if (options.device == DeviceKind::Cuda) {
    FailureOr<CudaPlaces> found =
        ::findCudaPlaces(*partitioned, options, transports);
    if (failed(found))
      return failure();
    places = std::move(*found);
    if (MaybeError error = addArchitectures(*places, architectures))
      return partitioned->emitError() << *error;
  }
  int64_t numRanks = transports.front()->getNumRanks();
  std::vector<runtime::RankSetup> setups(transports.size());
  for (const auto &[i, setup] : llvm::enumerate(setups)) {
    int64_t rank = transports[i]->getRank();
    setup.program = std::move(programs.programs[rank]);
    setup.numThreads = getNumThreads(options, numRanks);
    MaybeError error;
    if (options.pin)
      error = pin(setup, rank, numRanks, options.transport);
    setup.memoryCap = options.memoryCap;
    if (auto name = rankNames.find(rank); name != rankNames.end()) {
      setup.deviceName = name->second;
      if (options.memoryCaps)
        setup.memoryCap =
            std::min(cluster->classOf(rank).usableMemory().count(),
                     options.memoryCap.value_or(INT64_MAX));
    } else if (places) {
      setup.deviceName = places->machine.devices[places->devices[i]].name +
                         " " + std::to_string(places->devices[i]);
    }
    if (!error && places)
      error =
          useCuda(setup, rank, places->devices[i], places->machine, options);
    if (error) {
      // Other processes wait for this one.
      transports[i]->abort(*error);
      return partitioned->emitError() << *error;
    }
  }
  return setups;
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
  markLastUses(*programs);
  std::set<std::string> architectures;
  auto setups =
      makeSetups(*programs, *transports, cluster ? &*cluster : nullptr, options,
                 architectures);
  if (failed(setups))
    return failure();
  if (options.progress)
    options.progress("compiling");
  jit = compile(*programs->kernels, options, architectures);
  if (!jit)
    return failure();
  for (runtime::RankSetup &setup : *setups)
    for (const std::string &name : setup.program.kernels) {
      setup.kernels.push_back(jit->lookup(name));
      setup.inPlace.push_back(jit->getInPlace(name));
      if (!setup.kernels.back())
        return partitioned->emitError() << "kernel '" << name << "' is missing";
    }
  if (options.progress)
    options.progress("starting");
  auto made = runtime::ProgramGroup::create(
      std::move(*setups), std::move(*transports), options.communication);
  if (!made)
    return partitioned->emitError() << made.error();
  group = std::move(*made);
  return success();
}

std::vector<int64_t> StepExecutable::getLocalRanks() const {
  std::vector<int64_t> ranks;
  ranks.reserve(group->getNumLocalRanks());
  for (size_t i = 0; i < group->getNumLocalRanks(); ++i)
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
  MaybeError error = check(signature.arguments, index, &type, "argument");
  return error ? error : group->setArgument(index, whole, type);
}

MaybeError StepExecutable::getResult(int64_t index, void *whole,
                                     const runtime::TensorType &type,
                                     int64_t root) {
  MaybeError error = check(signature.results, index, &type, "result");
  return error ? error : group->getResult(index, whole, type, root);
}

MaybeError StepExecutable::keep(int64_t argument) {
  MaybeError error = check(signature.arguments, argument, nullptr, "argument");
  return error ? error : group->keep(argument);
}

MaybeError StepExecutable::carryState() {
  for (auto [index, result] : llvm::enumerate(signature.results))
    if (result.updates) {
      if (MaybeError error =
              check(signature.arguments, *result.updates, nullptr, "argument"))
        return error;
      if (MaybeError error = group->carry(index, *result.updates))
        return error;
    }
  return std::nullopt;
}

MaybeError StepExecutable::step() { return group->step(); }

void StepExecutable::abort(const std::string &reason) {
  for (size_t i = 0; i < group->getNumLocalRanks(); ++i)
    group->getSession(i).getCommunicator().getTransport().abort(reason);
}

MaybeError StepExecutable::getFailure() const {
  return group->getSession(0).getCommunicator().getTransport().getFailure();
}

runtime::Device &StepExecutable::getDevice(size_t localRank) {
  return group->getSession(localRank).getDevice();
}
