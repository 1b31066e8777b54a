//===- hetero-run-seeds.cpp - One program in many orders ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   hetero-run-seeds step.mlir --args=in.npz --seeds=20 --steps=3
//   hetero-run-seeds module.mlir --function --args=in.npz --first=100
//
// Compiles a step, at any phase, or a function @main that is none, for this
// machine and runs it; then compiles it for CUDA devices, which have to be the
// stand-in's, and runs it there once for each seed. Each run is a process of
// its own, forked when everything is compiled, so that a mistake ends that one
// only. A line says how it went:
//
//   cpu 3 ranks, 12 results
//   seed 0 random ok 3.1e-07 5f3a8c1d2e4b6a79
//   seed 1 lazy wrong 0.25 result 3 (arr_3)
//   seed 2 eager failed 97 kernel 'loop_0' (operation 7, ...) reads ...
//
// The last number of a run that is right stands for all bits of its results.

#include "../../../tools/hetero-run/Compare.h"
#include "../../Conversion/Run/FunctionProgram.h"
#include "../../Conversion/Run/ModuleFile.h"
#include "hetero/Conversion/Jit/Jit.h"
#include "hetero/Runtime/NcclCommunicator.h"
#include "hetero/Support/LargeStack.h"
#include "hetero/Tools/StepExecutable.h"
#include "hetero/Transforms/Import/Passes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/xxhash.h"
#include <chrono>
#include <csignal>
#include <dlfcn.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace hetero;
namespace cl = llvm::cl;
using runtime::Array;
using runtime::MaybeError;

namespace {
enum class Feeding { Once, Always, Odd };

struct Flags {
  cl::OptionCategory category{"hetero-run-seeds"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<module.mlir>"),
                             cl::Required, cl::cat(category)};
  cl::opt<std::string> args{
      "args", cl::desc("Arrays in the order of the arguments"),
      cl::value_desc("in.npz"), cl::Required, cl::cat(category)};
  cl::opt<bool> function{"function",
                         cl::desc("Run @main, which is no training step"),
                         cl::cat(category)};
  cl::opt<std::string> cluster{"cluster", cl::desc("Plan for it"),
                               cl::value_desc("file"), cl::cat(category)};
  cl::opt<int64_t> microbatches{"microbatches",
                                cl::desc("Of a step without a plan"),
                                cl::init(1), cl::cat(category)};
  cl::opt<uint64_t> first{"first", cl::desc("The first seed"), cl::init(0),
                          cl::cat(category)};
  cl::opt<uint64_t> seeds{"seeds", cl::desc("How many"), cl::init(20),
                          cl::cat(category)};
  cl::opt<int64_t> steps{"steps", cl::desc("In each run"), cl::init(1),
                         cl::cat(category)};
  cl::opt<Feeding> feed{
      "feed", cl::desc("When arguments that are no state are given anew"),
      cl::values(clEnumValN(Feeding::Once, "once", "before the first step"),
                 clEnumValN(Feeding::Always, "always", "before each step"),
                 clEnumValN(Feeding::Odd, "odd",
                            "before each step where the seed is odd")),
      cl::init(Feeding::Once), cl::cat(category)};
  cl::opt<runtime::CudaMemory> memory{
      "cuda-memory", cl::desc("Where blocks come from"),
      cl::values(clEnumValN(runtime::CudaMemory::Arena, "arena", "one piece"),
                 clEnumValN(runtime::CudaMemory::Pool, "pool",
                            "each from the driver")),
      cl::init(runtime::CudaMemory::Arena), cl::cat(category)};
  cl::opt<double> rtol{"rtol",
                       cl::desc("Largest difference, relative to the largest "
                                "magnitude of each tensor; 16-bit floats have "
                                "what their rounding takes at least"),
                       cl::init(2e-5), cl::cat(category)};
  cl::opt<int64_t> timeout{"timeout", cl::desc("Seconds for one run"),
                           cl::init(600), cl::cat(category)};
};

/// What runs and what it is to be compared with.
struct Campaign {
  const Flags &flags;
  std::vector<Array> arguments, expected;
  /// Whether arguments that are no state are given before each step.
  bool isFed = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// One run
//===----------------------------------------------------------------------===//

/// Sums of 16-bit floats that are taken in another order differ by some units
/// of the last place; test/Conversion/cases.py has the same figures.
static double getTolerance(runtime::ElementType type, double rtol) {
  if (type == runtime::ElementType::BF16)
    return std::max(rtol, 1.6e-2);
  if (type == runtime::ElementType::F16)
    return std::max(rtol, 2e-3);
  return rtol;
}

/// Gives arguments to a step or a function, both of which speak of whole
/// tensors: all, or those that are no state.
template <typename Runner>
static MaybeError setArguments(Runner &runner,
                               const std::vector<Array> &arguments,
                               const std::vector<bool> &isSkipped) {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!isSkipped[i])
      if (MaybeError error = runner.setArgument(i, arguments[i].data.data(),
                                                arguments[i].type))
        return error;
  return std::nullopt;
}

/// Steps and their results, which have the types of `results`.
template <typename Runner>
static MaybeError run(Runner &runner, const Campaign &campaign,
                      const std::vector<bool> &isState,
                      std::vector<Array> &results) {
  const std::vector<Array> &arguments = campaign.arguments;
  if (MaybeError error =
          setArguments(runner, arguments, std::vector<bool>(arguments.size())))
    return error;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (!isState[i] && !campaign.isFed)
      if (MaybeError error = runner.keep(i))
        return error;
  for (int64_t i = 0; i < campaign.flags.steps; ++i) {
    if (i > 0 && campaign.isFed)
      if (MaybeError error = setArguments(runner, arguments, isState))
        return error;
    if (MaybeError error = runner.step())
      return error;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    results[i].data.resize(results[i].type.numBytes());
    if (MaybeError error =
            runner.getResult(i, results[i].data.data(), results[i].type))
      return error;
  }
  return std::nullopt;
}

static MaybeError runStep(StepExecutable &step, const Campaign &campaign,
                          std::vector<Array> &results) {
  if (campaign.arguments.size() != step.getArguments().size())
    return "the step has " + std::to_string(step.getArguments().size()) +
           " arguments, not " + std::to_string(campaign.arguments.size());
  if (MaybeError error = step.carryState())
    return error;
  std::vector<bool> isState(campaign.arguments.size());
  for (const StepTensor &result : step.getResults()) {
    results.emplace_back();
    results.back().type = result.type;
    results.back().name = result.name;
    if (result.updates)
      isState[*result.updates] = true;
  }
  return run(step, campaign, isState, results);
}

static MaybeError runFunction(runtime::ProgramGroup &group,
                              const Campaign &campaign,
                              std::vector<Array> &results) {
  const runtime::Program &program = group.getSession(0).getProgram();
  for (const runtime::Binding &binding : program.results) {
    results.emplace_back();
    results.back().type = program.buffers[binding.buffer];
  }
  return run(group, campaign, std::vector<bool>(campaign.arguments.size()),
             results);
}

/// What a run has to say to the one that forked it, and what it returns.
static int report(const Campaign &campaign, const MaybeError &error,
                  const std::vector<Array> &results) {
  if (error) {
    llvm::outs() << "failed 1 " << *error << "\n";
    return 1;
  }
  double largest = 0;
  uint64_t digest = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const Array &expected = campaign.expected[i];
    double difference = getDifference(results[i], expected);
    double tolerance = getTolerance(expected.type.element, campaign.flags.rtol);
    if (!(difference <= tolerance)) {
      llvm::outs() << "wrong " << llvm::format("%.3g", difference) << " result "
                   << i << " " << results[i].name << " : "
                   << expected.type.str() << "\n";
      return 1;
    }
    largest = std::max(largest, difference);
    digest = digest * 31 + llvm::xxh3_64bits(StringRef(results[i].data.data(),
                                                       results[i].data.size()));
  }
  llvm::outs() << llvm::format("ok %.3g %016llx\n", largest,
                               (unsigned long long)digest);
  return 0;
}

//===----------------------------------------------------------------------===//
// Many runs
//===----------------------------------------------------------------------===//

/// One of so many runs looks for races within kernels.
static constexpr uint64_t racesEvery = 20;
static const char *const orders[] = {"random", "lazy", "eager"};

/// Tells the stand-in what CUDA leaves open.
static void setSeed(uint64_t seed) {
  const char *library = std::getenv("HETERO_CUDA_DRIVER_LIBRARY");
  void *handle = dlopen(library ? library : "", RTLD_NOW | RTLD_NOLOAD);
  auto *set = reinterpret_cast<void (*)(uint64_t, const char *)>(
      handle ? dlsym(handle, "heteroStandInSeed") : nullptr);
  if (!set) {
    llvm::outs() << "failed 1 HETERO_CUDA_DRIVER_LIBRARY is not the stand-in\n";
    llvm::outs().flush();
    std::_Exit(1);
  }
  set(seed, orders[seed % 3]);
}

/// Reads until the other side has ended or the time is over.
static std::string readAll(int file, int64_t seconds, bool &isOver) {
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::string text;
  char buffer[4096];
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    pollfd entry = {file, POLLIN, 0};
    if (left.count() <= 0 || poll(&entry, 1, left.count()) == 0) {
      isOver = true;
      return text;
    }
    ssize_t count = read(file, buffer, sizeof(buffer));
    if (count <= 0)
      return text;
    text.append(buffer, count);
  }
}

/// The line that a run wrote, or what can be said of one that did not.
static std::string summarize(StringRef text, int status, bool isOver) {
  if (isOver)
    return "failed 0 the time is over";
  StringRef last;
  for (StringRef line : llvm::split(text.trim(), '\n')) {
    if (line.starts_with("ok ") || line.starts_with("wrong ") ||
        line.starts_with("failed "))
      if (WIFEXITED(status) && WEXITSTATUS(status) < 2)
        return line.str();
    if (!line.empty())
      last = line;
  }
  int code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return "failed " + std::to_string(code) + " " + last.str();
}

/// Returns in each child; the parent ends when all have.
static void forkRuns(Campaign &campaign) {
  const Flags &flags = campaign.flags;
  int code = 0;
  for (uint64_t seed = flags.first; seed < flags.first + flags.seeds; ++seed) {
    llvm::outs() << "seed " << seed << " " << orders[seed % 3] << " ";
    llvm::outs().flush();
    int ends[2];
    if (pipe(ends) != 0)
      llvm::report_fatal_error("no pipe");
    pid_t child = fork();
    if (child < 0)
      llvm::report_fatal_error("no process");
    if (child == 0) {
      close(ends[0]);
      dup2(ends[1], STDOUT_FILENO);
      dup2(ends[1], STDERR_FILENO);
      close(ends[1]);
      setSeed(seed);
      campaign.isFed = flags.feed == Feeding::Always ||
                       (flags.feed == Feeding::Odd && seed % 2 == 1);
      // Races within kernels are found in any order of their threads, and to
      // look for them takes several times as long as to run.
      setenv("HETERO_PTX_RACES", seed % racesEvery == 0 ? "1" : "0",
             /*replace=*/1);
      return;
    }
    close(ends[1]);
    bool isOver = false;
    std::string text = readAll(ends[0], flags.timeout, isOver);
    if (isOver)
      kill(child, SIGKILL);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    std::string line = summarize(text, status, isOver);
    llvm::outs() << line << "\n";
    if (!StringRef(line).starts_with("ok "))
      code = 1;
  }
  llvm::outs().flush();
  std::_Exit(code);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static StepOptions getOptions(const Flags &flags, DeviceKind device) {
  StepOptions options;
  options.clusterFile = flags.cluster;
  options.plan.microbatches = {flags.microbatches};
  options.device = device;
  options.cudaFormat = "ptx";
  options.cudaMemory = flags.memory;
  // Compiling takes longer than running; and no thread may be there to be lost
  // in a fork.
  options.optLevel = 0;
  options.threadsPerRank = 1;
  // Devices are those that HETERO_STANDIN says, not those of the cluster.
  options.memoryCaps = false;
  return options;
}

static int runSteps(OwningOpRef<ModuleOp> module, Campaign &campaign) {
  const Flags &flags = campaign.flags;
  OwningOpRef<ModuleOp> copy = module->clone();
  {
    auto step = StepExecutable::create(std::move(copy),
                                       getOptions(flags, DeviceKind::Cpu));
    if (!step)
      return 1;
    if (MaybeError error = runStep(*step, campaign, campaign.expected))
      return fail(*error);
    llvm::outs() << "cpu " << step->getNumRanks() << " ranks, "
                 << campaign.expected.size() << " results\n";
  }
  StepOptions options = getOptions(flags, DeviceKind::Cuda);
  options.progress = [&](StringRef phase) {
    if (phase == "starting")
      forkRuns(campaign);
  };
  auto step = StepExecutable::create(std::move(module), options);
  if (!step)
    return 1;
  std::vector<Array> results;
  MaybeError error = runStep(*step, campaign, results);
  step.reset();
  return report(campaign, error, results);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Where a function runs; without an api on this machine.
static runtime::Result<std::unique_ptr<runtime::ProgramGroup>>
start(runtime::Program program, const Jit &jit, const Flags &flags,
      std::unique_ptr<runtime::CudaApi> api) {
  std::vector<runtime::RankSetup> setups(1);
  runtime::RankSetup &setup = setups[0];
  setup.kernels = {jit.lookup("main")};
  setup.inPlace = {jit.getInPlace("main")};
  setup.program = std::move(program);
  if (api) {
    auto device = runtime::CudaDevice::create(
        "cuda", std::move(api), {std::nullopt, flags.memory, /*graphs=*/true});
    if (!device)
      return runtime::Error{device.error()};
    setup.device = std::move(*device);
    setup.makeCommunicator = [](runtime::Transport &transport,
                                runtime::Device &device,
                                const runtime::CommunicatorOptions &options)
        -> std::unique_ptr<runtime::Communicator> {
      return std::make_unique<runtime::NcclCommunicator>(
          transport, *device.asCuda(), options);
    };
  }
  return runtime::ProgramGroup::create(std::move(setups),
                                       runtime::createThreadsTransports(1));
}

static int runFunctions(OwningOpRef<ModuleOp> module, Campaign &campaign) {
  const Flags &flags = campaign.flags;
  PassManager manager(module->getContext());
  ImportOptions import;
  import.inferRoles = false;
  buildImportPipeline(manager, import);
  if (failed(manager.run(*module)))
    return 1;
  auto function = module->lookupSymbol<func::FuncOp>("main");
  if (!function)
    return fail("no function @main");
  FailureOr<runtime::Program> program = makeFunctionProgram(function);
  if (failed(program))
    return 1;
  JitOptions options;
  // At level 0 LLVM 22 ends the process where the sign of a bf16 is copied.
  options.optLevel = 1;
  {
    auto jit = Jit::compile(*module, options);
    if (!jit)
      return 1;
    auto group = start(*program, *jit, flags, nullptr);
    if (!group)
      return fail(group.error());
    if (MaybeError error = runFunction(**group, campaign, campaign.expected))
      return fail(*error);
    llvm::outs() << "cpu 1 ranks, " << campaign.expected.size() << " results\n";
  }
  options.optLevel = 0;
  auto api = runtime::createCudaApi(0);
  if (!api)
    return fail(api.error());
  options.cudaArchitectures = {"sm_" + std::to_string((*api)->getCapability())};
  options.cudaFormat = "ptx";
  auto jit = Jit::compile(*module, options);
  if (!jit)
    return 1;
  forkRuns(campaign);
  std::vector<Array> results;
  MaybeError error;
  {
    auto group = start(*program, *jit, flags, std::move(*api));
    error = group ? runFunction(**group, campaign, results)
                  : MaybeError(group.error());
  }
  return report(campaign, error, results);
}

static int runMain(const Flags &flags) {
  auto file = ModuleFile::read(flags.input);
  if (!file)
    return 1;
  // Threads do not survive a fork.
  file->getContext().disableMultithreading();
  ScopedDiagnosticHandler handler(
      &file->getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
          llvm::errs() << "error: " << diagnostic.str() << "\n";
        return success();
      });
  OwningOpRef<ModuleOp> module = file->parse(0);
  if (!module)
    return 1;
  Campaign campaign{flags, {}, {}, false};
  auto arguments = runtime::readNpz(flags.args);
  if (!arguments)
    return fail(arguments.error());
  campaign.arguments = std::move(*arguments);
  int code = flags.function ? runFunctions(std::move(module), campaign)
                            : runSteps(std::move(module), campaign);
  llvm::outs().flush();
  // A forked process has no other thread that could return from main.
  std::exit(code);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::ResetCommandLineParser(); // The options of LLVM itself are not ours.
  Flags flags;
  cl::HideUnrelatedOptions(flags.category);
  cl::ParseCommandLineOptions(
      argc, argv, "Runs a program on the stand-in's devices, seed by seed.\n");
  return runOnLargeStack([&] { return runMain(flags); });
}
