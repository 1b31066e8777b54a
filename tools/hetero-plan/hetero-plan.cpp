//===- hetero-plan.cpp - Plans from the command line ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   hetero-plan step.mlir --cluster c.yaml       the plan as a table
//   hetero-plan problem.yaml --compare all       every planner
//   hetero-plan ... --what-if                    what would help
//   hetero-plan ... --objective pareto           time against money

#include "PlanGraph.h"
#include "PlanJson.h"
#include "Report.h"
#include "StepInput.h"
#include "hetero/Planner/Bounds/Certificate.h"
#include "hetero/Planner/Driver/PlanStep.h"
#include "hetero/Planner/Driver/WhatIf.h"
#include "hetero/Planner/Model/Evaluate.h"
#include "hetero/Planner/Model/PlanSimulation.h"
#include "hetero/Support/ApproximateAmount.h"
#include "hetero/Support/LargeStack.h"
#include "hetero/Tools/PlanFlags.h"
#include "hetero/Tools/Progress.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include <chrono>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

namespace {
struct Options {
  cl::OptionCategory category{"hetero-plan options"};
  cl::opt<std::string> input{cl::Positional,
                             cl::desc("<problem.yaml|step.mlir>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> cluster{
      "cluster", cl::desc("The cluster (the default is one CPU)"),
      cl::value_desc("cluster.yaml"), cl::init("builtin"), cl::cat(category)};
  PlanFlags plans{category};
  cl::opt<std::string> compare{
      "compare", cl::desc("Compare these planners, or all but the oracle"),
      cl::value_desc("all|name,..."), cl::cat(category)};
  cl::opt<std::string> plan{
      "plan", cl::desc("Evaluate this plan instead of making one"),
      cl::value_desc("plan.yaml"), cl::cat(category)};
  cl::opt<std::string> objective{
      "objective",
      cl::desc("time (the default), price of a step, or pareto for both"),
      cl::value_desc("time|price|pareto"), cl::init("time"), cl::cat(category)};
  cl::opt<std::string> budget{
      "budget", cl::desc("What the devices may cost, as 2.5/h or 0.01/step"),
      cl::value_desc("amount"), cl::cat(category)};
  cl::opt<bool> whatIf{
      "what-if",
      cl::desc("What more devices, bandwidth and memory would bring"),
      cl::cat(category)};
  cl::opt<std::string> batch{
      "batch", cl::desc("Samples in a step, instead of what the problem says"),
      cl::value_desc("N"), cl::cat(category)};
  cl::opt<bool> asReleased{
      "as-released",
      cl::desc("Keep published planners to what their releases search"),
      cl::cat(category)};
  cl::opt<bool> graph{
      "graph",
      cl::desc(
          "Divide single operations: the input is a program, or a graph "
          "as written by hetero-translate --graph; writes an SPMD program"),
      cl::cat(category)};
  cl::opt<bool> yaml{"yaml", cl::desc("Write the plan as YAML"),
                     cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("Write JSON"), cl::cat(category)};
  cl::opt<bool> timing{"timing", cl::desc("Say how long each search took"),
                       cl::cat(category)};
  cl::opt<bool> logSearch{
      "log-search",
      cl::desc(
          "Say on stderr what joint and stages have found after each phase "
          "of their search: designs, plans, the best, and who found it"),
      cl::cat(category)};
  cl::opt<std::string> trace{
      "trace", cl::desc("Write the predicted step as a Chrome trace"),
      cl::value_desc("trace.json"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Write here instead of to stdout"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
};

/// What is asked, read from files and options.
struct Request {
  /// Reads the program that the model is of, if it is of one.
  std::unique_ptr<StepInput> input;
  StepModel model;
  Cluster cluster;
  PlanRequest plan;
  /// Where a search says what it does; null for nowhere.
  raw_ostream *log = nullptr;
  Objective objective = Objective::Time;
  bool wantsPareto = false;
  std::optional<Budget> budget;
};
} // namespace

//===----------------------------------------------------------------------===//
// Input
//===----------------------------------------------------------------------===//

static Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef file) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFileOrSTDIN(file, /*IsText=*/true);
  if (!buffer)
    return createStringError("cannot read '" + file +
                             "': " + buffer.getError().message());
  return std::move(*buffer);
}

static Error readBatch(const Options &options, Request &request) {
  if (options.batch.empty())
    return Error::success();
  Problem &problem = request.model.problem;
  if (StringRef(options.batch).getAsInteger(10, problem.batch) ||
      problem.batch < 1)
    return createStringError("--batch is '" + options.batch +
                             "' and must be a whole number of at least 1");
  problem.constraints.microbatches.clear();
  // The program of the step is for another batch.
  request.model.trial = nullptr;
  return check(problem);
}

static Error readObjective(const Options &options, Request &request) {
  request.wantsPareto = options.objective == "pareto";
  if (options.objective == "price")
    request.objective = Objective::Price;
  else if (options.objective != "time" && !request.wantsPareto)
    return createStringError("there is no objective '" + options.objective +
                             "'; there are: time, price, pareto");
  if (options.budget.empty())
    return Error::success();
  return readBudget(options.budget).moveInto(request.budget);
}

/// Reads the cluster, and a problem from a file or the one of a program. A
/// program may have its own cluster.
static Error readModel(const Options &options, Request &request) {
  if (isProgram(options.input))
    if (Error error = StepInput::read(options.input).moveInto(request.input))
      return error;
  if (request.input && options.cluster.getNumOccurrences() == 0 &&
      request.input->getCluster())
    request.cluster = *request.input->getCluster();
  else if (Error error = cluster::readClusterFile(options.cluster)
                             .moveInto(request.cluster))
    return error;
  if (request.input)
    return request.input->getModel(request.cluster, request.plan)
        .moveInto(request.model);
  std::unique_ptr<MemoryBuffer> buffer;
  if (Error error = readFile(options.input).moveInto(buffer))
    return error;
  return readProblem(*buffer, &request.cluster).moveInto(request.model.problem);
}

static Expected<Request> readRequest(const Options &options) {
  Request request;
  if (Error error = options.plans.read().moveInto(request.plan))
    return error;
  request.plan.asReleased = options.asReleased;
  request.log = options.logSearch ? &errs() : nullptr;
  // Before anything that takes long.
  if (Expected<PlannerOptions> asked = getPlannerOptions(request.plan); !asked)
    return asked.takeError();
  if (Error error = readObjective(options, request))
    return error;
  if (Error error = readModel(options, request))
    return error;
  // Once for all: where devices are added their numbers change.
  PlanRequest without;
  std::swap(without.without, request.plan.without);
  if (Error error =
          addConstraints(without, request.cluster, request.model.problem))
    return error;
  if (Error error = readBatch(options, request))
    return error;
  return request;
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

/// Plans, and says that it does if it takes long.
static Expected<Plan> planWithProgress(const Request &request,
                                       const StepModel &model,
                                       const Cluster &cluster,
                                       const PlanRequest &plan) {
  std::string what = "the planner '" + plan.planner + "' has searched for ";
  Progress progress(what, " s");
  PlanListener listener;
  listener.onBetter = [&](const Plan &best) {
    progress.set(what, " s; best so far " + approximate(best.predicted));
  };

  listener.log = request.log;
  Expected<StepPlan> found = planStep(model, cluster, plan, listener);
  if (!found)
    return found.takeError();
  return std::move(found->plan);
}

/// Plans variants of a problem and its cluster as requested.
static PlanFunction getPlanFunction(const Request &request) {
  return [&request](const Problem &problem, const Cluster &cluster) {
    StepModel model = request.model;
    model.problem = problem;
    return planWithProgress(request, model, cluster, request.plan);
  };
}

static Expected<Plan> evaluateFile(StringRef file, const Request &request) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readFile(file);
  if (!buffer)
    return buffer.takeError();
  Expected<Plan> plan =
      readPlan(**buffer, request.model.problem, request.cluster);
  if (!plan)
    return plan;
  if (isCertified(request.model.problem, request.cluster, *plan))
    plan->bound = std::max(
        plan->bound, computeCertificate(request.model.problem, request.cluster,
                                        plan->predicted));
  return plan;
}

static bool isPlanner(StringRef name) {
  return any_of(planners(),
                [&](const PlannerEntry &entry) { return entry.name == name; });
}

/// The answers of the planners that are compared, or of the one that is asked.
static Expected<std::vector<Answer>> askPlanners(const Options &options,
                                                 const Request &request) {
  SmallVector<StringRef> names;
  if (options.compare.empty()) {
    names.push_back(options.plans.planner);
  } else if (options.compare == "all") {
    // The oracle is for small problems, and for those who ask for it.
    for (const PlannerEntry &entry : planners())
      if (entry.name != "exhaustive")
        names.push_back(entry.name);
  } else {
    StringRef(options.compare).split(names, ',');
  }
  std::vector<Answer> answers;
  for (StringRef name : names) {
    name = name.trim();
    auto start = std::chrono::steady_clock::now();
    PlanRequest asked = request.plan;
    asked.planner = name.str();
    Expected<Plan> plan =
        planWithProgress(request, request.model, request.cluster, asked);
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    if (!plan && (options.compare.empty() || !isPlanner(name)))
      return plan.takeError();
    Answer &answer = answers.emplace_back();
    answer.planner = name.str();
    if (options.timing)
      answer.seconds = passed.count();
    if (plan)
      answer.plan = std::move(*plan);
    else
      answer.message = toString(plan.takeError());
  }
  return answers;
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

static void printJson(json::Value value, raw_ostream &os) {
  os << formatv("{0:2}\n", value);
}

static json::Object toJson(const Answer &answer) {
  json::Object object;
  if (answer.plan)
    object = toJson(*answer.plan);
  else
    object =
        json::Object{{"planner", answer.planner}, {"error", answer.message}};
  if (answer.seconds)
    object["search_seconds"] = *answer.seconds;
  return object;
}

template <typename T>
static json::Array listAsJson(const std::vector<T> &list) {
  json::Array array;
  for (const T &item : list)
    array.push_back(toJson(item));
  return array;
}

static Error compare(const Options &options, const Request &request,
                     raw_ostream &os) {
  Expected<std::vector<Answer>> answers = askPlanners(options, request);
  if (!answers)
    return answers.takeError();
  if (options.json)
    printJson(listAsJson(*answers), os);
  else
    printComparison(*answers, request.cluster, os);
  return Error::success();
}

/// A plan in the form that is asked for.
static void print(const Plan &plan, json::Object asJson, const Options &options,
                  const Request &request, raw_ostream &os) {
  if (options.json)
    printJson(std::move(asJson), os);
  else if (options.yaml)
    writePlan(plan, os);
  else
    printPlan(getLayerNames(request.model.problem), request.cluster, plan, os);
}

/// Time against money, or the best of it within a budget.
static Error weigh(const Options &options, const Request &request,
                   raw_ostream &os) {
  Expected<std::vector<PricedPlan>> pareto = findPareto(
      request.model.problem, request.cluster, getPlanFunction(request));
  if (!pareto)
    return pareto.takeError();
  if (request.wantsPareto) {
    if (options.json)
      printJson(listAsJson(*pareto), os);
    else
      printPareto(*pareto, request.cluster, os);
    return Error::success();
  }

  Expected<PricedPlan> chosen =
      choosePlan(*pareto, request.objective, request.budget.value_or(Budget()));
  if (!chosen)
    return chosen.takeError();
  print(chosen->plan, toJson(*chosen), options, request, os);
  if (!options.json && !options.yaml)
    os << "costs " << chosen->hour.str() << ", "
       << formatv("{0:f6}", chosen->step).str() << " for a step\n";
  return Error::success();
}

static Error answerWhatIf(const Options &options, const Request &request,
                          raw_ostream &os) {
  PlanFunction planner = getPlanFunction(request);
  std::optional<Time> now;
  Expected<Plan> plan = planner(request.model.problem, request.cluster);
  std::string message;
  if (plan)
    now = plan->predicted;
  else
    message = toString(plan.takeError());
  std::vector<WhatIf> answers = askWhatIf(
      request.model.problem, request.cluster, planner, plan ? &*plan : nullptr);
  if (!now && none_of(answers, [](const WhatIf &answer) {
        return answer.predicted.has_value();
      }))
    return createStringError(message);
  if (options.json) {
    json::Object object{{"what_if", listAsJson(answers)}};

    if (now)
      object["predicted_ps"] = now->count();
    else
      object["error"] = message;
    printJson(std::move(object), os);
    return Error::success();
  }
  if (now)
    os << "step " << approximate(*now) << ", limited by "
       << describeLimits(*plan) << '\n';
  else
    os << message << '\n';
  printWhatIf(answers, now, os);
  return Error::success();
}

static Error writeTrace(StringRef file, const Request &request,
                        const Plan &plan) {
  std::error_code code;
  ToolOutputFile output(file, code, sys::fs::OF_Text);
  if (code)
    return createStringError("cannot write '" + file + "': " + code.message());
  Expected<PlanSimulation> simulation =
      simulatePlan(request.model.problem, request.cluster, plan);
  if (!simulation)
    return simulation.takeError();
  simulator::writeTrace(getTrace(*simulation, request.cluster, plan),
                        output.os());
  output.keep();
  return Error::success();
}

static Error answer(const Options &options, const Request &request,
                    raw_ostream &os) {
  if (options.whatIf)
    return answerWhatIf(options, request, os);
  if (request.wantsPareto || request.budget ||
      request.objective == Objective::Price)
    return weigh(options, request, os);
  if (!options.compare.empty())
    return compare(options, request, os);
  Answer answer;
  if (options.plan.empty()) {
    Expected<std::vector<Answer>> answers = askPlanners(options, request);
    if (!answers)
      return answers.takeError();
    answer = std::move(answers->front());
  } else {
    Expected<Plan> plan = evaluateFile(options.plan, request);
    if (!plan)
      return plan.takeError();
    answer.plan = std::move(*plan);
  }
  if (!options.trace.empty())
    if (Error error = writeTrace(options.trace, request, *answer.plan))
      return error;
  if (answer.seconds && !options.json)
    errs() << formatv("searched for {0:f3} s\n", *answer.seconds);
  print(*answer.plan, toJson(answer), options, request, os);
  return Error::success();
}

static Error answerGraph(const Options &options, raw_ostream &os) {
  Expected<PlanRequest> plan = options.plans.read();
  if (!plan)
    return plan.takeError();
  Expected<PlannerOptions> asked = getPlannerOptions(*plan);
  if (!asked)
    return asked.takeError();
  GraphRequest request;
  request.cluster = options.cluster;
  request.planner = options.plans.planner.getNumOccurrences()
                        ? StringRef(plan->planner)
                        : StringRef("spmd");
  request.json = options.json;
  request.timing = options.timing;
  request.timeBudget = asked->timeBudget;
  if (isProgram(options.input)) {
    Expected<std::unique_ptr<StepInput>> input = StepInput::read(options.input);
    return input ? planGraph((*input)->getGraph(), request, os)
                 : input.takeError();
  }
  Expected<std::unique_ptr<MemoryBuffer>> input = readFile(options.input);
  if (!input)
    return input.takeError();
  Expected<Graph> graph = readGraph(**input);
  return graph ? planGraph(*graph, request, os) : graph.takeError();
}

/// What a shell makes of a variable that is not set would look as if the option
/// were not there.
static Error checkValues(const Options &options) {
  SmallVector<const PlanFlags::Flag *> all = {
      &options.input, &options.cluster,   &options.compare,
      &options.plan,  &options.objective, &options.budget,
      &options.batch, &options.trace,     &options.output};
  append_range(all, options.plans.all());
  for (const PlanFlags::Flag *option : all)
    if (option->getNumOccurrences() > 0 && option->empty())
      return createStringError((option->ArgStr.empty()
                                    ? "the name of the input"
                                    : "the value of --" + option->ArgStr) +
                               " is empty");
  return Error::success();
}

/// Nobody wants to hear after a long search that a file cannot be written.
static Error checkOutputs(const Options &options) {
  for (StringRef file : {StringRef(options.output), StringRef(options.trace)}) {
    if (file.empty() || file == "-")
      continue;
    StringRef parent = sys::path::parent_path(file);
    if (sys::fs::is_directory(file))
      return createStringError("cannot write '" + file + "': Is a directory");
    if (!parent.empty() && !sys::fs::is_directory(parent))
      return createStringError("cannot write '" + file +
                               "': there is no directory '" + parent + "'");
  }
  return Error::success();
}

/// Options that do nothing beside another one are not passed over in silence.
static Error checkCombination(const Options &options) {
  const cl::Option *first = nullptr;
  SmallVector<const cl::Option *> others;
  if (options.graph) {
    first = &options.graph;
    // Of what is asked of plans the time is all that matters, to one planner.
    others = {&options.batch,    &options.plan,      &options.compare,
              &options.whatIf,   &options.objective, &options.budget,
              &options.yaml,     &options.trace,     &options.asReleased,
              &options.logSearch};
    for (const cl::Option *asked : options.plans.all())
      if (asked != &options.plans.planner)
        others.push_back(asked);
    // The other one is done soon.
    if (options.plans.planner == "hap")
      erase(others, &options.plans.timeBudget);
  } else if (options.whatIf) {
    first = &options.whatIf;
    others = {&options.plan,      &options.compare, &options.trace,
              &options.objective, &options.budget,  &options.yaml,
              &options.timing};
  } else if (!options.compare.empty()) {
    first = &options.compare;
    others = {&options.plan,      &options.plans.planner, &options.trace,
              &options.objective, &options.budget,        &options.yaml};
  } else if (!options.plan.empty()) {
    first = &options.plan;
    others = {&options.objective, &options.budget, &options.timing,
              &options.asReleased, &options.logSearch};
    append_range(others, options.plans.all());
  } else if (options.objective != "time" || !options.budget.empty()) {
    first = options.budget.empty()
                ? &options.objective
                : static_cast<const cl::Option *>(&options.budget);
    others = {&options.trace, &options.timing};
  }
  if (options.json && options.yaml)
    return createStringError("--json and --yaml exclude each other");
  for (const cl::Option *other : others)
    if (other->getNumOccurrences() > 0)
      return createStringError("--" + other->ArgStr + " does nothing with --" +
                               first->ArgStr);
  bool searches = !options.compare.empty() || options.plans.planner == "joint";
  const cl::Option *idle = nullptr;
  if (!searches && options.plans.effort.getNumOccurrences() > 0)
    idle = &options.plans.effort;
  if (!searches && options.plans.planner != "stages" && options.logSearch)
    idle = &options.logSearch;
  if (idle)
    return createStringError("--" + idle->ArgStr +
                             " does nothing with --planner " +
                             options.plans.planner);
  return Error::success();
}

static Error run(const Options &options) {
  for (auto *check : {checkValues, checkOutputs, checkCombination})
    if (Error error = check(options))
      return error;
  std::string text;
  raw_string_ostream stream(text);
  if (options.graph) {
    if (Error error = answerGraph(options, stream))
      return error;
  } else {
    Expected<Request> request = readRequest(options);
    if (!request)
      return request.takeError();
    if (Error error = answer(options, *request, stream))
      return error;
  }
  std::error_code code;
  ToolOutputFile output(options.output, code, sys::fs::OF_Text);
  if (code)
    return createStringError("cannot write '" + options.output +
                             "': " + code.message());
  output.os() << text;
  output.keep();
  return Error::success();
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  Options options;
  cl::HideUnrelatedOptions(options.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "hetero-plan: lays a training step out on a cluster\n\n"
      "Takes a problem (layers and what they cost) or a program, and a\n"
      "cluster, and writes the plan of a planner, a comparison of several, or\n"
      "what more devices would bring.\n");
  return runOnLargeStack([&] {
    Error error = run(options);
    if (!error)
      return 0;
    std::string message = toString(std::move(error));
    // Messages about files have their place and kind already.
    bool hasPlace = StringRef(message).contains(": error: ");
    errs() << (hasPlace ? "" : "error: ") << message << '\n';
    return 1;
  });
}
