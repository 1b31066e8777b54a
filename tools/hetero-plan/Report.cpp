//===- Report.cpp - Answers for people ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

std::string hetero::planner::describeDevices(const Cluster &cluster,
                                             const Plan &plan) {
  std::map<int64_t, int64_t> counts;
  for (const Stage &stage : plan.stages)
    for (int64_t device : stage.mesh.devices)
      ++counts[cluster.devices[device].deviceClass];
  std::string text;
  for (auto [deviceClass, count] : counts) {
    text += text.empty() ? "" : " + ";
    text += count > 1 ? std::to_string(count) + " " : "";
    text += cluster.classes[deviceClass].name;
  }
  return text;
}

/// The share of `part` in `whole`, as "12.3%".
static std::string percent(double part, double whole) {
  return formatv("{0:f1}%", whole > 0 ? part / whole * 100 : 0).str();
}

void hetero::planner::printComparison(ArrayRef<Answer> answers,
                                      const Cluster &cluster, raw_ostream &os) {
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
  const char *row = "{0,-17}{1,-12}{2,-8}{3,-8}{4,-14}{5}{6}\n";
  auto searched = [&](StringRef text) {
    bool isTimed = any_of(answers, [](const Answer &answer) {
      return answer.seconds.has_value();
    });
    return isTimed ? formatv("{0,-11}", text).str() : "";
  };
  os << formatv(row, "planner", "step", "gap", "stages", "microbatches",
                searched("searched"), "devices");
  for (const Answer *answer : sorted) {
    if (!answer->plan) {
      os << formatv("{0,-17}", answer->planner) << answer->message << '\n';
      continue;
    }
    const Plan &plan = *answer->plan;
    os << formatv(
        row, plan.planner, approximate(plan.predicted),
        percent(static_cast<double>(plan.gap().count()), 1e6),
        plan.stages.size(), plan.microbatches.size(),
        searched(formatv("{0:f2} s", answer->seconds.value_or(0)).str()),
        describeDevices(cluster, plan));
  }
}

void hetero::planner::printPareto(ArrayRef<PricedPlan> plans,
                                  const Cluster &cluster, raw_ostream &os) {
  const char *row = "{0,-12}{1,-14}{2,-14}{3}\n";
  os << formatv(row, "step", "for an hour", "for a step", "devices");
  for (const PricedPlan &plan : plans)
    os << formatv(row, approximate(plan.plan.predicted), plan.hour.str(),
                  formatv("{0:f6}", plan.step).str(),
                  describeDevices(cluster, plan.plan));
}

void hetero::planner::printWhatIf(ArrayRef<WhatIf> answers,
                                  std::optional<Time> now, raw_ostream &os) {
  size_t width = 8;
  for (const WhatIf &answer : answers)
    width = std::max(width, answer.change.size());
  auto print = [&](StringRef change, StringRef step, StringRef gain) {
    os << change << std::string(width - change.size() + 2, ' ')
       << formatv("{0,-12}{1}\n", step, gain);
  };
  print("what if", "step", "faster by");
  for (const WhatIf &answer : answers) {
    if (!answer.predicted) {
      print(answer.change, "none", "no plan fits");
      continue;
    }
    std::string gain = "fits then";
    // What does not help can be left alone, also when a search says less.
    if (now)
      gain =
          percent(std::max(0.0, toSeconds(*now) - toSeconds(*answer.predicted)),
                  toSeconds(*now));
    if (answer.price)
      gain += ", for " + answer.price->str();
    print(answer.change, approximate(*answer.predicted), gain);
  }
}
