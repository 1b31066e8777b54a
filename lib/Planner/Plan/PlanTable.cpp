//===- PlanTable.cpp - Plans for people -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Planner/Plan/Plan.h"
#include "hetero/Support/ApproximateAmount.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::planner;
using hetero::cluster::Cluster;

namespace {
/// Rows of cells that are printed in columns.
class Table {
public:
  using Row = std::vector<std::string>;

  void add(Row row) { rows.push_back(std::move(row)); }

  void print(raw_ostream &os) const {
    std::vector<size_t> widths;
    for (const Row &row : rows) {
      widths.resize(std::max(widths.size(), row.size()));
      for (auto [width, cell] : zip(widths, row))
        width = std::max(width, cell.size());
    }
    for (const Row &row : rows) {
      std::string line;
      for (auto [width, cell] : zip(widths, row))
        line += "  " + cell + std::string(width - cell.size(), ' ');
      os << StringRef(line).rtrim() << '\n';
    }
  }

private:
  std::vector<Row> rows;
};
} // namespace

/// "7 x 8, 5"
static std::string describeMicrobatches(ArrayRef<int64_t> sizes) {
  std::string text;
  for (size_t i = 0; i < sizes.size();) {
    size_t end = i;
    while (end < sizes.size() && sizes[end] == sizes[i])
      ++end;
    text += text.empty() ? "" : ", ";
    if (end - i > 1)
      text += std::to_string(end - i) + " x ";
    text += std::to_string(sizes[i]);
    i = end;
  }
  return text;
}

/// Runs that follow each other as one.
static std::vector<LayerRun> joinRuns(ArrayRef<LayerRun> layers) {
  std::vector<LayerRun> joined;
  for (const LayerRun &run : layers) {
    if (!joined.empty() && joined.back().last + 1 == run.first)
      joined.back().last = run.last;
    else
      joined.push_back(run);
  }
  return joined;
}

/// "0-3 (embed to block_2)", and in how many runs if they follow each other.
static std::string describeLayers(ArrayRef<std::string> names,
                                  const Stage &stage) {
  std::string text;
  std::vector<LayerRun> joined = joinRuns(stage.layers);
  for (const LayerRun &run : joined) {
    text += text.empty() ? "" : ", ";
    text += std::to_string(run.first);
    if (run.last != run.first)
      text += "-" + std::to_string(run.last);
    auto name = [&](int64_t layer) {
      return layer >= 0 && layer < int64_t(names.size()) ? names[layer]
                                                         : std::string();
    };
    if (!name(run.first).empty())
      text += " (" + name(run.first) +
              (run.last == run.first ? "" : " to " + name(run.last)) + ")";
  }
  if (joined.size() < stage.layers.size())
    text += " in " + std::to_string(stage.layers.size()) + " runs";
  return text;
}

/// "3 + 1": for each size of microbatch the samples of a device.
static std::string describeSamples(const Stage &stage, size_t device) {
  std::string text;
  for (const std::vector<int64_t> &samples : stage.samples) {
    size_t row = device / std::max<int64_t>(1, stage.mesh.tensor);
    text += text.empty() ? "" : " / ";
    text += row < samples.size() ? std::to_string(samples[row]) : "?";
  }
  return text;
}

static std::string percent(int64_t part, int64_t whole) {
  if (whole <= 0)
    return "0%";
  double share = static_cast<double>(part) / static_cast<double>(whole);
  return formatv("{0:f1}%", share * 100).str();
}

/// "2 a6000 (tower)", or "16-31 16 x p100" for several that follow each other.
static std::string describeDevices(const Cluster &cluster, int64_t first,
                                   int64_t last) {
  std::string text = std::to_string(first);
  if (first < 0 || last >= int64_t(cluster.devices.size()))
    return text;
  if (last > first)
    text += "-" + std::to_string(last) + " " +
            std::to_string(last - first + 1) + " x";
  text += " " + cluster.classOf(first).name;
  if (&cluster.nodeOf(first) == &cluster.nodeOf(last))
    text += " (" + cluster.nodeOf(first).name + ")";
  return text;
}

static Table::Row describeShare(const Cluster &cluster, const Stage &stage,
                                size_t index) {
  const DeviceShare &share = stage.shares[index];
  bool isKnown =
      share.device >= 0 && share.device < int64_t(cluster.devices.size());
  Bytes usable =
      isKnown ? cluster.classOf(share.device).usableMemory() : Bytes(0);
  std::string samples = describeSamples(stage, index);
  if (share.micro)
    samples += ", " + std::to_string(*share.micro) + " at a time";
  return {"",
          "",
          isKnown ? cluster.classOf(share.device).name : "",
          samples,
          approximate(share.state),
          approximate(share.memory) + " of " + approximate(usable) + " (" +
              percent(share.memory.count(), usable.count()) + ")"};
}

/// One row for each device; devices in a row of ranks that get the same share
/// one.
static void addDevices(const Cluster &cluster, const Stage &stage,
                       Table &table) {
  for (size_t i = 0; i < stage.shares.size();) {
    Table::Row row = describeShare(cluster, stage, i);
    size_t end = i + 1;
    while (end < stage.shares.size() &&
           stage.shares[end].device == stage.shares[end - 1].device + 1 &&
           describeShare(cluster, stage, end) == row)
      ++end;
    row[2] = describeDevices(cluster, stage.shares[i].device,
                             stage.shares[end - 1].device);
    table.add(std::move(row));
    i = end;
  }
}

static std::string describeTimes(const Stage &stage) {
  std::string text = "forward " + approximate(stage.forward) + ", backward " +
                     approximate(stage.backward);
  for (auto [name, time] :
       {std::pair(", to the next ", stage.boundary),
        std::pair(", gradient back ", stage.boundaryGradient),
        std::pair(", gather ", stage.gather),
        std::pair(", reduce ", stage.reduce),
        std::pair(", update ", stage.update)})
    if (time != Time(0))
      text += name + approximate(time);
  return text;
}

static std::string describe(const Resource &resource) {
  std::string text = stringify(resource.kind).str();
  if (resource.stage)
    text += " of stage " + std::to_string(*resource.stage);
  if (resource.device)
    text += " of device " + std::to_string(*resource.device);
  if (!resource.part.empty())
    text += " of " + resource.part;
  return text;
}

std::string hetero::planner::describeLimits(const Plan &plan) {
  return join(map_range(plan.limitedBy, describe), ", ");
}

std::vector<std::string>
hetero::planner::getLayerNames(const Problem &problem) {
  std::vector<std::string> names;
  for (const Layer &layer : problem.layers)
    names.push_back(layer.name);
  return names;
}

void hetero::planner::printPlan(ArrayRef<std::string> layerNames,
                                const Cluster &cluster, const Plan &plan,
                                raw_ostream &os) {
  os << "plan by '" << plan.planner << "' on cluster '" << cluster.name
     << "': " << plan.stages.size()
     << (plan.stages.size() == 1 ? " stage" : " stages") << ", batch "
     << plan.batch << " in microbatches of "
     << describeMicrobatches(plan.microbatches);
  // What all searches are about need not be said.
  if (plan.schedule != ScheduleKind::HeteroOneFOneB)
    os << ", " << stringify(plan.schedule);
  os << '\n';
  Table table;
  table.add({"stage", "layers", "device", "samples", "state", "memory"});
  for (auto [index, stage] : enumerate(plan.stages)) {
    std::string mesh = stage.mesh.tensor > 1
                           ? std::to_string(stage.mesh.data) + " x " +
                                 std::to_string(stage.mesh.tensor)
                           : "";
    table.add({std::to_string(index), describeLayers(layerNames, stage), mesh,
               "", stringify(stage.state).str(),
               "in flight " + std::to_string(stage.inFlight) +
                   (stage.recompute ? ", recompute" : "")});
    addDevices(cluster, stage, table);
  }
  table.print(os);
  for (auto [index, stage] : enumerate(plan.stages))
    os << "stage " << index << ": " << describeTimes(stage) << '\n';
  os << "step " << approximate(plan.predicted) << ", at least "
     << approximate(plan.bound) << " for any plan (gap "
     << percent(plan.gap().count(), 1000000) << ")";
  if (!plan.limitedBy.empty())
    os << ", limited by " << describeLimits(plan);
  os << '\n';
}
