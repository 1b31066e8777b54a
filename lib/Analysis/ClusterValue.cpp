//===- ClusterValue.cpp - A cluster in the IR and as a value --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/ClusterValue.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// From the value to the IR
//===----------------------------------------------------------------------===//

static LinkAttr toAttr(const cluster::Link &link, MLIRContext *context) {
  return LinkAttr::get(context, link.kind, link.bandwidth.count(),
                       link.latency.count(), link.shared);
}

namespace {
/// Gives out symbols that differ from each other.
class Symbols {
public:
  explicit Symbols(MLIRContext *context) : context(context) {}

  /// `name`, with `suffix` and then a number if it is taken. `called` is set to
  /// the name if the symbol is another one.
  StringAttr add(StringRef name, StringRef suffix, StringAttr &called) {
    std::string symbol = name.empty() ? suffix.drop_front().str() : name.str();
    for (int64_t number = 0; !taken.insert(symbol).second; ++number)
      symbol = (name + suffix + (number ? Twine(number) : Twine())).str();
    called = symbol == name ? StringAttr() : StringAttr::get(context, name);
    return StringAttr::get(context, symbol);
  }

private:
  MLIRContext *context;
  llvm::StringSet<> taken;
};

class ClusterWriter {
public:
  ClusterWriter(OpBuilder &builder, Location location,
                const cluster::Cluster &cluster)
      : builder(builder), context(builder.getContext()), location(location),
        cluster(cluster), symbols(context) {}

  FailureOr<ClusterOp> write(StringRef name);

private:
  void nameParts();
  FailureOr<PeakAttr> getPeak(const cluster::DeviceClass &deviceClass);
  LogicalResult addClass(size_t index);
  void addNode(const cluster::Node &node);
  void addCollective(const cluster::MeasuredCollective &measured);
  ArrayAttr getVertices(ArrayRef<int64_t> members);
  FlatSymbolRefAttr getVertex(int64_t vertex) {
    return FlatSymbolRefAttr::get(context, cluster.vertexName(vertex));
  }

  OpBuilder &builder;
  MLIRContext *context;
  Location location;
  const cluster::Cluster &cluster;
  Symbols symbols;
  /// The symbol of each class and site, and its name if that is another one.
  SmallVector<std::pair<StringAttr, StringAttr>> classes, sites;
};
} // namespace

void ClusterWriter::nameParts() {
  StringAttr called;
  for (int64_t vertex = 0; vertex < cluster.numVertices(); ++vertex)
    symbols.add(cluster.vertexName(vertex), "", called);
  for (const cluster::DeviceClass &deviceClass : cluster.classes) {
    StringAttr symbol = symbols.add(deviceClass.name, "_class", called);
    classes.push_back({symbol, called});
  }
  for (const cluster::Site &site : cluster.sites) {
    StringAttr symbol = symbols.add(site.name, "_site", called);
    sites.push_back({symbol, called});
  }
}

FailureOr<PeakAttr>
ClusterWriter::getPeak(const cluster::DeviceClass &deviceClass) {
  SmallVector<Type> types;
  SmallVector<int64_t> speeds;
  for (const auto &[name, speed] : deviceClass.peak) {
    Type type;
    {
      // The parser's own words are about text that nobody has written.
      ScopedDiagnosticHandler quiet(context, [](Diagnostic &) {});
      type = parseType(name, context);
    }
    if (!type || !(type.isIntOrFloat() || isa<ComplexType>(type)))
      return emitError(location)
             << "device class '" << deviceClass.name << "' has a peak for '"
             << name << "', which is not an element type like f32";
    types.push_back(type);
    speeds.push_back(speed.count());
  }
  return PeakAttr::getChecked([&] { return emitError(location); }, context,
                              ArrayRef<Type>(types), ArrayRef<int64_t>(speeds));
}

LogicalResult ClusterWriter::addClass(size_t index) {
  const cluster::DeviceClass &deviceClass = cluster.classes[index];
  FailureOr<PeakAttr> peak = getPeak(deviceClass);
  if (failed(peak) || !*peak)
    return failure();
  CurveAttr curve;
  if (!deviceClass.efficiency.empty()) {
    SmallVector<int64_t> work, shares;
    for (const cluster::CurvePoint &point : deviceClass.efficiency) {
      work.push_back(point.work.count());
      shares.push_back(point.share.count());
    }
    curve = CurveAttr::get(context, work, shares);
  }
  DeviceClassOp::create(
      builder, location, classes[index].first, classes[index].second,
      BytesAttr::get(context, deviceClass.memory.count()),
      deviceClass.reserved == Bytes(0)
          ? BytesAttr()
          : BytesAttr::get(context, deviceClass.reserved.count()),
      *peak, BandwidthAttr::get(context, deviceClass.bandwidth.count()), curve,
      deviceClass.overhead == Time(0)
          ? TimeAttr()
          : TimeAttr::get(context, deviceClass.overhead.count()),
      deviceClass.price ? PriceAttr::get(context, deviceClass.price->count())
                        : PriceAttr());
  return success();
}

void ClusterWriter::addNode(const cluster::Node &node) {
  SmallVector<int64_t> counts;
  SmallVector<Attribute> names;
  for (const cluster::DeviceGroup &group : node.groups) {
    counts.push_back(group.count);
    names.push_back(FlatSymbolRefAttr::get(classes[group.deviceClass].first));
  }
  NodeOp::create(
      builder, location, builder.getStringAttr(node.name),
      builder.getDenseI64ArrayAttr(counts), builder.getArrayAttr(names),
      node.link ? toAttr(*node.link, context) : LinkAttr(),
      node.host ? BytesAttr::get(context, node.host->count()) : BytesAttr(),
      node.unavailable.empty()
          ? DenseI64ArrayAttr()
          : builder.getDenseI64ArrayAttr(node.unavailable));
}

void ClusterWriter::addCollective(const cluster::MeasuredCollective &measured) {
  SmallVector<int64_t> bytes, times;
  for (const cluster::CollectivePoint &point : measured.points) {
    bytes.push_back(point.bytes.count());
    times.push_back(point.time.count());
  }
  MeasuredCollectiveOp::create(
      builder, location, measured.kind, measured.members, measured.nodes,
      measured.deviceClass
          ? FlatSymbolRefAttr::get(classes[*measured.deviceClass].first)
          : FlatSymbolRefAttr(),
      TimesAttr::get(context, bytes, times));
}

ArrayAttr ClusterWriter::getVertices(ArrayRef<int64_t> members) {
  return builder.getArrayAttr(llvm::map_to_vector(
      members, [&](int64_t member) -> Attribute { return getVertex(member); }));
}

FailureOr<ClusterOp> ClusterWriter::write(StringRef name) {
  OpBuilder::InsertionGuard guard(builder);
  nameParts();
  auto op = ClusterOp::create(builder, location, builder.getStringAttr(name),
                              name == cluster.name
                                  ? StringAttr()
                                  : builder.getStringAttr(cluster.name));
  builder.setInsertionPointToStart(&op.getBody().emplaceBlock());
  for (size_t index = 0; index < cluster.classes.size(); ++index)
    if (failed(addClass(index))) {
      op.erase();
      return failure();
    }
  for (const cluster::Node &node : cluster.nodes)
    addNode(node);
  for (const cluster::Switch &hub : cluster.switches)
    SwitchOp::create(builder, location, builder.getStringAttr(hub.name),
                     getVertices(hub.members), toAttr(hub.link, context));
  for (const cluster::Cable &cable : cluster.cables)
    LinkOp::create(builder, location, getVertex(cable.first),
                   getVertex(cable.second), toAttr(cable.link, context));
  for (const cluster::Route &route : cluster.routes)
    RouteOp::create(builder, location, getVertex(route.source),
                    getVertex(route.target), getVertices(route.via));
  for (auto [site, names] : llvm::zip_equal(cluster.sites, sites))
    SiteOp::create(builder, location, names.first, names.second,
                   getVertices(site.members));
  for (const cluster::MeasuredCollective &measured : cluster.collectives)
    addCollective(measured);
  return op;
}

FailureOr<ClusterOp> hetero::createCluster(OpBuilder &builder,
                                           Location location,
                                           const cluster::Cluster &cluster,
                                           StringRef name) {
  return ClusterWriter(builder, location, cluster).write(name);
}

//===----------------------------------------------------------------------===//
// From the IR to the value
//===----------------------------------------------------------------------===//

static cluster::Link toLink(LinkAttr attr) {
  cluster::Link link;
  link.kind = attr.getKind();
  link.bandwidth = Bandwidth(attr.getBandwidth());
  link.latency = Time(attr.getLatency());
  link.shared = attr.getShared();
  return link;
}

template <typename Op>
static std::string getName(Op op) {
  return op.getCalled().value_or(op.getSymName()).str();
}

static cluster::DeviceClass toClass(DeviceClassOp op) {
  cluster::DeviceClass result;
  result.name = getName(op);
  result.memory = Bytes(op.getMemory().getValue());
  if (BytesAttr reserved = op.getReservedAttr())
    result.reserved = Bytes(reserved.getValue());
  for (auto [type, speed] :
       llvm::zip_equal(op.getPeak().getTypes(), op.getPeak().getSpeeds())) {
    std::string name;
    llvm::raw_string_ostream(name) << type;
    result.peak[name] = Speed(speed);
  }
  result.bandwidth = Bandwidth(op.getBandwidth().getValue());
  if (CurveAttr curve = op.getEfficiencyAttr())
    for (auto [work, share] :
         llvm::zip_equal(curve.getWork(), curve.getShares()))
      result.efficiency.push_back({Work(work), Share(share)});
  if (TimeAttr overhead = op.getOverheadAttr())
    result.overhead = Time(overhead.getValue());
  if (PriceAttr price = op.getPriceAttr())
    result.price = Price(price.getValue());
  return result;
}

namespace {
class ClusterReader {
public:
  explicit ClusterReader(ClusterOp op) : op(op) {}
  FailureOr<cluster::Cluster> read();

private:
  void readNode(NodeOp node);
  void readCollective(MeasuredCollectiveOp op);
  std::vector<int64_t> getVertices(ArrayAttr names) {
    std::vector<int64_t> members;
    for (auto name : names.getAsRange<FlatSymbolRefAttr>())
      members.push_back(vertices.lookup(name.getAttr()));
    return members;
  }

  ClusterOp op;
  cluster::Cluster result;
  DenseMap<StringAttr, int64_t> classes, vertices;
};
} // namespace

void ClusterReader::readNode(NodeOp op) {
  cluster::Node node;
  node.name = op.getSymName().str();
  for (auto [count, name] : llvm::zip_equal(
           op.getCounts(), op.getClasses().getAsRange<FlatSymbolRefAttr>()))
    node.groups.push_back({count, classes.lookup(name.getAttr())});
  if (LinkAttr link = op.getLinkAttr())
    node.link = toLink(link);
  if (BytesAttr host = op.getHostAttr())
    node.host = Bytes(host.getValue());
  if (DenseI64ArrayAttr unavailable = op.getUnavailableAttr())
    node.unavailable.assign(unavailable.asArrayRef().begin(),
                            unavailable.asArrayRef().end());
  vertices[op.getSymNameAttr()] = result.nodes.size();
  result.nodes.push_back(std::move(node));
}

void ClusterReader::readCollective(MeasuredCollectiveOp op) {
  cluster::MeasuredCollective measured;
  measured.kind = op.getKind();
  measured.members = op.getMembers();
  measured.nodes = op.getNodes();
  if (FlatSymbolRefAttr name = op.getDeviceClassAttr())
    measured.deviceClass = classes.lookup(name.getAttr());
  for (auto [bytes, time] :
       llvm::zip_equal(op.getTimes().getBytes(), op.getTimes().getTimes()))
    measured.points.push_back({Bytes(bytes), Time(time)});
  result.collectives.push_back(std::move(measured));
}

FailureOr<cluster::Cluster> ClusterReader::read() {
  Region &body = op.getBody();
  result.name = getName(op);
  for (auto deviceClass : body.getOps<DeviceClassOp>()) {
    classes[deviceClass.getSymNameAttr()] = result.classes.size();
    result.classes.push_back(toClass(deviceClass));
  }
  for (auto node : body.getOps<NodeOp>())
    readNode(node);
  // Switches may join each other, so they are numbered first.
  for (auto hub : body.getOps<SwitchOp>()) {
    vertices[hub.getSymNameAttr()] = result.numVertices();
    result.switches.push_back({hub.getSymName().str(), {}, {}});
  }
  for (auto [index, hub] : llvm::enumerate(body.getOps<SwitchOp>())) {
    result.switches[index].members = getVertices(hub.getMembers());
    result.switches[index].link = toLink(hub.getLink());
  }
  for (auto cable : body.getOps<LinkOp>())
    result.cables.push_back({vertices.lookup(cable.getFirstAttr().getAttr()),
                             vertices.lookup(cable.getSecondAttr().getAttr()),
                             toLink(cable.getLink())});
  for (auto route : body.getOps<RouteOp>())
    result.routes.push_back({vertices.lookup(route.getSourceAttr().getAttr()),
                             vertices.lookup(route.getTargetAttr().getAttr()),
                             getVertices(route.getVia())});
  for (auto site : body.getOps<SiteOp>())
    result.sites.push_back({getName(site), getVertices(site.getMembers())});
  for (auto measured : body.getOps<MeasuredCollectiveOp>())
    readCollective(measured);
  if (llvm::Error error = result.finish())
    return op.emitOpError() << llvm::toString(std::move(error));
  return std::move(result);
}

FailureOr<cluster::Cluster> hetero::getCluster(ClusterOp op) {
  return ClusterReader(op).read();
}
