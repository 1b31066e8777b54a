//===- hetero-run.cpp - Runs a training step ------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   hetero-run step.mlir --cluster c.yaml --planner stages --steps 10
//       --args in.npz --out out.npz --compare expected.npz --trace run.json
//
// Takes a step at any phase, from JAX's output to rank programs, does what is
// missing, and runs it. The loss of every step goes to standard output. Nothing
// is written before everything has worked.

#include "Compare.h"
#include "Interrupt.h"
#include "RandomArguments.h"
#include "Report.h"
#include "hetero/InitAll.h"
#include "hetero/Support/LargeStack.h"
#include "hetero/Support/Quantity.h"
#include "hetero/Tools/Diagnostics.h"
#include "hetero/Tools/Input.h"
#include "hetero/Tools/PlanFlags.h"
#include "hetero/Tools/Progress.h"
#include "hetero/Tools/StepExecutable.h"
#include "hetero/Tools/StepTimeline.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <cmath>
#include <sstream>
#include <thread>

using namespace mlir;
using namespace hetero;
namespace cl = llvm::cl;
using runtime::MaybeError;

namespace {
struct Flags {
  cl::OptionCategory category{"hetero-run"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<step.mlir>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> cluster{
      "cluster", cl::desc("Plan for this cluster.yaml; one device without"),
      cl::value_desc("file"), cl::cat(category)};
  PlanFlags plan{category};
  cl::list<std::string> roles{"role",
                              cl::desc("A role that the step does not tell, as "
                                       "in hetero-infer-roles"),
                              cl::value_desc("name=role"), cl::cat(category)};
  cl::opt<int64_t> steps{
      "steps",
      cl::desc("How many; updated state is the state of the next step"),
      cl::init(1), cl::cat(category)};
  cl::opt<TransportKind> transport{
      "transport", cl::desc("How ranks speak with each other"),
      cl::values(clEnumValN(TransportKind::Threads, "threads",
                            "all ranks in this process (default)"),
                 clEnumValN(TransportKind::Mpi, "mpi",
                            "one process for each rank, started by mpirun")),
      cl::init(TransportKind::Threads), cl::cat(category)};
  cl::opt<DeviceKind> device{
      "device", cl::desc("What ranks run on"),
      cl::values(clEnumValN(DeviceKind::Cpu, "cpu", "this machine (default)"),
                 clEnumValN(DeviceKind::Cuda, "cuda",
                            "a GPU each; they speak with each other by NCCL")),
      cl::init(DeviceKind::Cpu), cl::cat(category)};
  cl::opt<std::string> cudaFormat{
      "cuda-format",
      cl::desc("What kernels for GPUs become: cubin (by ptxas, default) or ptx "
               "(compiled by the driver)"),
      cl::init("cubin"), cl::cat(category)};
  cl::opt<runtime::CudaMemory> cudaMemory{
      "cuda-memory", cl::desc("Where blocks on a GPU come from"),
      cl::values(clEnumValN(runtime::CudaMemory::Arena, "arena",
                            "one piece that is allocated first (default)"),
                 clEnumValN(runtime::CudaMemory::Pool, "pool",
                            "each from the driver, for tools that watch "
                            "memory")),
      cl::init(runtime::CudaMemory::Arena), cl::cat(category)};
  cl::opt<bool> cudaGraphs{
      "cuda-graphs",
      cl::desc("Steps that repeat are launched as one CUDA graph (default)"),
      cl::init(true), cl::cat(category)};
  cl::opt<bool> listDevices{
      "list-devices",
      cl::desc("Print the GPUs that there are, and the libraries for them, and "
               "do nothing else"),
      cl::cat(category)};
  cl::opt<std::string> args{
      "args", cl::desc("Arrays in the order of the arguments; random without"),
      cl::value_desc("in.npz"), cl::cat(category)};
  cl::opt<uint64_t> seed{"seed", cl::desc("Of random arguments"), cl::init(0),
                         cl::cat(category)};
  cl::opt<std::string> out{"out",
                           cl::desc("Write the results of the last step"),
                           cl::value_desc("out.npz"), cl::cat(category)};
  cl::opt<std::string> compare{
      "compare", cl::desc("Compare the results of the last step with these"),
      cl::value_desc("expected.npz"), cl::cat(category)};
  cl::opt<double> rtol{
      "rtol",
      cl::desc("Largest difference that --compare allows, relative to the "
               "largest magnitude of each tensor (default 2e-5)"),
      cl::init(2e-5), cl::cat(category)};
  cl::opt<std::string> trace{"trace",
                             cl::desc("Write what happened when, for Perfetto"),
                             cl::value_desc("run.json"), cl::cat(category)};
  cl::opt<std::string> profile{
      "profile",
      cl::desc("Write the times of single operations, for Perfetto, and print "
               "those that take the most"),
      cl::value_desc("run.json"), cl::cat(category)};
  cl::opt<std::string> timeline{
      "timeline",
      cl::desc("Write a page with the predicted and measured times "
               "and memory of each rank"),
      cl::value_desc("out.html"), cl::cat(category)};
  cl::opt<double> patience{
      "patience",
      cl::desc("Seconds without progress on any rank after which "
               "the run ends (default 60)"),
      cl::init(60), cl::cat(category)};
  cl::opt<double> lossTimeout{
      "loss-timeout",
      cl::desc("Seconds without a sign of life of a process "
               "after which its rank is lost (default 10)"),
      cl::init(10), cl::cat(category)};
  cl::opt<bool> printPlan{"print-plan", cl::desc("Print the plan first"),
                          cl::cat(category)};
  cl::opt<std::string> emitPlanned{
      "emit-planned", cl::desc("Write the step with its plan as text"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<std::string> emitPartitioned{
      "emit-partitioned", cl::desc("Write the rank programs as text"),
      cl::value_desc("file"), cl::cat(category)};
  cl::opt<bool> memoryCaps{"memory-caps",
                           cl::desc("Hold ranks to the memory of their device"),
                           cl::init(true), cl::cat(category)};
  cl::opt<std::string> memoryCap{
      "memory-cap", cl::desc("Hold each rank to this much, such as 64MiB"),
      cl::value_desc("size"), cl::cat(category)};
  cl::opt<bool> donate{
      "donate",
      cl::desc("A step gives up its state, and writes the new one over it "
               "where it can (default); --donate=false keeps it until the "
               "step has ended"),
      cl::init(true), cl::cat(category)};
  cl::opt<bool> time{"time",
                     cl::desc("Print what preparing and the steps took: median "
                              "and spread"),
                     cl::cat(category)};
  cl::opt<bool> memory{"memory",
                       cl::desc("Print the most memory that was in use on each "
                                "rank, and by what"),
                       cl::cat(category)};
  cl::opt<unsigned> threads{
      "threads",
      cl::desc("Of each rank (default: its share of the processors)"),
      cl::init(0), cl::cat(category)};
  cl::opt<bool> pin{"pin",
                    cl::desc("Give each rank processors of its own, one for "
                             "each of its threads"),
                    cl::cat(category)};
  cl::opt<std::string> cache{
      "cache",
      cl::desc("Keep compiled kernels here, and take those that are there"),
      cl::value_desc("directory"), cl::cat(category)};
  cl::opt<bool> compileOnly{
      "compile-only",
      cl::desc("Do everything but the steps: objects are in --cache for the "
               "runs that follow"),
      cl::cat(category)};
  cl::opt<unsigned> optLevel{"opt-level", cl::desc("LLVM's, 0 to 3"),
                             cl::init(2), cl::cat(category)};
};
} // namespace

static void say(Progress &progress, const Twine &what) {
  progress.set((what + " (").str(), " s)");
}

static int fail(const Twine &message) {
  llvm::errs() << "error: " << message << "\n";
  return 1;
}

/// The number of bytes of "64MiB".
static llvm::Expected<int64_t> parseBytes(StringRef text) {
  size_t end = text.find_first_not_of("0123456789.");
  if (end == StringRef::npos)
    end = text.size();
  StringRef unit = text.drop_front(end).trim();
  return readQuantity(Dimension::Bytes, text.take_front(end),
                      unit.empty() ? "B" : unit);
}

static StepOptions getOptions(const Flags &flags, Progress &progress,
                              PhaseTimes &times) {
  StepOptions options;
  options.clusterFile = flags.cluster;
  options.plan = llvm::cantFail(flags.plan.read()); // checkFlags has read it.
  options.roles = {flags.roles.begin(), flags.roles.end()};
  options.transport = flags.transport;
  options.device = flags.device;
  options.cudaFormat = flags.cudaFormat;
  options.cudaMemory = flags.cudaMemory;
  options.cudaGraphs = flags.cudaGraphs;
  auto toMilliseconds = [](double seconds) {
    return std::chrono::milliseconds(int64_t(std::ceil(seconds * 1000)));
  };
  options.communication.patience = toMilliseconds(flags.patience);
  options.mpi.lossTimeout = toMilliseconds(flags.lossTimeout);
  options.memoryCaps = flags.memoryCaps;
  if (!flags.memoryCap.empty())
    options.memoryCap =
        llvm::cantFail(parseBytes(flags.memoryCap)); // The same.

  options.threadsPerRank = flags.threads;
  options.pin = flags.pin;
  options.cacheDirectory = flags.cache;
  options.optLevel = flags.optLevel;
  options.probes = !flags.profile.empty();
  options.progress = [&](StringRef phase) {
    say(progress, phase);
    times.begin(phase.str());
  };
  return options;
}

/// Whether a file can be written there, found out without doing it.
static MaybeError checkOutput(const std::string &path) {
  if (path.empty() || path == "-")
    return std::nullopt;
  auto fail = [&](std::error_code error) {
    return path + ": " + error.message();
  };
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status)) {
    if (llvm::sys::fs::is_directory(status))
      return fail(std::make_error_code(std::errc::is_a_directory));
    if (!llvm::sys::fs::is_regular_file(status))
      return llvm::sys::fs::can_write(path)
                 ? MaybeError()
                 : fail(std::make_error_code(std::errc::permission_denied));
  }
  // It is written under another name first.
  StringRef folder = llvm::sys::path::parent_path(path);
  folder = folder.empty() ? "." : folder;
  if (std::error_code error = llvm::sys::fs::status(folder, status))
    return fail(error);
  if (!llvm::sys::fs::is_directory(status))
    return fail(std::make_error_code(std::errc::not_a_directory));
  if (std::error_code error =
          llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write))
    return fail(error);
  return std::nullopt;
}

/// Files that cannot be read or written, before a long run finds out.
static MaybeError checkFiles(const Flags &flags) {
  for (const auto *input : {&flags.args, &flags.compare}) {
    if (input->empty())
      continue;
    auto file = llvm::sys::fs::openNativeFileForRead(*input);
    if (!file)
      return *input + ": " + llvm::toString(file.takeError());
    static_cast<void>(llvm::sys::fs::closeFile(*file));
  }
  if (!flags.out.empty()) {
    llvm::sys::fs::file_status status;
    if (!llvm::sys::fs::status(flags.out, status) &&
        llvm::sys::fs::is_other(status))
      return flags.out + ": is not a file that can be replaced";
  }
  for (const auto *output :
       {&flags.out, &flags.trace, &flags.profile, &flags.timeline,
        &flags.emitPlanned, &flags.emitPartitioned})
    if (MaybeError error = checkOutput(*output))
      return error;
  return std::nullopt;
}

/// Things that can be known to be wrong before any work.
static MaybeError checkFlags(const Flags &flags) {
  if (flags.cudaFormat != "cubin" && flags.cudaFormat != "ptx")
    return "--cuda-format=" + flags.cudaFormat +
           " is neither 'cubin' nor 'ptx'";
  if (flags.steps < 1)
    return "--steps must be at least 1, not " + std::to_string(flags.steps);
  if (auto plan = flags.plan.read(); !plan)
    return llvm::toString(plan.takeError());
  if (flags.optLevel > 3)
    return "--opt-level must be 0 to 3, not " + std::to_string(flags.optLevel);
  if (!flags.memoryCap.empty()) {
    auto cap = parseBytes(flags.memoryCap);
    if (!cap)
      return "--memory-cap: " + llvm::toString(cap.takeError());
  }
  if (flags.threads < 1 && flags.threads.getNumOccurrences() != 0)
    return "--threads must be at least 1";
  // More is as good as never.
  for (const auto *seconds : {&flags.patience, &flags.lossTimeout})
    if (bool isTime = *seconds > 0 && *seconds < 1e9; !isTime)
      return "--" + seconds->ArgStr.str() + " must be positive";
  if (!(flags.rtol >= 0))
    return "--rtol must not be negative";
  if (flags.compileOnly && flags.cache.empty() && flags.emitPlanned.empty() &&
      flags.emitPartitioned.empty())
    return "--compile-only leaves nothing behind without --cache";
  return checkFiles(flags);
}

static std::string describe(const std::vector<StepTensor> &tensors,
                            size_t index, const char *what) {
  std::string text = what + (" " + std::to_string(index));
  return tensors[index].name.empty() ? text
                                     : text + " (" + tensors[index].name + ")";
}

/// Reads arrays that must fit `tensors`.
static runtime::Result<std::vector<runtime::Array>>
readArrays(const std::string &path, const std::vector<StepTensor> &tensors,
           const char *what) {
  auto arrays = runtime::readNpz(path);
  if (!arrays)
    return runtime::Error{arrays.error()};
  if (arrays->size() != tensors.size())
    return runtime::Error{path + ": has " + std::to_string(arrays->size()) +
                          " arrays, the step has " +
                          std::to_string(tensors.size()) + " " + what + "s"};
  for (size_t i = 0; i < tensors.size(); ++i)
    if ((*arrays)[i].type != tensors[i].type)
      return runtime::Error{path + ": array '" + (*arrays)[i].name + "' is " +
                            (*arrays)[i].type.str() + ", but " +
                            describe(tensors, i, what) + " is " +
                            tensors[i].type.str()};
  return arrays;
}

static MaybeError setArguments(StepExecutable &step,
                               std::vector<runtime::Array> arrays) {
  for (size_t i = 0; i < arrays.size(); ++i) {
    // The devices have it then.
    runtime::Array array = std::move(arrays[i]);
    if (MaybeError error = step.setArgument(i, array.data.data(), array.type))
      return error;
  }
  if (MaybeError error = step.carryState())
    return error;
  std::vector<bool> isState(arrays.size(), false);
  for (const StepTensor &result : step.getResults())
    if (result.updates)
      isState[*result.updates] = true;
  for (size_t i = 0; i < arrays.size(); ++i)
    if (!isState[i])
      if (MaybeError error = step.keep(i))
        return error;
  return std::nullopt;
}

static runtime::Result<runtime::Array> getResult(StepExecutable &step,
                                                 size_t index) {
  runtime::Array array;
  array.name = "arr_" + std::to_string(index); // As numpy.savez names them.
  array.type = step.getResults()[index].type;
  array.data.resize(array.type.numBytes());
  // With several processes only the first has the result.
  if (MaybeError error = step.getResult(index, array.data.data(), array.type,
                                        /*root=*/0))
    return runtime::Error{*error};
  return array;
}

/// The loss, if it is a number that can be shown.
static MaybeError printLoss(StepExecutable &step, int64_t number, bool isRoot) {
  for (auto [index, tensor] : llvm::enumerate(step.getResults())) {
    bool isDouble = tensor.type.element == runtime::ElementType::F64;
    bool isFloat = tensor.type.element == runtime::ElementType::F32;
    if (tensor.role != "loss" || tensor.type.numElements() != 1 ||
        !(isFloat || isDouble))
      continue;
    auto array = getResult(step, index);
    if (!array)
      return array.error();
    double loss;
    if (isDouble) {
      std::memcpy(&loss, array->data.data(), sizeof(loss));
    } else {
      float narrow;
      std::memcpy(&narrow, array->data.data(), sizeof(narrow));
      loss = narrow;
    }
    if (isRoot)
      llvm::outs() << llvm::format("step %lld: loss %.7g\n", (long long)number,
                                   loss);
    llvm::outs().flush();
    return std::nullopt;
  }
  return std::nullopt;
}

/// Says how far the results are from what is expected; whether near enough.
static bool compare(const StepExecutable &step,
                    const std::vector<runtime::Array> &actual,
                    const std::vector<runtime::Array> &expected, double rtol) {
  std::vector<std::pair<double, size_t>> differences;
  differences.reserve(actual.size());
  for (size_t i = 0; i < actual.size(); ++i)
    differences.emplace_back(getDifference(actual[i], expected[i]), i);
  llvm::sort(differences, [](auto &a, auto &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  size_t numBad = llvm::count_if(
      differences, [&](auto &entry) { return entry.first > rtol; });
  if (differences.empty())
    return true;
  constexpr size_t maxShown = 5;
  llvm::raw_ostream &os = numBad ? llvm::errs() : llvm::outs();
  if (numBad)
    os << "error: " << numBad << " of " << actual.size()
       << " results differ by more than " << llvm::format("%g", rtol)
       << " of their scale\n";
  else
    os << actual.size() << " results agree; the largest differences:\n";
  for (auto &[difference, index] :
       llvm::ArrayRef(differences)
           .take_front(std::min(maxShown, numBad ? numBad : maxShown)))
    os << llvm::format("  %.3g", difference) << "  "
       << describe(step.getResults(), index, "result") << " : "
       << step.getResults()[index].type.str() << "\n";
  return numBad == 0;
}

/// Nothing happens without a path.
static int writeFile(const std::string &path,
                     llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (path.empty())
    return 0;
  // Under another name until it is whole.
  llvm::Error error =
      llvm::writeToOutput(path, [&](llvm::raw_ostream &os) -> llvm::Error {
        write(os);
        return llvm::Error::success();
      });
  if (error)
    return fail(path + ": " + llvm::toString(std::move(error)));
  return 0;
}

static int emitText(ModuleOp module, const std::string &path) {
  if (!module)
    return 0;
  return writeFile(path, [&](llvm::raw_ostream &os) {
    module->print(os);
    os << "\n";
  });
}

/// For what is wrong with the input of all processes: the first one says it.
static int failInput(StepExecutable &step, bool isRoot, const Twine &message) {
  if (step.getLocalRanks().size() == size_t(step.getNumRanks()))
    return fail(message);
  if (isRoot)
    step.abort(message.str());
  for (int i = 0; !isRoot && i < 100; ++i) {
    if (step.getFailure())
      return 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return fail(message);
}

/// All steps, and what they took.
static int takeSteps(StepExecutable &step, const Flags &flags,
                     Progress &progress, bool isRoot) {
  Interrupt interrupt(step);
  for (size_t i = 0; flags.memory && i < step.getLocalRanks().size(); ++i)
    step.getDevice(i).trackPeak();
  std::vector<double> seconds;
  for (int64_t number = 1; number <= flags.steps; ++number) {
    say(progress,
        "step " + Twine(number) + " of " + Twine(int64_t(flags.steps)));
    auto began = std::chrono::steady_clock::now();
    MaybeError error = step.step();
    // Else a device may still be at it.
    if (!error && (flags.time || number == flags.steps))
      error = step.synchronize();
    std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - began;
    if (!error && !Interrupt::hasHappened()) {
      seconds.push_back(took.count());
      error = printLoss(step, number, isRoot);
    }
    if (Interrupt::hasHappened()) {
      fail("interrupted in step " + Twine(number) + "; nothing was written");
      return 130; // As shells say it.
    }
    if (error)
      return fail(*error);
  }
  if (flags.time && isRoot)
    printStepTimes(seconds, llvm::outs());
  if (flags.memory)
    printMemory(step, llvm::outs());
  return 0;
}

/// The steps, and what comes of them.
static int runSteps(StepExecutable &step, const Flags &flags,
                    Progress &progress) {
  bool isRoot = llvm::is_contained(step.getLocalRanks(), 0);
  std::vector<runtime::Array> arguments, expected, results;
  if (flags.args.empty()) {
    arguments = makeRandomArguments(step.getArguments(), flags.seed);
  } else {
    auto arrays = readArrays(flags.args, step.getArguments(), "argument");
    if (!arrays)
      return failInput(step, isRoot, arrays.error());
    arguments = std::move(*arrays);
  }
  if (!flags.compare.empty()) {
    auto arrays = readArrays(flags.compare, step.getResults(), "result");
    if (!arrays)
      return failInput(step, isRoot, arrays.error());
    expected = std::move(*arrays);
  }
  if (MaybeError error = setArguments(step, std::move(arguments)))
    return fail(*error);
  step.setDonating(flags.donate);
  step.setTracing(!flags.trace.empty() || !flags.timeline.empty() ||
                  !flags.profile.empty());
  if (int code = takeSteps(step, flags, progress, isRoot))
    return code;
  say(progress, "collecting results");
  if (!flags.out.empty() || !flags.compare.empty())
    for (size_t i = 0; i < step.getResults().size(); ++i) {
      auto array = getResult(step, i);
      if (!array)
        return fail(array.error());
      results.push_back(std::move(*array));
    }
  if (isRoot && !flags.out.empty())
    if (MaybeError error = runtime::writeNpz(flags.out, results))
      return fail(*error);
  // All processes take part in that.
  std::vector<runtime::TraceEvent> events = step.takeTrace();
  auto writeTrace = [&](llvm::raw_ostream &os) {
    std::ostringstream text;
    runtime::writeChromeTrace(text, events, step.getRankNames());
    os << text.str();
  };
  if (isRoot && !flags.profile.empty()) {
    if (writeFile(flags.profile, writeTrace))
      return 1;
    printProfile(events, llvm::outs());
    llvm::erase_if(events, [](auto &event) { return event.isOperation; });
  }
  if (isRoot && writeFile(flags.trace, writeTrace))
    return 1;
  if (isRoot && writeFile(flags.timeline, [&](llvm::raw_ostream &os) {
        simulator::writeTimeline(
            makeTimeline(step.getPlanned(), events, step.getRankNames()), os);
      }))
    return 1;
  if (isRoot && !flags.compare.empty() &&
      !compare(step, results, expected, flags.rtol))
    return 1;
  return 0;
}

/// Before MPI is started only mpirun can tell, in its own way.
static bool isFirstProcess() {
  for (const char *name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (const char *rank = std::getenv(name))
      return llvm::StringRef(rank) == "0";
  return true;
}

/// Reads, plans and compiles; what there is to say goes to `os`.
static std::unique_ptr<StepExecutable>
prepare(const Flags &flags, MLIRContext &context, Progress &progress,
        PhaseTimes &times, llvm::raw_ostream &os) {
  times.begin("reading");
  if (MaybeError error = checkFlags(flags)) {
    os << "error: " << *error << "\n";
    return nullptr;
  }
  auto input = readInput(flags.input, context.getDialectRegistry(), os);
  if (!input)
    return nullptr;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(input), llvm::SMLoc());
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    printDiagnostic(diagnostic, os, flags.input);
    return success();
  });
  auto module = parseSourceFile<ModuleOp>(sources, &context);
  if (!module)
    return nullptr;
  return StepExecutable::create(std::move(module),
                                getOptions(flags, progress, times));
}

static int listDevices() {
  auto machine = runtime::findCuda();
  if (!machine)
    return fail(machine.error());
  llvm::outs() << machine->str();
  return 0;
}

static int runMain(const Flags &flags) {
  if (flags.listDevices)
    return listDevices();
  DialectRegistry registry;
  registerAllDialects(registry);
  // All processes are told the same. The first says it for all, and mpirun ends
  // the others with it.
  bool isQuiet = flags.transport == TransportKind::Mpi && !isFirstProcess();
  Progress progress("reading (", " s)", isQuiet);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  std::string held;
  llvm::raw_string_ostream holding(held);
  PhaseTimes times;
  auto step = prepare(flags, context, progress, times,
                      isQuiet ? static_cast<llvm::raw_ostream &>(holding)
                              : llvm::errs());
  if (!step) {
    if (!held.empty())
      std::this_thread::sleep_for(std::chrono::seconds(2));
    llvm::errs() << held;
    return 1;
  }
  times.end();
  bool isRoot = llvm::is_contained(step->getLocalRanks(), 0);
  if (isRoot && flags.time)
    times.print(llvm::outs());
  if (isRoot && flags.printPlan && step->getPlanned())
    printPlanTable(step->getPlanned(), llvm::outs());
  if (isRoot && (emitText(step->getPlanned(), flags.emitPlanned) ||
                 emitText(step->getPartitioned(), flags.emitPartitioned)))
    return 1;
  if (flags.compileOnly)
    return 0;
  if (int code = runSteps(*step, flags, progress))
    return code;
  // What could not be given back may have been wrong before.
  MaybeError error = step->close();
  return error ? fail(*error) : 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ResetCommandLineParser(); // The options of LLVM itself are not ours.
  Flags flags;
  cl::HideUnrelatedOptions(flags.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Runs a JAX training step, planned for a cluster, on this machine.\n\n"
      "The step may be what JAX exports, one with a plan, or rank programs;\n"
      "what is missing is done first. The loss of each step is printed.\n");
  return runOnLargeStack([&] { return runMain(flags); });
}
