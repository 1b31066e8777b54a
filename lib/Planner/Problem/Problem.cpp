//===- Problem.cpp - What is to be planned --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Problem/Problem.h"
#include "hetero/Planner/Problem/ProblemCheck.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

std::vector<int64_t> planner::commonDegrees(const Problem &problem) {
  std::vector<int64_t> degrees = {1};
  for (int64_t degree : problem.layers.front().tensorDegrees)
    if (!is_contained(degrees, degree) &&
        all_of(problem.layers, [&](const Layer &layer) {
          return is_contained(layer.tensorDegrees, degree);
        }))
      degrees.push_back(degree);
  return degrees;
}

/// Far more than is trained with; keeps what is counted in samples small.
static constexpr int64_t maxBatch = 1 << 30;

/// "0, 2, 3".
static std::string listNumbers(ArrayRef<int64_t> numbers) {
  return join(
      map_range(numbers, [](int64_t number) { return std::to_string(number); }),
      ", ");
}

std::string hetero::planner::listDegrees(const Layer &layer) {
  std::vector<int64_t> degrees = {1};
  copy_if(layer.tensorDegrees, std::back_inserter(degrees),
          [](int64_t degree) { return degree != 1; });
  return listNumbers(degrees);
}

namespace {
/// Sums of everything for the whole batch. What cannot be counted would give
/// wrong plans.
struct Totals {
  Work work;
  Bytes bytes;
};

class Checker {
public:
  Checker(const Problem &problem, std::string &place)
      : problem(problem), place(place), numLayers(problem.layers.size()) {}

  Error check();

private:
  Error checkLayer(int64_t index);
  Error checkMeasured(const Twine &name, const Layer &layer);
  Error checkCost(const Twine &layer, StringRef what, const Cost &cost);
  template <typename AmountT>
  Error checkAmount(const Twine &layer, StringRef what,
                    const Affine<AmountT> &amount, AmountT &total);
  Error checkBytes(const Twine &layer, StringRef what, Bytes bytes) {
    return checkAmount(layer, what, Affine<Bytes>{bytes, Bytes(0)},
                       totals.bytes);
  }
  Error checkTie(int64_t index, const Tie &tie);
  Error checkInput(int64_t index, const Input &input);
  Error checkAscending(const Twine &what, ArrayRef<int64_t> numbers);
  Error checkPins();
  Error checkPair(const Pin &first, const Pin &second);
  Error checkDegree();
  Error checkMicrobatches();
  Error checkLayerExists(const Twine &what, int64_t layer);

  const Problem &problem;
  std::string &place;
  int64_t numLayers;
  Totals totals;
};
} // namespace

template <typename AmountT>
Error Checker::checkAmount(const Twine &layer, StringRef what,
                           const Affine<AmountT> &amount, AmountT &total) {
  for (AmountT part : {amount.fixed, amount.perSample})
    if (part < AmountT(0))
      return createStringError(
          formatv("{0}: {1} is {2}, but cannot be negative", layer, what,
                  part.count()));
  // Work is looked at layer by layer. Bytes are summed, and a step keeps and
  // moves some of them a few times over; leave room for that.
  AmountT whole = amount.fixed + amount.perSample * problem.batch;
  total = std::is_same_v<AmountT, Work> ? whole : total + whole;
  if (total.count() > std::numeric_limits<int64_t>::max() / 8)
    return createStringError(
        formatv("{0}: {1} makes the step too large to count, with {2} or more "
                "for a batch of {3}",
                layer, what, approximate(total), problem.batch));
  return Error::success();
}

Error Checker::checkCost(const Twine &layer, StringRef what, const Cost &cost) {
  for (const auto &[type, work] : cost.work)
    if (Error error =
            checkAmount(layer, ("the " + what + " work in " + type).str(), work,
                        totals.work))
      return error;
  if (cost.operations < 0)
    return createStringError(
        formatv("{0}: the number of {1} operations is {2}, but cannot be "
                "negative",
                layer, what, cost.operations));
  for (const Cost &other : cost.others) {
    if (!other.others.empty())
      return createStringError(layer + ": the others of a " + what +
                               " cost have others themselves");
    if (Error error = checkCost(layer, what, other))
      return error;
  }
  return checkAmount(layer, ("the " + what + " traffic").str(), cost.bytes,
                     totals.bytes);
}

Error Checker::checkMeasured(const Twine &name, const Layer &layer) {
  for (const auto &[deviceClass, times] : layer.measured) {
    if (times.points.empty())
      return createStringError(
          formatv("{0} has no measured times on '{1}'; at least 1 number of "
                  "samples is needed",
                  name, deviceClass));
    int64_t before = 0;
    for (const MeasuredTimes::Point &point : times.points) {
      if (point.samples <= before)
        return createStringError(
            formatv("{0}: the times on '{1}' for {2} samples follow those for "
                    "{3}; the numbers must be positive and ascend",
                    name, deviceClass, point.samples, before));
      before = point.samples;
      for (auto [what, time] : {std::pair("forward", point.forward),
                                std::pair("backward", point.backward)})
        if (time < Time(0))
          return createStringError(
              formatv("{0}: the measured {1} of {2} samples on '{3}' is {4}, "
                      "but cannot be negative",
                      name, what, point.samples, deviceClass, time.count()));
    }
    if (before > maxBatch)
      return createStringError(
          formatv("{0}: times on '{1}' are for {2} samples; a batch can have "
                  "at most {3}",
                  name, deviceClass, before, maxBatch));
  }
  return Error::success();
}

Error Checker::checkLayer(int64_t index) {
  const Layer &layer = problem.layers[index];
  std::string name = "layer " + std::to_string(index) +
                     (layer.name.empty() ? "" : " ('" + layer.name + "')");
  for (auto [what, cost] : {std::pair("forward", &layer.forward),
                            std::pair("backward", &layer.backward),
                            std::pair("update", &layer.update)})
    if (Error error = checkCost(name, what, *cost))
      return error;
  for (auto [what, bytes] :
       {std::pair("the size of the parameters", layer.parameters),
        std::pair("the size of the optimizer state", layer.optimizerState),
        std::pair("the size of the gradients", layer.gradients)})
    if (Error error = checkBytes(name, what, bytes))
      return error;
  for (auto [what, amount] :
       {std::pair("what is saved", layer.saved),
        std::pair("the workspace", layer.workspace),
        std::pair("the output", layer.output),
        std::pair("the gradient of the output", layer.outputGradient),
        std::pair("what is summed in the forward", layer.tensorForward),
        std::pair("what is summed in the backward", layer.tensorBackward)})
    if (Error error = checkAmount(name, what, amount, totals.bytes))
      return error;
  for (int64_t degree : layer.tensorDegrees)
    if (degree < 1)
      return createStringError(name + " cannot be divided in " + Twine(degree) +
                               " parts; at least 1");
  if (Error error = checkMeasured(name, layer))
    return error;
  if (!layer.like)
    return Error::success();
  auto fail = [&](const Twine &why) {
    return createStringError(name + " is like layer " + Twine(*layer.like) +
                             ", " + why);
  };
  if (*layer.like < 0 || *layer.like >= index)
    return fail("which is not an earlier one");
  if (layer.costs() != problem.layers[*layer.like].costs())
    return fail("but its costs are not the same");
  return Error::success();
}

Error Checker::checkLayerExists(const Twine &what, int64_t layer) {
  if (layer >= 0 && layer < numLayers)
    return Error::success();
  return createStringError(
      formatv("{0} refers to layer {1}, but there are layers 0 to {2}", what,
              layer, numLayers - 1));
}

Error Checker::checkAscending(const Twine &what, ArrayRef<int64_t> numbers) {
  for (int64_t layer : numbers)
    if (Error error = checkLayerExists(what, layer))
      return error;
  for (size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i] <= numbers[i - 1])
      return createStringError(
          formatv("{0} lists layer {1} after layer {2}; layers must ascend",
                  what, numbers[i], numbers[i - 1]));
  return Error::success();
}

Error Checker::checkInput(int64_t index, const Input &input) {
  std::string name = "input " + std::to_string(index);
  if (input.layers.empty())
    return createStringError(name + " must have at least one layer");
  if (Error error = checkAscending(name, input.layers))
    return error;
  return checkAmount(name, "the size of a sample",
                     Affine<Bytes>{Bytes(0), input.sample}, totals.bytes);
}

Error Checker::checkTie(int64_t index, const Tie &tie) {
  std::string name = "tie " + std::to_string(index);
  if (tie.layers.size() < 2)
    return createStringError(name + " must have at least two layers, not " +
                             Twine(tie.layers.size()));
  if (Error error = checkAscending(name, tie.layers))
    return error;
  for (auto [what, bytes] :
       {std::pair("the size of the parameters", tie.parameters),
        std::pair("the size of the gradients", tie.gradients)})
    if (Error error = checkBytes(name, what, bytes))
      return error;
  return Error::success();
}

/// Checks the pins one by one and then each pair of them: stages must not
/// descend with the layers nor leave one out, and what is in one stage needs
/// common devices.
Error Checker::checkPins() {
  const Constraints &constraints = problem.constraints;
  for (auto [index, pin] : enumerate(constraints.pins)) {
    std::string path = "constraints.pins." + std::to_string(index);
    std::string name = "pin " + std::to_string(index);
    place = path;
    if (Error error = checkLayerExists(name, pin.layer))
      return error;
    place = path + ".stage";
    auto failStage = [&, &pin = pin](const Twine &why) {
      return createStringError(
          formatv("{0} puts layer {1} into stage {2}, but ", name, pin.layer,
                  *pin.stage) +
          why);
    };
    // Every stage before has a layer of its own.
    if (pin.stage && (*pin.stage < 0 || *pin.stage > pin.layer))
      return failStage("it can be in stages 0 to " + Twine(pin.layer));
    if (pin.stage && constraints.maxStages &&
        *pin.stage >= *constraints.maxStages)
      return failStage("there may be " + Twine(*constraints.maxStages) +
                       " stages");
    place = path;
    bool isOne = pin.devices.size() == 1;
    if (!pin.devices.empty() && all_of(pin.devices, [&](int64_t device) {
          return is_contained(constraints.forbiddenDevices, device);
        }))
      return createStringError(
          formatv("{0} allows layer {1} only on {2} {3}, which {4} forbidden",
                  name, pin.layer, isOne ? "device" : "devices",
                  listNumbers(pin.devices), isOne ? "is" : "are"));
  }
  for (size_t i = 0; i < constraints.pins.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      place = "constraints.pins." + std::to_string(i);
      const Pin &earlier = constraints.pins[j], &later = constraints.pins[i];
      bool inOrder = earlier.layer <= later.layer;
      if (Error error =
              checkPair(inOrder ? earlier : later, inOrder ? later : earlier))
        return error;
    }
  return Error::success();
}

/// Two pins, the one of the earlier layer first.
Error Checker::checkPair(const Pin &first, const Pin &second) {
  bool sameLayer = first.layer == second.layer;
  bool haveStages = first.stage && second.stage;
  auto failStages = [&](const Twine &why) {
    return createStringError(
        formatv("layer {0} is pinned to stage {1} and layer {2} to stage {3}, "
                "but stages ",
                first.layer, *first.stage, second.layer, *second.stage) +
        why);
  };
  if (haveStages && (sameLayer ? *first.stage != *second.stage
                               : *first.stage > *second.stage))
    return failStages("follow the order of the layers");
  if (haveStages && *second.stage - *first.stage > second.layer - first.layer)
    return failStages("have layers, and there are " +
                      Twine(second.layer - first.layer - 1) + " between them");
  bool disjoint = !first.devices.empty() && !second.devices.empty() &&
                  none_of(first.devices, [&](int64_t device) {
                    return is_contained(second.devices, device);
                  });
  if (haveStages && *first.stage != *second.stage &&
      first.devices.size() == 1 && first.devices == second.devices)
    return createStringError(
        formatv("layers {0} and {1} are pinned to stages {2} and {3}, but both "
                "to device {4} alone, and a device is in one stage",
                first.layer, second.layer, *first.stage, *second.stage,
                first.devices[0]));
  if (disjoint && sameLayer)
    return createStringError(formatv(
        "layer {0} is pinned twice, but to no common device: to {1} "
        "and to {2}",
        first.layer, listNumbers(first.devices), listNumbers(second.devices)));
  if (disjoint && haveStages && *first.stage == *second.stage)
    return createStringError(
        formatv("layers {0} and {1} are pinned to stage {2}, but to no common "
                "device",
                first.layer, second.layer, *first.stage));
  return Error::success();
}

/// The parts that are given must be ones that all layers allow.
Error Checker::checkDegree() {
  std::optional<int64_t> given = problem.constraints.tensor;
  if (!given || *given == 1)
    return Error::success();
  place = "constraints.tensor";
  if (*given < 1)
    return createStringError("layers cannot be divided in " + Twine(*given) +
                             " parts; at least 1");
  for (auto [index, layer] : enumerate(problem.layers))
    if (!is_contained(layer.tensorDegrees, *given))
      return createStringError(
          formatv("{0} parts are given, but layer {1} ('{2}') can be divided "
                  "in {3}",
                  *given, index, layer.name, listDegrees(layer)));
  return Error::success();
}

Error Checker::checkMicrobatches() {
  const Constraints &constraints = problem.constraints;
  for (auto [what, limit] :
       {std::pair("microbatches", constraints.maxMicrobatches),
        std::pair("stages", constraints.maxStages)})
    if (limit && *limit < 1)
      return createStringError(
          formatv("there must be at least 1 of the {0}, but at most {1} are "
                  "allowed",
                  what, *limit));
  if (constraints.microbatches.empty())
    return Error::success();
  place = "constraints.microbatches";
  int64_t count = constraints.microbatches.size();
  if (count > maxGivenMicrobatches)
    return createStringError(
        formatv("{0} microbatches are given; there can be at most {1}", count,
                maxGivenMicrobatches));
  int64_t sum = 0;
  for (int64_t size : constraints.microbatches) {
    if (size < 1 || size > problem.batch)
      return createStringError(
          formatv("a microbatch of {0} samples is given; 1 to {1} are possible",
                  size, problem.batch));
    sum = SaturatingAdd<uint64_t>(sum, size);
  }
  if (sum != problem.batch)
    return createStringError(
        formatv("the given microbatches make {0} samples, but the batch has "
                "{1}",
                sum, problem.batch));
  if (constraints.maxMicrobatches && count > *constraints.maxMicrobatches)
    return createStringError(
        formatv("{0} microbatches are given, but at most {1} are allowed",
                count, *constraints.maxMicrobatches));
  return Error::success();
}

Error Checker::check() {
  auto at = [&](StringRef list, size_t index) {
    place = (list + "." + Twine(index)).str();
  };
  place = "batch";
  if (problem.batch < 1 || problem.batch > maxBatch)
    return createStringError(
        formatv("the batch has {0} samples; it {1}", problem.batch,
                problem.batch < 1 ? "must have at least 1"
                                  : "can have at most " + Twine(maxBatch)));
  place.clear();
  if (numLayers == 0)
    return createStringError("the problem has no layers");
  for (int64_t index = 0; index < numLayers; ++index) {
    at("layers", index);
    if (Error error = checkLayer(index))
      return error;
  }
  for (auto [index, tie] : enumerate(problem.ties)) {
    at("ties", index);
    if (Error error = checkTie(index, tie))
      return error;
  }
  for (auto [index, input] : enumerate(problem.inputs)) {
    at("inputs", index);
    if (Error error = checkInput(index, input))
      return error;
  }
  for (auto [index, device] : enumerate(problem.constraints.forbiddenDevices)) {
    at("constraints.forbiddenDevices", index);
    if (device < 0)
      return createStringError("device " + Twine(device) +
                               " is forbidden, but there is no such device");
  }
  place = "constraints";
  if (Error error = checkMicrobatches())
    return error;
  if (Error error = checkDegree())
    return error;
  return checkPins();
}

Error hetero::planner::check(const Problem &problem) {
  std::string place;
  return check(problem, place);
}

Error hetero::planner::check(const Problem &problem, std::string &place) {
  place.clear();
  return Checker(problem, place).check();
}

Error hetero::planner::check(const Problem &problem, const Cluster &cluster) {
  std::string place;
  if (Error error = check(problem, place))
    return error;
  return checkConstraints(problem, cluster, place);
}
