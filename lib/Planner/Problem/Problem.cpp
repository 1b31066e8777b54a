//===- Problem.cpp - What is to be planned --------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Problem/Problem.h"
#include "hetero/Planner/Problem/ProblemCheck.h"
#include "hetero/Support/Approximate.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <tuple>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

//===----------------------------------------------------------------------===//
// Equality
//===----------------------------------------------------------------------===//

bool Cost::operator==(const Cost &other) const {
  return std::tie(work, bytes, operations, others) ==
         std::tie(other.work, other.bytes, other.operations, other.others);
}

bool MeasuredTimes::Point::operator==(const Point &other) const {
  return std::tie(samples, forward, backward) ==
         std::tie(other.samples, other.forward, other.backward);
}

static auto tieCosts(const Layer &layer) {
  return std::tie(layer.forward, layer.backward, layer.update, layer.parameters,
                  layer.optimizerState, layer.gradients, layer.saved,
                  layer.workspace, layer.output, layer.outputGradient,
                  layer.tensorDegrees, layer.tensorForward,
                  layer.tensorBackward, layer.measured);
}

bool planner::haveSameCosts(const Layer &left, const Layer &right) {
  return tieCosts(left) == tieCosts(right);
}

bool Layer::operator==(const Layer &other) const {
  return name == other.name && like == other.like &&
         haveSameCosts(*this, other);
}

bool Tie::operator==(const Tie &other) const {
  return std::tie(layers, parameters, gradients) ==
         std::tie(other.layers, other.parameters, other.gradients);
}

bool Input::operator==(const Input &other) const {
  return std::tie(layers, sample) == std::tie(other.layers, other.sample);
}

bool Pin::operator==(const Pin &other) const {
  return std::tie(layer, stage, devices) ==
         std::tie(other.layer, other.stage, other.devices);
}

bool Constraints::operator==(const Constraints &other) const {
  return std::tie(pins, forbiddenDevices, microbatches, maxMicrobatches,
                  maxStages, tensor) ==
         std::tie(other.pins, other.forbiddenDevices, other.microbatches,
                  other.maxMicrobatches, other.maxStages, other.tensor);
}

bool Problem::operator==(const Problem &other) const {
  return std::tie(batch, layers, ties, inputs, constraints) ==
         std::tie(other.batch, other.layers, other.ties, other.inputs,
                  other.constraints);
}

//===----------------------------------------------------------------------===//
// Measured times
//===----------------------------------------------------------------------===//

/// The points of one phase as (samples, picoseconds), not falling.
static std::vector<std::pair<double, double>>
risingPoints(const MeasuredTimes &measured, Time MeasuredTimes::Point::*phase) {
  std::vector<std::pair<double, double>> points;
  double longest = 0;
  for (const MeasuredTimes::Point &point : measured.points) {
    longest = std::max(longest, static_cast<double>((point.*phase).count()));
    points.emplace_back(static_cast<double>(point.samples), longest);
  }
  return points;
}

static double onLine(std::pair<double, double> first,
                     std::pair<double, double> second, double x) {
  double slope = (second.second - first.second) / (second.first - first.first);
  return second.second + slope * (x - second.first);
}

static Time interpolate(ArrayRef<std::pair<double, double>> points, double x) {
  const auto *next = find_if(points, [&](std::pair<double, double> point) {
    return point.first >= x;
  });
  std::pair<double, double> first = points.front(), last = points.back();
  double value;
  if (next == points.end())
    value = points.size() == 1
                ? last.second * x / last.first
                : onLine(points[(points.size() - 1) / 2], last, x);
  else if (next->first == x)
    value = next->second;
  else if (next == points.begin())
    value = std::max(first.second * x / first.first,
                     points.size() == 1 ? 0 : onLine(points[1], first, x));
  else
    value = onLine(next[-1], *next, x);
  return Time::nearest(value);
}

std::pair<Time, Time> MeasuredTimes::at(int64_t samples) const {
  auto x = static_cast<double>(samples);
  return {interpolate(risingPoints(*this, &Point::forward), x),
          interpolate(risingPoints(*this, &Point::backward), x)};
}

double MeasuredTimes::leastPerSample() const {
  // The times are linear in pieces, so the quotient is least at an end of one:
  // at a sample, at a point, or infinitely far out, where it is the slope.
  auto seconds = [&](int64_t samples) {
    auto [forward, backward] = at(samples);
    return toSeconds(forward) + toSeconds(backward);
  };
  int64_t last = points.back().samples, more = 1000;
  double least = std::min(seconds(1), (seconds(last + more) - seconds(last)) /
                                          static_cast<double>(more));
  for (const Point &point : points)
    least = std::min(least, seconds(point.samples) /
                                static_cast<double>(point.samples));
  return least;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Far more than is trained with; keeps what is counted in samples small.
static constexpr int64_t maxBatch = 1 << 30;

/// "0, 2, 3".
static std::string listNumbers(ArrayRef<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

std::string hetero::planner::listDegrees(const Layer &layer) {
  std::string text = "1";
  for (int64_t degree : layer.tensorDegrees)
    if (degree != 1)
      text += ", " + std::to_string(degree);
  return text;
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
  Checker(const Problem &problem, ProblemPlace &place)
      : problem(problem), place(place), numLayers(problem.layers.size()) {}

  Error check();

private:
  Error checkLayer(int64_t index);
  Error checkMeasured(const Twine &layer);
  Error checkCost(const Twine &layer, StringRef what, const Cost &cost);
  template <typename AmountT>
  Error checkAmount(const Twine &layer, StringRef what,
                    const Affine<AmountT> &amount, AmountT &total);
  Error checkTie(int64_t index, const Tie &tie);
  Error checkInput(int64_t index, const Input &input);
  Error checkAscending(const Twine &what, ArrayRef<int64_t> numbers);
  Error checkPins();
  Error checkPair(const Pin &first, const Pin &second);
  Error checkDegree();
  Error checkMicrobatches();
  Error checkLayerExists(const Twine &what, int64_t layer);

  const Problem &problem;
  ProblemPlace &place;
  int64_t numLayers;
  Totals totals;
};
} // namespace

template <typename AmountT>
Error Checker::checkAmount(const Twine &layer, StringRef what,
                           const Affine<AmountT> &amount, AmountT &total) {
  for (AmountT part : {amount.fixed, amount.perSample})
    if (part < AmountT(0))
      return createStringError(layer + ": " + what + " is " +
                               Twine(part.count()) +
                               ", but cannot be negative");
  // Work is looked at layer by layer. Bytes are summed, and a step keeps and
  // moves some of them a few times over; leave room for that.
  AmountT whole = amount.fixed + amount.perSample * problem.batch;
  total = std::is_same_v<AmountT, Work> ? whole : total + whole;
  if (total.count() > std::numeric_limits<int64_t>::max() / 8)
    return createStringError(
        layer + ": " + what + " makes the step too large to count, with " +
        approximate(total) + " or more for a batch of " + Twine(problem.batch));
  return Error::success();
}

Error Checker::checkCost(const Twine &layer, StringRef what, const Cost &cost) {
  for (const auto &[type, work] : cost.work)
    if (Error error =
            checkAmount(layer, ("the " + what + " work in " + type).str(), work,
                        totals.work))
      return error;
  if (cost.operations < 0)
    return createStringError(layer + ": the number of " + what +
                             " operations is " + Twine(cost.operations) +
                             ", but cannot be negative");
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

/// The measured times of the layer that is looked at, whose name is `name`.
Error Checker::checkMeasured(const Twine &name) {
  for (const auto &[deviceClass, times] :
       problem.layers[place.index].measured) {
    if (times.points.empty())
      return createStringError(name + " has no measured times on '" +
                               deviceClass +
                               "'; at least 1 number of samples "
                               "is needed");
    int64_t before = 0;
    for (const MeasuredTimes::Point &point : times.points) {
      if (point.samples <= before)
        return createStringError(name + ": the times on '" + deviceClass +
                                 "' for " + Twine(point.samples) +
                                 " samples follow those for " + Twine(before) +
                                 "; the numbers must be positive and ascend");
      before = point.samples;
      for (auto [what, time] : {std::pair("forward", point.forward),
                                std::pair("backward", point.backward)})
        if (time < Time(0))
          return createStringError(name + ": the measured " + what + " of " +
                                   Twine(point.samples) + " samples on '" +
                                   deviceClass + "' is " + Twine(time.count()) +
                                   ", but cannot be negative");
    }
    if (before > maxBatch)
      return createStringError(
          name + ": times on '" + deviceClass + "' are for " + Twine(before) +
          " samples; a batch can have at most " + Twine(maxBatch));
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
  auto fixed = [](Bytes bytes) { return Affine<Bytes>{bytes, Bytes(0)}; };
  for (auto [what, amount] :
       {std::pair("the size of the parameters", fixed(layer.parameters)),
        std::pair("the size of the optimizer state",
                  fixed(layer.optimizerState)),
        std::pair("the size of the gradients", fixed(layer.gradients)),
        std::pair("what is saved", layer.saved),
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
  if (Error error = checkMeasured(name))
    return error;
  if (!layer.like)
    return Error::success();
  if (*layer.like < 0 || *layer.like >= index)
    return createStringError(name + " is like layer " + Twine(*layer.like) +
                             ", which is not an earlier one");
  if (!haveSameCosts(layer, problem.layers[*layer.like]))
    return createStringError(name + " is like layer " + Twine(*layer.like) +
                             ", but its costs are not the same");
  return Error::success();
}

Error Checker::checkLayerExists(const Twine &what, int64_t layer) {
  if (layer >= 0 && layer < numLayers)
    return Error::success();
  return createStringError(what + " refers to layer " + Twine(layer) +
                           ", but there are layers 0 to " +
                           Twine(numLayers - 1));
}

Error Checker::checkAscending(const Twine &what, ArrayRef<int64_t> numbers) {
  for (int64_t layer : numbers)
    if (Error error = checkLayerExists(what, layer))
      return error;
  for (size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i] <= numbers[i - 1])
      return createStringError(what + " lists layer " + Twine(numbers[i]) +
                               " after layer " + Twine(numbers[i - 1]) +
                               "; layers must ascend");
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
    if (Error error = checkAmount(name, what, Affine<Bytes>{bytes, Bytes(0)},
                                  totals.bytes))
      return error;
  return Error::success();
}

/// Checks the pins one by one and then each pair of them: stages must not
/// descend with the layers nor leave one out, and what is in one stage needs
/// common devices.
Error Checker::checkPins() {
  const Constraints &constraints = problem.constraints;
  for (auto [index, pin] : enumerate(constraints.pins)) {
    place = {ProblemPlace::Kind::Pin, int64_t(index)};
    std::string name = "pin " + std::to_string(index);
    if (Error error = checkLayerExists(name, pin.layer))
      return error;
    place.kind = ProblemPlace::Kind::PinStage;
    // Every stage before has a layer of its own.
    if (pin.stage && (*pin.stage < 0 || *pin.stage > pin.layer))
      return createStringError(name + " puts layer " + Twine(pin.layer) +
                               " into stage " + Twine(*pin.stage) +
                               ", but it can be in stages 0 to " +
                               Twine(pin.layer));
    if (pin.stage && constraints.maxStages &&
        *pin.stage >= *constraints.maxStages)
      return createStringError(name + " puts layer " + Twine(pin.layer) +
                               " into stage " + Twine(*pin.stage) +
                               ", but there may be " +
                               Twine(*constraints.maxStages) + " stages");
    place.kind = ProblemPlace::Kind::Pin;
    if (!pin.devices.empty() && all_of(pin.devices, [&](int64_t device) {
          return is_contained(constraints.forbiddenDevices, device);
        }))
      return createStringError(
          name + " allows layer " + Twine(pin.layer) + " only on " +
          (pin.devices.size() == 1 ? "device " : "devices ") +
          listNumbers(pin.devices) + ", which " +
          (pin.devices.size() == 1 ? "is" : "are") + " forbidden");
  }
  for (size_t i = 0; i < constraints.pins.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      place = {ProblemPlace::Kind::Pin, int64_t(i)};
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
  if (haveStages && (sameLayer ? *first.stage != *second.stage
                               : *first.stage > *second.stage))
    return createStringError("layer " + Twine(first.layer) +
                             " is pinned to stage " + Twine(*first.stage) +
                             " and layer " + Twine(second.layer) +
                             " to stage " + Twine(*second.stage) +
                             ", but stages follow the order of the layers");
  if (haveStages && *second.stage - *first.stage > second.layer - first.layer)
    return createStringError(
        "layer " + Twine(first.layer) + " is pinned to stage " +
        Twine(*first.stage) + " and layer " + Twine(second.layer) +
        " to stage " + Twine(*second.stage) +
        ", but stages have layers, and there are " +
        Twine(second.layer - first.layer - 1) + " between them");
  bool disjoint = !first.devices.empty() && !second.devices.empty() &&
                  none_of(first.devices, [&](int64_t device) {
                    return is_contained(second.devices, device);
                  });
  if (haveStages && *first.stage != *second.stage &&
      first.devices.size() == 1 && first.devices == second.devices)
    return createStringError(
        "layers " + Twine(first.layer) + " and " + Twine(second.layer) +
        " are pinned to stages " + Twine(*first.stage) + " and " +
        Twine(*second.stage) + ", but both to device " +
        Twine(first.devices[0]) + " alone, and a device is in one stage");
  if (disjoint && sameLayer)
    return createStringError("layer " + Twine(first.layer) +
                             " is pinned twice, but to no common device: to " +
                             listNumbers(first.devices) + " and to " +
                             listNumbers(second.devices));
  if (disjoint && haveStages && *first.stage == *second.stage)
    return createStringError("layers " + Twine(first.layer) + " and " +
                             Twine(second.layer) + " are pinned to stage " +
                             Twine(*first.stage) + ", but to no common device");
  return Error::success();
}

/// The parts that are given must be ones that all layers allow.
Error Checker::checkDegree() {
  std::optional<int64_t> given = problem.constraints.tensor;
  if (!given || *given == 1)
    return Error::success();
  place = {ProblemPlace::Kind::Tensor};
  if (*given < 1)
    return createStringError("layers cannot be divided in " + Twine(*given) +
                             " parts; at least 1");
  for (auto [index, layer] : enumerate(problem.layers)) {
    if (is_contained(layer.tensorDegrees, *given))
      continue;
    return createStringError(Twine(*given) + " parts are given, but layer " +
                             Twine(index) + " ('" + layer.name +
                             "') can be divided in " + listDegrees(layer));
  }
  return Error::success();
}

Error Checker::checkMicrobatches() {
  const Constraints &constraints = problem.constraints;
  for (auto [what, limit] :
       {std::pair("microbatches", constraints.maxMicrobatches),
        std::pair("stages", constraints.maxStages)})
    if (limit && *limit < 1)
      return createStringError("there must be at least 1 of the " +
                               Twine(what) + ", but at most " + Twine(*limit) +
                               " are allowed");
  if (constraints.microbatches.empty())
    return Error::success();
  place = {ProblemPlace::Kind::Microbatches};
  int64_t count = constraints.microbatches.size();
  if (count > maxGivenMicrobatches)
    return createStringError(Twine(count) +
                             " microbatches are given; there "
                             "can be at most " +
                             Twine(maxGivenMicrobatches));
  int64_t sum = 0;
  for (int64_t size : constraints.microbatches) {
    if (size < 1 || size > problem.batch)
      return createStringError("a microbatch of " + Twine(size) +
                               " samples is given; 1 to " +
                               Twine(problem.batch) + " are possible");
    sum = SaturatingAdd<uint64_t>(sum, size);
  }
  if (sum != problem.batch)
    return createStringError("the given microbatches make " + Twine(sum) +
                             " samples, but the batch has " +
                             Twine(problem.batch));
  if (constraints.maxMicrobatches && count > *constraints.maxMicrobatches)
    return createStringError(
        Twine(count) + " microbatches are given, but at most " +
        Twine(*constraints.maxMicrobatches) + " are allowed");
  return Error::success();
}

Error Checker::check() {
  place = {ProblemPlace::Kind::Batch};
  if (problem.batch < 1)
    return createStringError("the batch has " + Twine(problem.batch) +
                             " samples; it must have at least 1");
  if (problem.batch > maxBatch)
    return createStringError("the batch has " + Twine(problem.batch) +
                             " samples; it can have at most " +
                             Twine(maxBatch));
  place = {};
  if (numLayers == 0)
    return createStringError("the problem has no layers");
  for (int64_t i = 0; i < numLayers; ++i) {
    place = {ProblemPlace::Kind::Layer, i};
    if (Error error = checkLayer(i))
      return error;
  }
  for (auto [index, tie] : enumerate(problem.ties)) {
    place = {ProblemPlace::Kind::Tie, int64_t(index)};
    if (Error error = checkTie(index, tie))
      return error;
  }
  for (auto [index, input] : enumerate(problem.inputs)) {
    place = {ProblemPlace::Kind::Input, int64_t(index)};
    if (Error error = checkInput(index, input))
      return error;
  }
  place = {ProblemPlace::Kind::Constraints};
  for (auto [index, device] : enumerate(problem.constraints.forbiddenDevices)) {
    place = {ProblemPlace::Kind::Forbidden, int64_t(index)};
    if (device < 0)
      return createStringError("device " + Twine(device) +
                               " is forbidden, but there is no such device");
  }
  place = {ProblemPlace::Kind::Constraints};
  if (Error error = checkMicrobatches())
    return error;
  if (Error error = checkDegree())
    return error;
  return checkPins();
}

Error hetero::planner::check(const Problem &problem) {
  ProblemPlace place;
  return check(problem, place);
}

Error hetero::planner::check(const Problem &problem, ProblemPlace &place) {
  place = {};
  return Checker(problem, place).check();
}

Error hetero::planner::check(const Problem &problem, const Cluster &cluster) {
  ProblemPlace place;
  if (Error error = check(problem, place))
    return error;
  return checkConstraints(problem, cluster, place);
}
