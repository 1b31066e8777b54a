//===- Core.cpp - What the Python package asks of the compiler ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Core.h"
#include "hetero/Analysis/PlanValue.h"
#include "hetero/Cluster/Cluster.h"
#include "hetero/InitAll.h"
#include "hetero/Support/BoolLiterals.h"
#include "hetero/Tools/StepExecutable.h"
#include "hetero/Tools/StepTimeline.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/thread.h"
#include <condition_variable>
#include <mutex>

using namespace mlir;
using namespace hetero;
using namespace hetero::python;
using runtime::MaybeError;
using runtime::Result;

python::StepExecutable::~StepExecutable() = default;

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

static ClusterInfo describe(const cluster::Cluster &cluster) {
  ClusterInfo info;
  info.name = cluster.name;
  for (auto [rank, device] : llvm::enumerate(cluster.devices)) {
    const cluster::DeviceClass &kind = cluster.classOf(rank);
    info.devices.push_back({static_cast<int64_t>(rank), kind.name,
                            cluster.nodeOf(rank).name,
                            kind.usableMemory().count(), device.available});
  }
  llvm::raw_string_ostream os(info.text);
  cluster::writeCluster(cluster, os);
  return info;
}

Result<ClusterInfo> python::readCluster(const std::string &file,
                                        const std::string *text) {
  auto cluster = text ? cluster::readCluster(llvm::MemoryBufferRef(*text, file))
                      : cluster::readClusterFile(file);
  if (!cluster)
    return runtime::Error{llvm::toString(cluster.takeError())};
  return describe(*cluster);
}

//===----------------------------------------------------------------------===//
// GPUs
//===----------------------------------------------------------------------===//

Result<std::string>
python::describeCuda(const std::vector<std::string> &libraryDirectories) {
  runtime::CudaLibraries libraries;
  libraries.directories = libraryDirectories;
  auto machine = runtime::findCuda(libraries);
  if (!machine)
    return runtime::Error{machine.error()};
  return machine->str();
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

/// The place in a file that a location leads to: of a call, the called place.
static FileLineColLoc findFile(Location loc) {
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    return file;
  if (auto name = dyn_cast<NameLoc>(loc))
    return findFile(name.getChildLoc());
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return findFile(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (FileLineColLoc file = findFile(part))
        return file;
  return {};
}

/// What JAX calls it: the outermost name that is not a file.
static StringRef findName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName();
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return findName(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (StringRef name = findName(part); !name.empty())
        return name;
  return {};
}

static void print(Diagnostic &diagnostic, llvm::raw_ostream &os) {
  StringRef name = findName(diagnostic.getLocation());
  if (FileLineColLoc file = findFile(diagnostic.getLocation()))
    os << file.getFilename().getValue() << ":" << file.getLine() << ":"
       << file.getColumn() << ": ";
  if (diagnostic.getSeverity() == DiagnosticSeverity::Note)
    os << "note: ";
  os << diagnostic.str();
  if (!name.empty())
    os << " (" << name << ")";
}

namespace {
/// A context with everything registered, which collects errors as text.
class Context {
public:
  Context() : context(makeRegistry()) {
    context.allowUnregisteredDialects();
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { record(diagnostic); });
  }

  MLIRContext *get() { return &context; }

  /// What was reported since the last time.
  std::string takeErrors() {
    std::lock_guard<std::mutex> lock(mutex);
    std::string taken = std::move(errors);
    errors.clear();
    return taken.empty() ? "failed without a message" : taken;
  }

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  void record(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    llvm::raw_string_ostream os(errors);
    if (!errors.empty())
      os << "\n";
    print(diagnostic, os);
    for (Diagnostic &note : diagnostic.getNotes()) {
      os << "\n";
      print(note, os);
    }
  }

  MLIRContext context;
  std::mutex mutex;
  std::string errors;
};
} // namespace

static OwningOpRef<ModuleOp> parse(const std::string &source,
                                   Context &context) {
  std::optional<std::string> packed = packBoolLiterals(source);
  return parseSourceString<ModuleOp>(packed ? *packed : source, context.get(),
                                     "step");
}

static Result<StepOptions> translate(const CompileOptions &options) {
  StepOptions result;
  result.clusterFile = options.clusterFile;
  result.clusterText = options.clusterText;
  result.plan = options.plan;
  result.roles = options.roles;
  result.memoryCaps = options.memoryCaps;
  result.threadsPerRank = options.threadsPerRank;
  result.cacheDirectory = options.cacheDirectory;
  result.optLevel = options.optLevel;
  if (options.progress)
    result.progress = [report = options.progress](StringRef phase) {
      report(phase.str());
    };
  auto transport = parseTransportKind(options.transport);
  if (!transport)
    return runtime::Error{"unknown transport '" + options.transport +
                          "'; one of: threads, mpi"};
  result.transport = *transport;
  auto device = parseDeviceKind(options.device);
  if (!device)
    return runtime::Error{"unknown device '" + options.device +
                          "'; one of: cpu, cuda"};
  result.device = *device;
  if (options.cudaFormat != "cubin" && options.cudaFormat != "ptx")
    return runtime::Error{"unknown cuda_format '" + options.cudaFormat +
                          "'; one of: cubin, ptx"};
  result.cudaFormat = options.cudaFormat;
  if (options.cudaMemory != "arena" && options.cudaMemory != "pool")
    return runtime::Error{"unknown cuda_memory '" + options.cudaMemory +
                          "'; one of: arena, pool"};
  result.cudaMemory = options.cudaMemory == "pool" ? runtime::CudaMemory::Pool
                                                   : runtime::CudaMemory::Arena;
  result.cudaGraphs = options.cudaGraphs;
  result.cudaToolkit = options.cudaToolkit;
  result.cudaLibraryDirectories = options.cudaLibraryDirectories;
  return result;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

static StageInfo describe(const planner::Stage &stage,
                          llvm::ArrayRef<std::string> names) {
  StageInfo info;
  info.devices = stage.mesh.devices;
  for (const planner::LayerRun &run : stage.layers)
    for (int64_t layer = run.first; layer <= run.last; ++layer) {
      info.layers.push_back(layer);
      if (layer < int64_t(names.size()))
        info.layerNames.push_back(names[layer]);
    }
  info.samples = stage.samples;
  for (const planner::DeviceShare &share : stage.shares)
    info.shares.push_back(
        {share.device, share.state.count(), share.memory.count()});
  info.state = stringify(stage.state).str();
  info.inFlight = stage.inFlight;
  info.forward = toSeconds(stage.forward);
  info.backward = toSeconds(stage.backward);
  info.boundary = toSeconds(stage.boundary);
  return info;
}

static std::string toText(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (module)
    module.print(os);
  return text;
}

static PlanInfo describe(ModuleOp module) {
  PlanInfo info;
  if (!module)
    return info;
  info.module = toText(module);
  auto plans = module.getOps<PlanOp>();
  if (plans.empty())
    return info;
  // What is wrong with the plan was said when it was made or read.
  FailureOr<planner::Plan> plan = getPlan(*plans.begin());
  if (failed(plan))
    return info;
  std::vector<std::string> names = getLayerNames(*plans.begin());
  info.planner = plan->planner;
  info.batch = plan->batch;
  info.microbatches = plan->microbatches;
  for (const planner::Stage &stage : plan->stages)
    info.stages.push_back(describe(stage, names));
  info.predicted = toSeconds(plan->predicted);
  if (plan->bound > Time(0))
    info.bound = toSeconds(plan->bound);
  llvm::raw_string_ostream os(info.table);
  printPlanTable(module, os);
  return info;
}

Result<PlanInfo> python::planSource(const std::string &source,
                                    const CompileOptions &options) {
  Result<StepOptions> stepOptions = translate(options);
  if (!stepOptions)
    return runtime::Error{stepOptions.error()};
  Context context;
  OwningOpRef<ModuleOp> module = parse(source, context);
  if (!module || failed(planModule(*module, *stepOptions)))
    return runtime::Error{context.takeErrors()};
  return describe(*module);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

namespace {
class StepExecutableImpl : public python::StepExecutable {
public:
  StepExecutableImpl(std::unique_ptr<Context> context,
                     std::unique_ptr<hetero::StepExecutable> executable)
      : context(std::move(context)), executable(std::move(executable)) {}

  std::vector<StepTensor> getArguments() const override {
    return executable->getArguments();
  }
  std::vector<StepTensor> getResults() const override {
    return executable->getResults();
  }
  int64_t getNumRanks() const override { return executable->getNumRanks(); }
  int64_t getPeakBytes() const override {
    int64_t most = 0;
    for (size_t i = 0; i < executable->getLocalRanks().size(); ++i)
      most = std::max(most, executable->getDevice(i).getPeakBytes());
    return most;
  }
  PlanInfo getPlan() const override {
    return describe(executable->getPlanned());
  }
  std::string getPartitioned() const override {
    return toText(executable->getPartitioned());
  }

  MaybeError setArgument(int64_t index, const void *whole) override {
    return executable->setArgument(index, whole,
                                   executable->getArguments()[index].type);
  }
  MaybeError step() override { return executable->step(); }
  MaybeError synchronize() override { return executable->synchronize(); }
  MaybeError getResult(int64_t index, void *whole) override {
    return executable->getResult(index, whole,
                                 executable->getResults()[index].type);
  }
  void abort(const std::string &reason) override { executable->abort(reason); }

  void setTracing(bool on) override {
    executable->takeTrace();
    events.clear();
    executable->setTracing(on);
  }
  MaybeError writeTrace(const std::string &file) override {
    return runtime::writeChromeTrace(file, takeEvents(),
                                     executable->getRankNames());
  }
  MaybeError writeTimeline(const std::string &file) override {
    std::error_code error;
    llvm::raw_fd_ostream os(file, error);
    if (error)
      return "cannot write '" + file + "': " + error.message();
    simulator::writeTimeline(makeTimeline(executable->getPlanned(),
                                          takeEvents(),
                                          executable->getRankNames()),
                             os);
    return std::nullopt;
  }

private:
  /// Everything since the recording began.
  const std::vector<runtime::TraceEvent> &takeEvents() {
    for (runtime::TraceEvent &event : executable->takeTrace())
      events.push_back(std::move(event));
    return events;
  }

  /// Outlives the executable, which has modules.
  std::unique_ptr<Context> context;
  std::unique_ptr<hetero::StepExecutable> executable;
  std::vector<runtime::TraceEvent> events;
};
} // namespace

Result<std::unique_ptr<python::StepExecutable>>
python::compileSource(const std::string &source,
                      const CompileOptions &options) {
  Result<StepOptions> stepOptions = translate(options);
  if (!stepOptions)
    return runtime::Error{stepOptions.error()};
  auto context = std::make_unique<Context>();
  OwningOpRef<ModuleOp> module = parse(source, *context);
  if (!module)
    return runtime::Error{context->takeErrors()};
  auto executable =
      hetero::StepExecutable::create(std::move(module), *stepOptions);
  if (!executable)
    return runtime::Error{context->takeErrors()};
  if (MaybeError error = executable->carryState())
    return runtime::Error{*error};
  std::unique_ptr<python::StepExecutable> step =
      std::make_unique<StepExecutableImpl>(std::move(context),
                                           std::move(executable));
  return step;
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace {
struct ThreadCount {
  std::mutex mutex;
  std::condition_variable changed;
  int64_t running = 0;
};
} // namespace

/// Never destroyed: a thread may outlive the static objects.
static ThreadCount &getThreadCount() {
  static auto *count = new ThreadCount;
  return *count;
}

void python::startOnLargeStack(std::function<void()> body) {
  constexpr unsigned stackSize = 256u << 20;
  ThreadCount &count = getThreadCount();
  {
    std::lock_guard<std::mutex> lock(count.mutex);
    ++count.running;
  }
  llvm::thread thread(std::optional<unsigned>(stackSize),
                      [body = std::move(body), &count]() mutable {
                        body();
                        // What it holds may be objects of Python, which must be
                        // gone before the interpreter is.
                        body = nullptr;
                        std::lock_guard<std::mutex> lock(count.mutex);
                        --count.running;
                        count.changed.notify_all();
                      });
  thread.detach();
}

void python::waitForThreads() {
  ThreadCount &count = getThreadCount();
  std::unique_lock<std::mutex> lock(count.mutex);
  count.changed.wait(lock, [&] { return count.running == 0; });
}
