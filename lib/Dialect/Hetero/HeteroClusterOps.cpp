//===- HeteroClusterOps.cpp - Clusters ------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Hetero/HeteroClusterOps.h"
#include "AsmDirectives.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include <set>

using namespace mlir;
using namespace hetero;

/// Far beyond any machine, small enough to list every device.
static constexpr int64_t maxDevicesPerNode = 65536;
static constexpr int64_t maxDevices = int64_t(1) << 20;

//===----------------------------------------------------------------------===//
// ClusterOp
//===----------------------------------------------------------------------===//

std::vector<Device> ClusterOp::getDevices() {
  mlir::SymbolTable symbols(*this);
  std::vector<Device> devices;
  for (NodeOp node : getBody().getOps<NodeOp>()) {
    std::set<int64_t> unavailable;
    if (auto listed = node.getUnavailable())
      unavailable.insert(listed->begin(), listed->end());
    int64_t index = 0;
    for (auto [count, name] :
         llvm::zip_equal(node.getCounts(),
                         node.getClasses().getAsRange<FlatSymbolRefAttr>())) {
      auto deviceClass = symbols.lookup<DeviceClassOp>(name.getAttr());
      for (int64_t i = 0; i < count; ++i, ++index)
        devices.push_back(
            {node, deviceClass, index, !unavailable.count(index)});
    }
  }
  return devices;
}

int64_t ClusterOp::getNumDevices() {
  int64_t count = 0;
  for (NodeOp node : getBody().getOps<NodeOp>())
    count += node.getNumDevices();
  return count;
}

ClusterOp ClusterOp::lookupNear(Operation *op) {
  Operation *table =
      mlir::SymbolTable::getNearestSymbolTable(op->getParentOp());
  if (!table || table->getNumRegions() != 1 || table->getRegion(0).empty())
    return {};
  auto clusters = table->getRegion(0).front().getOps<ClusterOp>();
  return clusters.empty() ? ClusterOp() : *clusters.begin();
}

namespace {
/// The network as a graph over the names of its vertices.
class Network {
public:
  explicit Network(ClusterOp cluster) {
    for (Operation &op : cluster.getBody().front())
      llvm::TypeSwitch<Operation *>(&op)
          .Case([&](SwitchOp op) {
            for (auto member : op.getMembers().getAsRange<FlatSymbolRefAttr>())
              join(op.getSymNameAttr(), member.getAttr());
          })
          .Case([&](LinkOp op) {
            join(op.getFirstAttr().getAttr(), op.getSecondAttr().getAttr());
          });
  }

  bool areJoined(StringAttr first, StringAttr second) const {
    auto found = neighbours.find(first);
    return found != neighbours.end() && found->second.contains(second);
  }

  /// All vertices that can be reached from `start`, itself included.
  llvm::SmallSetVector<StringAttr, 8> getReachable(StringAttr start) const {
    llvm::SmallSetVector<StringAttr, 8> reached;
    reached.insert(start);
    for (size_t i = 0; i < reached.size(); ++i)
      if (auto found = neighbours.find(reached[i]); found != neighbours.end())
        reached.insert(found->second.begin(), found->second.end());
    return reached;
  }

private:
  void join(StringAttr first, StringAttr second) {
    neighbours[first].insert(second);
    neighbours[second].insert(first);
  }

  llvm::DenseMap<StringAttr, llvm::SmallPtrSet<StringAttr, 4>> neighbours;
};
} // namespace

LogicalResult ClusterOp::verifyRegions() {
  for (Operation &op : getBody().front())
    if (!isa<DeviceClassOp, NodeOp, SwitchOp, LinkOp, RouteOp, SiteOp,
             MeasuredCollectiveOp>(op))
      return op.emitOpError() << "cluster_c2: does not describe a cluster";

  auto nodes = getBody().getOps<NodeOp>();
  if (nodes.empty())
    return emitOpError() << "cluster_c1: has no node";
  if (int64_t count = getNumDevices(); count > maxDevices)
    return emitOpError() << "cluster_c5: has " << count << " devices; at most "
                         << maxDevices;
  NodeOp first = *nodes.begin();
  auto reached = Network(*this).getReachable(first.getSymNameAttr());
  for (NodeOp node : nodes)
    if (!reached.contains(node.getSymNameAttr()))
      return (node.emitOpError()
              << "cluster_c3: no links lead to it from the first node")
                 .attachNote(first.getLoc())
             << "the first node is here";

  ClusterOp other = lookupNear(*this);
  if (other && other != *this)
    return (emitOpError() << "cluster_c4: is the second one here")
               .attachNote(other.getLoc())
           << "the first one is here";
  return success();
}

//===----------------------------------------------------------------------===//
// DeviceClassOp
//===----------------------------------------------------------------------===//

int64_t DeviceClassOp::getUsableMemory() {
  BytesAttr reserved = getReservedAttr();
  return getMemory().getValue() - (reserved ? reserved.getValue() : 0);
}

LogicalResult DeviceClassOp::verify() {
  if (getUsableMemory() <= 0)
    return emitOpError() << "device_class_c1: the memory of "
                         << writeQuantity(Dimension::Bytes,
                                          getMemory().getValue())
                         << " must be more than what is reserved of it";
  if (getBandwidth().getValue() <= 0)
    return emitOpError()
           << "device_class_c2: the memory bandwidth must be positive";
  return success();
}

//===----------------------------------------------------------------------===//
// NodeOp
//===----------------------------------------------------------------------===//

/// Reads `[4 x @a100, 2 x @t4]`.
static ParseResult parseClassCounts(OpAsmParser &parser,
                                    DenseI64ArrayAttr &counts,
                                    ArrayAttr &classes) {
  SmallVector<int64_t> numbers;
  SmallVector<Attribute> names;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            StringAttr name;
            if (parser.parseInteger(numbers.emplace_back()) ||
                parser.parseKeyword("x") || parser.parseSymbolName(name))
              return failure();
            names.push_back(FlatSymbolRefAttr::get(name));
            return success();
          }))
    return failure();
  counts = parser.getBuilder().getDenseI64ArrayAttr(numbers);
  classes = parser.getBuilder().getArrayAttr(names);
  return success();
}

static void printClassCounts(OpAsmPrinter &printer, NodeOp,
                             DenseI64ArrayAttr counts, ArrayAttr classes) {
  printer << '[';
  llvm::interleaveComma(
      llvm::zip(counts.asArrayRef(), classes), printer, [&](auto entry) {
        printer << std::get<0>(entry) << " x " << std::get<1>(entry);
      });
  printer << ']';
}

int64_t NodeOp::getNumDevices() { return llvm::sum_of(getCounts()); }

LogicalResult NodeOp::verify() {
  if (getCounts().empty() || getCounts().size() != getClasses().size())
    return emitOpError() << "node_c1: has " << getCounts().size()
                         << " counts for " << getClasses().size()
                         << " classes; there must be as many, at least one";
  for (int64_t count : getCounts())
    if (count < 1 || count > maxDevicesPerNode)
      return emitOpError() << "node_c1: has " << count
                           << " devices of a class; 1 to " << maxDevicesPerNode;
  int64_t devices = getNumDevices();
  if (devices > maxDevicesPerNode)
    return emitOpError() << "node_c1: has " << devices << " devices; at most "
                         << maxDevicesPerNode;
  if (devices > 1 && !getLink())
    return emitOpError() << "node_c3: has " << devices
                         << " devices but no link between them";
  ArrayRef<int64_t> unavailable =
      getUnavailable().value_or(ArrayRef<int64_t>());
  std::set<int64_t> seen;
  for (int64_t index : unavailable) {
    if (index < 0 || index >= devices)
      return emitOpError() << "node_c4: lists device " << index
                           << " as unavailable, but has devices 0 to "
                           << devices - 1;
    if (!seen.insert(index).second)
      return emitOpError() << "node_c4: lists device " << index << " twice";
  }
  return success();
}

LogicalResult NodeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto name : getClasses().getAsRange<FlatSymbolRefAttr>())
    if (!symbols.lookupNearestSymbolFrom<DeviceClassOp>(*this, name))
      return emitOpError() << "node_c2: " << name
                           << " is not a device class of the cluster";
  return success();
}

//===----------------------------------------------------------------------===//
// The network
//===----------------------------------------------------------------------===//

/// Checks that `name` is a node or a switch that is not `user` itself.
static LogicalResult verifyVertex(Operation *user, FlatSymbolRefAttr name,
                                  SymbolTableCollection &symbols,
                                  StringRef label) {
  Operation *vertex = symbols.lookupNearestSymbolFrom(user, name);
  if (vertex == user || !isa_and_nonnull<NodeOp, SwitchOp>(vertex))
    return user->emitOpError()
           << label << ": " << name
           << (vertex == user ? " is this switch itself"
                              : " is not a node or a switch of the cluster");
  return success();
}

/// The first name that is listed twice, or null.
static FlatSymbolRefAttr findDuplicate(ArrayAttr names) {
  llvm::SmallPtrSet<Attribute, 8> seen;
  for (auto name : names.getAsRange<FlatSymbolRefAttr>())
    if (!seen.insert(name).second)
      return name;
  return {};
}

LogicalResult SwitchOp::verify() {
  if (getMembers().empty())
    return emitOpError() << "switch_c1: joins nothing";
  if (FlatSymbolRefAttr name = findDuplicate(getMembers()))
    return emitOpError() << "switch_c1: joins " << name << " twice";
  return success();
}

LogicalResult SwitchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto name : getMembers().getAsRange<FlatSymbolRefAttr>())
    if (failed(verifyVertex(*this, name, symbols, "switch_c2")))
      return failure();
  return success();
}

LogicalResult LinkOp::verify() {
  if (getFirstAttr() == getSecondAttr())
    return emitOpError() << "link_c2: joins " << getFirstAttr()
                         << " with itself";
  return success();
}

LogicalResult LinkOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return failure(
      failed(verifyVertex(*this, getFirstAttr(), symbols, "link_c1")) ||
      failed(verifyVertex(*this, getSecondAttr(), symbols, "link_c1")));
}

LogicalResult RouteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (FlatSymbolRefAttr name : {getSourceAttr(), getTargetAttr()})
    if (!symbols.lookupNearestSymbolFrom<NodeOp>(*this, name))
      return emitOpError() << "route_c1: " << name
                           << " is not a node of the cluster";
  if (getSourceAttr() == getTargetAttr())
    return emitOpError() << "route_c1: leads from " << getSourceAttr()
                         << " to itself";
  for (auto name : getVia().getAsRange<FlatSymbolRefAttr>())
    if (failed(verifyVertex(*this, name, symbols, "route_c2")))
      return failure();

  Network network(cast<ClusterOp>((*this)->getParentOp()));
  SmallVector<FlatSymbolRefAttr> path(getVia().getAsRange<FlatSymbolRefAttr>());
  path.push_back(getTargetAttr());
  FlatSymbolRefAttr from = getSourceAttr();
  for (FlatSymbolRefAttr to : path) {
    if (!network.areJoined(from.getAttr(), to.getAttr()))
      return emitOpError() << "route_c3: nothing joins " << from << " and "
                           << to;
    from = to;
  }
  return success();
}

LogicalResult SiteOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (FlatSymbolRefAttr name = findDuplicate(getMembers()))
    return emitOpError() << "site_c1: lists " << name << " twice";
  for (auto name : getMembers().getAsRange<FlatSymbolRefAttr>())
    if (failed(verifyVertex(*this, name, symbols, "site_c1")))
      return failure();
  for (SiteOp other : (*this)->getParentRegion()->getOps<SiteOp>()) {
    if (other == *this)
      break;
    for (Attribute name : getMembers())
      if (llvm::is_contained(other.getMembers(), name))
        return (emitOpError()
                << "site_c2: " << name << " is in another site already")
                   .attachNote(other.getLoc())
               << "the other site is here";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// MeasuredCollectiveOp
//===----------------------------------------------------------------------===//

LogicalResult MeasuredCollectiveOp::verify() {
  if (getMembers() < 2 || getNodes() < 1)
    return emitOpError() << "measured_collective_c1: has " << getMembers()
                         << " members in " << getNodes()
                         << " nodes; at least 2 in 1";
  return success();
}

LogicalResult
MeasuredCollectiveOp::verifySymbolUses(SymbolTableCollection &symbols) {
  FlatSymbolRefAttr name = getDeviceClassAttr();
  if (name && !symbols.lookupNearestSymbolFrom<DeviceClassOp>(*this, name))
    return emitOpError() << "measured_collective_c2: " << name
                         << " is not a device class of the cluster";
  return success();
}

//===----------------------------------------------------------------------===//
// MeshOp: spelling of the axes
//===----------------------------------------------------------------------===//

/// Reads `(data = 2, tensor = 4)`. Nothing stands for the single axis
/// `devices`, whose size follows the `=`.
static ParseResult parseMesh(OpAsmParser &parser, ArrayAttr &names,
                             DenseI64ArrayAttr &sizes,
                             DenseI64ArrayAttr &devices) {
  Builder &builder = parser.getBuilder();
  SmallVector<StringRef> axes;
  SmallVector<int64_t> lengths;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalParen, [&] {
        return failure(parser.parseKeyword(&axes.emplace_back()) ||
                       parser.parseEqual() ||
                       parser.parseInteger(lengths.emplace_back()));
      }))
    return failure();
  if (parser.parseEqual() || parseRanks(parser, devices))
    return failure();
  if (axes.empty()) {
    axes.push_back("devices");
    lengths.push_back(devices.size());
  }
  names = builder.getStrArrayAttr(axes);
  sizes = builder.getDenseI64ArrayAttr(lengths);
  return success();
}

static void printMesh(OpAsmPrinter &printer, MeshOp, ArrayAttr names,
                      DenseI64ArrayAttr sizes, DenseI64ArrayAttr devices) {
  bool isDefault = names.size() == 1 && sizes.size() == 1 &&
                   sizes[0] == devices.size() &&
                   cast<StringAttr>(names[0]).getValue() == "devices";
  if (!isDefault) {
    printer << '(';
    llvm::interleaveComma(
        llvm::zip(names.getAsRange<StringAttr>(), sizes.asArrayRef()), printer,
        [&](auto axis) {
          printer << std::get<0>(axis).getValue() << " = " << std::get<1>(axis);
        });
    printer << ") ";
  }
  printer << "= ";
  printRankList(printer, devices);
}

#define GET_OP_CLASSES
#include "hetero/Dialect/Hetero/HeteroClusterOps.cpp.inc"
