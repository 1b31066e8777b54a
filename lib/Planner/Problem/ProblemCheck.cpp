//===- ProblemCheck.cpp - Constraints on a cluster ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constraints that no plan on a cluster can respect would only show as searches
// that find nothing. They are told apart here, before any search. So are layers
// that nobody says how long they take on a class of devices.

#include "hetero/Planner/Problem/ProblemCheck.h"
#include "hetero/Cluster/Cluster.h"
#include "hetero/Planner/Problem/UsableDevices.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

namespace {
class ConstraintChecker {
public:
  ConstraintChecker(const Problem &problem, const Cluster &cluster,
                    std::string &place)
      : problem(problem), constraints(problem.constraints), cluster(cluster),
        place(place), isUsable(cluster.devices.size(), false) {
    for (int64_t device : usableDevices(problem, cluster)) {
      isUsable[device] = true;
      ++numUsable;
    }
  }

  Error check();

private:
  Error checkDevices();
  Error checkPin(int64_t index);
  Error checkStage(int64_t index);
  Error checkDegree();
  Error checkTimes();
  bool exists(int64_t device) const {
    return device >= 0 && device < int64_t(cluster.devices.size());
  }
  std::string describeDevices() const;
  std::string describeUsable() const;
  std::string whyNot(ArrayRef<int64_t> devices) const;

  const Problem &problem;
  const Constraints &constraints;
  const Cluster &cluster;
  std::string &place;
  std::vector<bool> isUsable;
  int64_t numUsable = 0;
  /// What the pins of a stage leave of the devices that may be used.
  std::map<int64_t, std::vector<int64_t>> devicesOfStage;
};
} // namespace

/// "the cluster 'lab' has devices 0 to 3".
std::string ConstraintChecker::describeDevices() const {
  size_t count = cluster.devices.size();
  return "the cluster '" + cluster.name + "' has " +
         (count == 1 ? "only device 0"
                     : "devices 0 to " + std::to_string(count - 1));
}

std::string ConstraintChecker::describeUsable() const {
  return formatv("{0} of the {1} devices of the cluster '{2}' may be used",
                 numUsable, cluster.devices.size(), cluster.name);
}

/// The first few of the devices, and what is against them.
std::string ConstraintChecker::whyNot(ArrayRef<int64_t> devices) const {
  constexpr size_t most = 3;
  std::string text;
  for (int64_t device : devices.take_front(most)) {
    text += (text.empty() ? "" : ", ") + cluster.describe(device);
    text += is_contained(constraints.forbiddenDevices, device)
                ? " is forbidden"
                : " is not available";
  }
  if (devices.size() > most)
    text += ", and " + std::to_string(devices.size() - most) + " more";
  return text;
}

/// Whether there are the devices that are named.
Error ConstraintChecker::checkDevices() {
  for (auto [index, device] : enumerate(constraints.forbiddenDevices)) {
    place = "constraints.forbiddenDevices." + std::to_string(index);
    if (!exists(device))
      return createStringError("device " + Twine(device) +
                               " is forbidden, but " + describeDevices());
  }
  for (auto [index, pin] : enumerate(constraints.pins))
    for (auto [number, device] : enumerate(pin.devices)) {
      place = formatv("constraints.pins.{0}.devices.{1}", index, number);
      if (!exists(device))
        return createStringError(
            formatv("pin {0} allows layer {1} on device {2}, but {3}", index,
                    pin.layer, device, describeDevices()));
    }
  return Error::success();
}

/// A pin may list devices that are not there today, but not these alone.
Error ConstraintChecker::checkPin(int64_t index) {
  const Pin &pin = constraints.pins[index];
  if (pin.devices.empty())
    return Error::success();
  place = "constraints.pins." + std::to_string(index);
  int64_t allowed = 0;
  for (int64_t device : pin.devices)
    allowed += isUsable[device];
  std::string name = formatv("pin {0} allows layer {1}", index, pin.layer);
  if (allowed == 0)
    return createStringError(
        name + " on no device that may be used: " + whyNot(pin.devices));
  if (allowed < constraints.tensor.value_or(1))
    return createStringError(formatv(
        "{0} on {1} {2} that may be used, but {3} parts are given", name,
        allowed, allowed == 1 ? "device" : "devices", *constraints.tensor));
  return Error::success();
}

/// Stages before and the stage itself need devices of their own, and all pins
/// of a stage a common one.
Error ConstraintChecker::checkStage(int64_t index) {
  const Pin &pin = constraints.pins[index];
  if (!pin.stage)
    return Error::success();
  place = formatv("constraints.pins.{0}.stage", index);
  std::string name = formatv("pin {0} puts layer {1} into stage {2}", index,
                             pin.layer, *pin.stage);
  int64_t most = numUsable / constraints.tensor.value_or(1);
  if (*pin.stage >= most)
    return createStringError(
        formatv("{0}, but {1}, which is enough for {2} {3}", name,
                describeUsable(), most, most == 1 ? "stage" : "stages"));
  if (pin.devices.empty())
    return Error::success();
  auto [entry, isFirst] = devicesOfStage.try_emplace(*pin.stage, pin.devices);
  erase_if(entry->second, [&](int64_t device) {
    return !isUsable[device] || !is_contained(pin.devices, device);
  });
  if (entry->second.empty())
    return createStringError(
        name + ", but no device that may be used is one that all layers that "
               "are pinned there allow");
  return Error::success();
}

Error ConstraintChecker::checkDegree() {
  if (constraints.tensor.value_or(1) <= numUsable)
    return Error::success();
  place = "constraints.tensor";
  return createStringError(Twine(*constraints.tensor) +
                           " parts are given, but " + describeUsable());
}

static bool isNothing(const Cost &cost) {
  bool nothing = true;
  forEachGroup(cost, [&](const Cost &group) {
    nothing &= group.bytes == Affine<Bytes>() &&
               all_of(make_second_range(group.work),
                      [](const auto &work) { return work == Affine<Work>(); });
  });
  return nothing;
}

/// A layer of which only times are known needs them for all classes of devices
/// that may be used: elsewhere it would take no time at all.
Error ConstraintChecker::checkTimes() {
  std::set<int64_t> classes;
  for (auto [device, usable] : enumerate(isUsable))
    if (usable)
      classes.insert(cluster.devices[device].deviceClass);
  for (auto [index, layer] : enumerate(problem.layers)) {
    if (layer.measured.empty() || !isNothing(layer.forward) ||
        !isNothing(layer.backward))
      continue;
    for (int64_t deviceClass : classes) {
      const std::string &name = cluster.classes[deviceClass].name;
      if (layer.measuredOn(name))
        continue;
      place = "layers." + std::to_string(index);
      return createStringError(
          formatv("layer {0} ('{1}') has neither measured times on '{2}' of "
                  "the cluster '{3}' nor work or traffic to compute them from; "
                  "it has times on '{4}'",
                  index, layer.name, name, cluster.name,
                  join(make_first_range(layer.measured), "', '")));
    }
  }
  return Error::success();
}

Error ConstraintChecker::check() {
  if (Error error = checkDevices())
    return error;
  // Whoever needs a device says so.
  if (numUsable == 0)
    return Error::success();
  if (Error error = checkDegree())
    return error;
  if (Error error = checkTimes())
    return error;
  for (size_t index = 0; index < constraints.pins.size(); ++index) {
    if (Error error = checkPin(index))
      return error;
    if (Error error = checkStage(index))
      return error;
  }
  return Error::success();
}

Error hetero::planner::checkConstraints(const Problem &problem,
                                        const Cluster &cluster,
                                        std::string &place) {
  return ConstraintChecker(problem, cluster, place).check();
}
