//===- hetero-plan.cpp - Plans from the command line ----------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Planner/Planners.h"
#include "hetero/Support/Approximate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

namespace {
enum class Output { Table, Yaml, Json };

struct Options {
  cl::OptionCategory category{"hetero-plan options"};
  cl::opt<std::string> input{cl::Positional, cl::desc("<problem.yaml>"),
                             cl::init("-"), cl::cat(category)};
  cl::opt<std::string> cluster{
      "cluster", cl::desc("The cluster (the default is one CPU)"),
      cl::value_desc("cluster.yaml"), cl::init("builtin"), cl::cat(category)};
  cl::opt<std::string> planner{"planner", cl::desc("The planner"),
                               cl::value_desc("name"), cl::init("stages"),
                               cl::cat(category)};
  cl::opt<std::string> compare{
      "compare", cl::desc("Compare these planners, or all of them"),
      cl::value_desc("all|name,..."), cl::cat(category)};
  cl::opt<std::string> plan{
      "plan", cl::desc("Evaluate this plan instead of making one"),
      cl::value_desc("plan.yaml"), cl::cat(category)};
  cl::opt<std::string> schedule{
      "schedule",
      cl::desc("What in-flight counts are for: gpipe, 1f1b or h1f1b"),
      cl::value_desc("kind"), cl::init("h1f1b"), cl::cat(category)};
  cl::opt<bool> yaml{"yaml", cl::desc("Write the plan as YAML"),
                     cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("Write JSON"), cl::cat(category)};
  cl::opt<std::string> output{"o", cl::desc("Write here instead of to stdout"),
                              cl::value_desc("file"), cl::init("-"),
                              cl::cat(category)};
};

/// What a planner answered: a plan, or why there is none.
struct Answer {
  std::string planner;
  std::optional<Plan> plan;
  std::string message;
};
} // namespace

static Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef file) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFileOrSTDIN(file, /*IsText=*/true);
  if (!buffer)
    return createStringError("cannot read '" + file +
                             "': " + buffer.getError().message());
  return std::move(*buffer);
}

//===----------------------------------------------------------------------===//
// Output
//===----------------------------------------------------------------------===//

static json::Array toJson(ArrayRef<int64_t> values) {
  json::Array array;
  for (int64_t value : values)
    array.push_back(value);
  return array;
}

static json::Object toJson(const Stage &stage) {
  json::Array layers, samples, shares;
  for (const LayerRun &run : stage.layers)
    layers.push_back(toJson({run.first, run.last}));
  for (ArrayRef<int64_t> list : stage.samples)
    samples.push_back(toJson(list));
  for (const DeviceShare &share : stage.shares) {
    json::Object object{{"device", share.device},
                        {"state_bytes", share.state.count()},
                        {"memory_bytes", share.memory.count()}};
    if (share.micro)
      object["micro"] = *share.micro;
    shares.push_back(std::move(object));
  }
  return json::Object{{"layers", std::move(layers)},
                      {"devices", toJson(stage.mesh.devices)},
                      {"data", stage.mesh.data},
                      {"tensor", stage.mesh.tensor},
                      {"samples", std::move(samples)},
                      {"state", stringify(stage.state)},
                      {"recompute", stage.recompute},
                      {"in_flight", stage.inFlight},
                      {"forward_ps", stage.forward.count()},
                      {"backward_ps", stage.backward.count()},
                      {"boundary_ps", stage.boundary.count()},
                      {"boundary_gradient_ps", stage.boundaryGradient.count()},
                      {"gather_ps", stage.gather.count()},
                      {"reduce_ps", stage.reduce.count()},
                      {"update_ps", stage.update.count()},
                      {"shares", std::move(shares)}};
}

static json::Object toJson(const Answer &answer) {
  if (!answer.plan)
    return json::Object{{"planner", answer.planner}, {"error", answer.message}};
  const Plan &plan = *answer.plan;
  json::Array stages, limits;
  for (const Stage &stage : plan.stages)
    stages.push_back(toJson(stage));
  for (const Resource &resource : plan.limitedBy) {
    json::Object object{{"kind", stringify(resource.kind)}};
    if (resource.stage)
      object["stage"] = *resource.stage;
    if (resource.device)
      object["device"] = *resource.device;
    if (!resource.part.empty())
      object["part"] = resource.part;
    limits.push_back(std::move(object));
  }
  return json::Object{{"planner", plan.planner},
                      {"objective", stringify(plan.objective)},
                      {"batch", plan.batch},
                      {"microbatches", toJson(plan.microbatches)},
                      {"predicted_ps", plan.predicted.count()},
                      {"bound_ps", plan.bound.count()},
                      {"gap_millionths", plan.gap().count()},
                      {"limited_by", std::move(limits)},
                      {"stages", std::move(stages)}};
}

/// One line for each planner, the fastest first.
static void printComparison(ArrayRef<Answer> answers, raw_ostream &os) {
  std::vector<const Answer *> sorted;
  for (const Answer &answer : answers)
    sorted.push_back(&answer);
  sort(sorted, [](const Answer *left, const Answer *right) {
    auto key = [](const Answer *answer) {
      return std::pair(answer->plan ? answer->plan->predicted : Time::max(),
                       StringRef(answer->planner));
    };
    return key(left) < key(right);
  });
  os << formatv("{0,-14}{1,-12}{2,-8}{3,-8}{4}\n", "planner", "step", "gap",
                "stages", "microbatches");
  for (const Answer *answer : sorted) {
    if (!answer->plan) {
      os << formatv("{0,-14}", answer->planner) << answer->message << '\n';
      continue;
    }
    const Plan &plan = *answer->plan;
    std::string gap =
        formatv("{0:f1}%", static_cast<double>(plan.gap().count()) / 10000);
    os << formatv("{0,-14}{1,-12}{2,-8}{3,-8}{4}\n", plan.planner,
                  approximate(plan.predicted), gap, plan.stages.size(),
                  plan.microbatches.size());
  }
}

static void print(const Options &options, const Problem &problem,
                  const cluster::Cluster &cluster, ArrayRef<Answer> answers,
                  raw_ostream &os) {
  bool compares = !options.compare.empty();
  if (options.json) {
    json::Array array;
    for (const Answer &answer : answers)
      array.push_back(toJson(answer));
    os << formatv("{0:2}\n", compares ? json::Value(std::move(array))
                                      : std::move(array.front()));
    return;
  }
  if (compares)
    return printComparison(answers, os);
  if (options.yaml)
    return writePlan(*answers.front().plan, os);
  printPlan(problem, cluster, *answers.front().plan, os);
}

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

static Expected<Plan> evaluateFile(StringRef file, const Problem &problem,
                                   const cluster::Cluster &cluster) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readFile(file);
  if (!buffer)
    return buffer.takeError();
  Expected<Plan> plan = readPlan(**buffer);
  if (!plan)
    return plan;
  if (Error error = evaluate(problem, cluster, *plan))
    return createStringError(file + ": error: " + toString(std::move(error)));
  return plan;
}

static Error planAll(const Options &options) {
  if (StringRef(options.input).ends_with(".mlir"))
    return createStringError(
        "'" + options.input +
        "' is a program; hetero-plan takes a problem.yaml, "
        "and 'hetero-opt --hetero-plan' plans programs");
  Expected<std::unique_ptr<MemoryBuffer>> input = readFile(options.input);
  if (!input)
    return input.takeError();
  Expected<Problem> problem = readProblem(**input);
  if (!problem)
    return problem.takeError();
  Expected<cluster::Cluster> cluster =
      cluster::readClusterFile(options.cluster);
  if (!cluster)
    return cluster.takeError();
  PlannerOptions plannerOptions;
  std::optional<ScheduleKind> kind =
      simulator::parseScheduleKind(options.schedule);
  if (!kind)
    return createStringError("there is no schedule '" + options.schedule +
                             "'; there are: gpipe, 1f1b, h1f1b");
  plannerOptions.schedule = *kind;

  SmallVector<StringRef> names;
  if (options.compare == "all")
    for (const PlannerEntry &entry : planners()) {
      // The oracle is for small problems, and for those who ask for it.
      if (entry.name != "exhaustive")
        names.push_back(entry.name);
    }
  else
    StringRef(options.compare.empty() ? options.planner : options.compare)
        .split(names, ',');
  std::vector<Answer> answers;
  for (StringRef name : names) {
    Expected<Plan> plan =
        options.plan.empty()
            ? runPlanner(name, *problem, *cluster, plannerOptions)
            : evaluateFile(options.plan, *problem, *cluster);
    bool isKnown = any_of(planners(), [&](const PlannerEntry &entry) {
      return entry.name == name;
    });
    if (!plan && (options.compare.empty() || !isKnown))
      return plan.takeError();
    Answer &answer = answers.emplace_back();
    answer.planner = name.str();
    if (plan)
      answer.plan = std::move(*plan);
    else
      answer.message = toString(plan.takeError());
  }

  std::error_code code;
  ToolOutputFile output(options.output, code, sys::fs::OF_Text);
  if (code)
    return createStringError("cannot write '" + options.output +
                             "': " + code.message());
  print(options, *problem, *cluster, answers, output.os());
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
      "Takes a problem (layers and what they cost) and a cluster, and writes\n"
      "the plan of a planner, or a comparison of several.\n");
  Error error = planAll(options);
  if (!error)
    return 0;
  std::string message = toString(std::move(error));
  // Messages about files have their place and kind already.
  bool hasPlace = StringRef(message).contains(": error: ");
  errs() << (hasPlace ? "" : "error: ") << message << '\n';
  return 1;
}
