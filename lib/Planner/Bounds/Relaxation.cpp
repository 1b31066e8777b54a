//===- Relaxation.cpp - Which times no plan can have ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Relaxation.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

int64_t NodeKind::size() const { return sum_of(counts); }

NetworkBounds::NetworkBounds(const cluster::Cluster &cluster,
                             ArrayRef<int64_t> devices,
                             ArrayRef<ClassCount> classes)
    : latency(infinity), outOfClass(classes.size(), 0),
      isMeasured(!cluster.collectives.empty()) {
  std::map<int64_t, NodeKind> found;
  for (int64_t device : devices) {
    const cluster::Device &entry = cluster.devices[device];
    NodeKind &node = found[entry.node];
    node.counts.resize(classes.size(), 0);
    for (auto [index, entryOfClass] : enumerate(classes))
      node.counts[index] += entryOfClass.deviceClass == entry.deviceClass;
  }
  numNodes = found.size();
  for (auto &[from, node] : found)
    for (auto &[to, other] : found) {
      if (from == to && node.size() < 2)
        continue;
      const cluster::Path &path =
          cluster.paths[from * cluster.nodes.size() + to];
      auto speed = static_cast<double>(path.bandwidth.count());
      latency = std::min(latency, toSeconds(path.latency));
      double &best = from == to ? node.inside : node.out;
      best = std::max(best, speed);
      if (from != to)
        other.out = std::max(other.out, speed);
    }
  // A device alone sends nothing.
  if (latency == infinity)
    latency = 0;
  leastOut = infinity;
  for (auto &[index, node] : found) {
    if (node.out > 0)
      leastOut = std::min(leastOut, node.out);
    for (size_t i = 0; i < classes.size(); ++i)
      if (node.counts[i] > 0)
        outOfClass[i] = std::max(outOfClass[i], node.out);
    auto same = find_if(nodes, [&, &node = node](const NodeKind &other) {
      return other.counts == node.counts && other.out == node.out &&
             other.inside == node.inside;
    });
    if (same != nodes.end())
      ++same->number;
    else
      nodes.push_back(node);
  }
}

//===----------------------------------------------------------------------===//
// The dynamic program
//===----------------------------------------------------------------------===//

/// What the layers before one cost if no stage had to wait for its first
/// microbatch and one microbatch were in flight.
std::vector<double> Relaxation::findFront(double time) {
  std::vector<double> front(numLayers() + 1, infinity);
  front[0] = 0;
  for (int64_t last = 1; last <= numLayers(); ++last)
    for (int64_t first = 0; first < last; ++first)
      for (const RelaxedStage &option : options(runs.find(first, last))) {
        if (option.price + front[first] >= front[last])
          break;
        double bytes = option.state + option.kept;
        if (option.once.gather + option.total + option.once.end <= time &&
            bytes <= option.room)
          front[last] = std::min(
              front[last],
              front[first] + std::max(option.price, bytes * option.bytePrice));
      }
  return front;
}

/// Half of a step that takes no time at all, as cells divide by it.
static constexpr double shortestHalf = 1e-12;

Relaxation::LabelCells::LabelCells(const Resolution &resolution, double time)
    : half(std::max(time / 2, shortestHalf)),
      lateScale(static_cast<double>(resolution.late) / half),
      laterScale(static_cast<double>(resolution.later) / half),
      stayScale(static_cast<double>(resolution.stay) / half),
      numStays(static_cast<int32_t>(resolution.stay) + 1),
      cells((resolution.late + resolution.later + 1) * numStays) {}

/// Puts a label with those whose times differ little from its own: they become
/// one that is as good as all of them.
void Relaxation::LabelCells::add(const Label &label) {
  auto cellOf = [&](double value, double scale) {
    return static_cast<int32_t>(std::clamp(value, 0.0, half) * scale);
  };
  int32_t late = cellOf(label.lateAfter, lateScale) +
                 cellOf(label.lateAfter - half, laterScale);
  uint32_t number = late * numStays + cellOf(label.stays, stayScale);
  Label &cell = cells[number];
  if (cell.price == infinity) {
    cell = label;
    used.push_back(number);
    return;
  }
  cell.price = std::min(cell.price, label.price);
  cell.late = std::max(cell.late, label.late);
  cell.lateAfter = std::max(cell.lateAfter, label.lateAfter);
  cell.stays = std::min(cell.stays, label.stays);
  cell.crossings = std::min(cell.crossings, label.crossings);
  cell.back = std::min(cell.back, label.back);
}

std::vector<Relaxation::Label> Relaxation::LabelCells::take() {
  std::vector<Label> kept;
  // The latest first: few others are better than these.
  sort(used, std::greater<>());
  for (uint32_t number : used) {
    const Label &label = cells[number];
    if (none_of(kept, [&](const Label &other) {
          return other.price <= label.price && other.late >= label.late &&
                 other.lateAfter >= label.lateAfter &&
                 other.stays <= label.stays &&
                 other.crossings <= label.crossings && other.back <= label.back;
        }))
      kept.push_back(label);
    cells[number] = {};
  }
  used.clear();
  sort(kept, [](const Label &left, const Label &right) {
    return std::tie(left.price, left.stays, left.late, left.lateAfter) <
           std::tie(right.price, right.stays, right.late, right.lateAfter);
  });
  return kept;
}

/// The label of the stages from `option` on, if there can be such stages.
std::optional<Relaxation::Label> Relaxation::extend(const Label &after,
                                                    const RelaxedStage &option,
                                                    bool isLast, double time,
                                                    double most) const {
  double window = time - option.once.end;
  double step = option.forward + network.latency;
  Label label;
  label.back = option.handedOn;
  if (!isLast)
    label.back = std::max(label.back, step + after.back + network.latency +
                                          option.stay - option.forward);
  double own = window - std::max(option.total, label.back + option.weights);
  label.late = std::min(own, after.late - step);
  label.lateAfter =
      std::min(own + slowestCrossing, after.lateAfter - step - option.crossing);
  if (label.late < 0 || label.lateAfter < 0)
    return std::nullopt;
  label.stays = after.stays + option.stay;
  label.crossings = after.crossings;
  if (!isLast) {
    label.stays += 2 * network.latency;
    label.crossings += option.crossing;
  }
  label.price = after.price + option.price;
  double stay = label.stays + option.weights +
                std::max(0.0, label.crossings - slowestCrossing) * bothWays;
  // How many are in flight is of no interest if more of them cost nothing.
  auto number = static_cast<double>(count);
  if (number * stay > option.freeInFlight * window) {
    double inFlight =
        std::min(number, std::ceil(number * stay / window * (1 - 1e-9)));
    double bytes = option.state + std::max(1.0, inFlight) * option.kept;
    label.price =
        after.price + std::max(option.price, bytes * option.bytePrice);
    if (bytes > option.room)
      return std::nullopt;
  }
  if (label.price > most)
    return std::nullopt;
  return label;
}

bool Relaxation::excludes(double time) {
  std::vector<double> front = findFront(time);
  if (front.back() > all)
    return true;
  // Of the stages from each layer on.
  std::vector<std::vector<Label>> labels(numLayers() + 1);
  labels.back().push_back({0, infinity, infinity, 0, 0, 0});
  LabelCells cells(resolution, time);
  for (int64_t first = numLayers() - 1; first >= 0; --first) {
    double most = all - front[first];
    for (int64_t last = first + 1; last <= numLayers(); ++last) {
      if (labels[last].empty())
        continue;
      for (const RelaxedStage &option : options(runs.find(first, last))) {
        if (option.price + labels[last].front().price > most)
          break;
        if (option.once.gather + option.total + option.once.end > time)
          continue;
        for (const Label &after : labels[last]) {
          if (option.price + after.price > most)
            break;
          ++steps;
          if (after.late < option.forward)
            continue;
          std::optional<Label> label =
              extend(after, option, last == numLayers(), time, most);
          if (!label)
            continue;
          if (first == 0)
            return false;
          cells.add(*label);
        }
      }
    }
    labels[first] = cells.take();
  }
  return true;
}

double Relaxation::raise(double low, double high) {
  // Powers of a number, so that the result does not depend on `high`.
  double base = std::log1p(precision);
  auto first = int64_t(std::ceil(std::log(std::max(low, 1e-12)) / base));
  auto last = int64_t(std::ceil(std::log(high) / base));
  // In growing steps from below, the first of about 5 %: what is far from
  // excluded takes long to try.
  int64_t step = 16;
  while (first < last) {
    int64_t middle = first + std::min(step, (last - first) / 2);
    double time = std::exp(static_cast<double>(middle) * base);
    if (time < high && excludes(time)) {
      low = time;
      first = middle + 1;
      step *= 2;
    } else {
      last = middle;
    }
  }
  return low;
}

/// How many stages may be put before others while better prices are looked for.
static constexpr int64_t mostSteps = 2500000;

std::vector<double> Relaxation::improvePrices(double low, double high) {
  // Raises and lowers the price of one class after the other by a share, as
  // long as that excludes more, at most four rounds for each share.
  std::vector<double> best;
  for (double step : {0.06, 0.2, 0.03, 0.015}) {
    bool helps = true;
    for (int round = 0; helps && round < 4; ++round) {
      helps = false;
      for (size_t index = 0; index < bounds.classes.size(); ++index)
        for (double factor : {1 + step, 1 / (1 + step)}) {
          // A little more than the next time that raise would try.
          double aim = low * (1 + 1.5 * precision);
          if (aim >= high || steps > mostSteps)
            return best;
          std::vector<double> before = prices, changed = prices;
          changed[index] *= factor;
          setPrices(std::move(changed));
          if (excludes(aim)) {
            low = raise(aim, high);
            best = prices;
            helps = true;
            break;
          }
          setPrices(std::move(before));
        }
    }
  }
  return best;
}
