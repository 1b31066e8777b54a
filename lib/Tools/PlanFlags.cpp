//===- PlanFlags.cpp - What a user asks of a plan, as flags ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Tools/PlanFlags.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace hetero;

PlanFlags::PlanFlags(cl::OptionCategory &category)
    : planner("planner",
              cl::desc("The planner: joint (the default), harp, "
                       "cephalo, spmd, hap, even, ..."),
              cl::value_desc("name"), cl::init("joint"), cl::cat(category)),
      schedule("schedule",
               cl::desc("What the plan is for: gpipe, 1f1b, h1f1b, "
                        "zero_bubble, ..., or auto (the default): what is "
                        "fastest"),
               cl::value_desc("auto|kind"), cl::init("auto"),
               cl::cat(category)),
      microbatches("microbatches",
                   cl::desc("How many microbatches, the sizes of several, or "
                            "auto (the default): what is best of at most 4096"),
                   cl::value_desc("auto|N|N,N,..."), cl::init("auto"),
                   cl::cat(category)),
      state("state",
            cl::desc("How stages of several devices may hold their state: "
                     "replicated, optimizer, full"),
            cl::value_desc("way,..."), cl::cat(category)),
      tensor("tensor",
             cl::desc("In how many parts every stage divides its layers along "
                      "a model dimension; 0 (the default): what is best"),
             cl::value_desc("N"), cl::init("0"), cl::cat(category)),
      maxStages("max-stages",
                cl::desc("The largest number of stages; 0 (the default) for no "
                         "limit"),
                cl::value_desc("N"), cl::init("0"), cl::cat(category)),
      without("without", cl::desc("Devices, by rank, that must not be used"),
              cl::value_desc("rank,..."), cl::cat(category)),
      effort("effort",
             cl::desc("How many times as long joint searches, from 1 (the "
                      "default) to 100"),
             cl::value_desc("N"), cl::init("1"), cl::cat(category)),
      timeBudget("time-budget",
                 cl::desc("How long a planner may search, as 5s"),
                 cl::value_desc("time"), cl::cat(category)) {}

static Expected<int64_t> readNumber(const PlanFlags::Flag &flag,
                                    StringRef text) {
  int64_t number = 0;
  if (text.trim().getAsInteger(10, number))
    return createStringError("--" + flag.ArgStr + " is '" + flag +
                             "' and must be a whole number");
  return number;
}

static Error readNumbers(const PlanFlags::Flag &flag,
                         std::vector<int64_t> &numbers) {
  SmallVector<StringRef> texts;
  if (!flag.empty())
    StringRef(flag).split(texts, ',');
  for (StringRef text : texts) {
    Expected<int64_t> number = readNumber(flag, text);
    if (!number)
      return number.takeError();
    numbers.push_back(*number);
  }
  return Error::success();
}

Expected<planner::PlanRequest> PlanFlags::read() const {
  planner::PlanRequest request;
  request.planner = planner;
  request.schedule = schedule;
  request.timeBudget = timeBudget;
  SmallVector<StringRef> ways;
  if (!state.empty())
    StringRef(state).split(ways, ',');
  for (StringRef way : ways)
    request.state.push_back(way.trim().str());
  for (auto [flag, value] : {std::pair(&tensor, &request.tensor),
                             std::pair(&maxStages, &request.maxStages),
                             std::pair(&effort, &request.effort)}) {
    Expected<int64_t> number = readNumber(*flag, *flag);
    if (!number)
      return number.takeError();
    *value = *number;
  }
  if (microbatches != "auto")
    if (Error error = readNumbers(microbatches, request.microbatches))
      return error;
  if (Error error = readNumbers(without, request.without))
    return error;
  return request;
}
