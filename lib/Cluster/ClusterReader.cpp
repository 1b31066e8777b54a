//===- ClusterReader.cpp - Reads a cluster.yaml ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Cluster/Cluster.h"
#include "hetero/Support/ElementType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::cluster;

static constexpr StringLiteral catalogueText =
#include "Catalogue.inc"
    ;

namespace {
class ClusterReader {
public:
  ClusterReader(MemoryBufferRef buffer) : reader(buffer) {}

  Expected<Cluster> read();
  /// Reads a document that has classes only.
  Expected<std::vector<DeviceClass>> readCatalogue();

private:
  /// A class of the file, before its `like` was followed.
  struct ClassEntry {
    const YamlNode *key, *node;
    bool visited = false;
  };

  void readClasses(const YamlNode &node);
  /// The class of the catalogue, if it may be used.
  const DeviceClass *findBuiltin(StringRef name) const;
  /// The class called `text`; reports at `place` if there is none.
  std::optional<DeviceClass> findClass(StringRef text, const YamlNode &place);
  std::optional<DeviceClass> readClass(ClassEntry &entry);
  void readCurve(const YamlNode &node, DeviceClass &deviceClass);
  void readPeak(const YamlNode &node, DeviceClass &deviceClass);
  int64_t useClass(StringRef text, const YamlNode &place);

  void readNode(const YamlNode &node);
  void readDevices(const YamlNode &item, Node &node);
  void readLink(YamlMapping &mapping, Link &link);
  Link readLink(const YamlNode &node);
  void readSwitch(const YamlNode &node, Switch &hub);
  void readCable(const YamlNode &node);
  void readRoute(const YamlNode &node);
  void addStop(const YamlNode &item, Route &route);
  void readSite(const YamlNode &node);
  void readCollective(const YamlNode &node);

  void declare(const std::string &name, const YamlNode &place,
               std::vector<int64_t> vertices);
  std::vector<int64_t> findVertices(const YamlNode &place);
  int64_t findVertex(const YamlNode &place);
  std::vector<int64_t> readMembers(const YamlNode &node);

  YamlReader reader;
  Cluster cluster;
  std::map<std::string, ClassEntry> classes;
  std::map<std::string, int64_t> usedClasses;
  /// What each name of a node or switch stands for.
  std::map<std::string, std::vector<int64_t>> vertices;
  /// Where each node was read.
  std::vector<const YamlNode *> nodePlaces;
  bool allowCatalogue = true;
};
} // namespace

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

void ClusterReader::readClasses(const YamlNode &node) {
  for (auto [key, value] : reader.readEntries(node, "device classes by name"))
    classes.emplace(key.text, ClassEntry{&key, &value});
}

const DeviceClass *ClusterReader::findBuiltin(StringRef name) const {
  if (allowCatalogue)
    for (const DeviceClass &builtin : catalogue())
      if (builtin.name == name)
        return &builtin;
  return nullptr;
}

/// Names that are like `name`, or all that there are.
static std::string suggest(StringRef name, ArrayRef<std::string> names,
                           StringRef introduction) {
  std::vector<std::string> similar = findSimilar(name, names);
  return similar.empty() ? (introduction + join(names, ", ")).str()
                         : "did you mean " + join(similar, " or ") + "?";
}

std::optional<DeviceClass> ClusterReader::findClass(StringRef text,
                                                    const YamlNode &place) {
  if (auto found = classes.find(text.str()); found != classes.end()) {
    if (found->second.visited) {
      reader.fail(place, "device class '" + text + "' is like itself");
      return std::nullopt;
    }
    return readClass(found->second);
  }
  if (const DeviceClass *builtin = findBuiltin(text))
    return *builtin;
  std::vector<std::string> names;
  append_range(names, make_first_range(classes));
  if (allowCatalogue)
    for (const DeviceClass &builtin : catalogue())
      if (!classes.count(builtin.name))
        names.push_back(builtin.name);
  reader.fail(place, "unknown device class '" + text + "'; " +
                         suggest(text, names, "known classes: "));
  return std::nullopt;
}

void ClusterReader::readCurve(const YamlNode &node, DeviceClass &deviceClass) {
  deviceClass.efficiency.clear();
  for (auto [key, value] :
       reader.readEntries(node, "shares of the peak by work, like "
                                "{1 MFLOP: 0.02, 1 TFLOP: 0.8}")) {
    CurvePoint point;
    reader.read(key, point.work);
    reader.read(value, point.share);
    if (!deviceClass.efficiency.empty() &&
        point.work <= deviceClass.efficiency.back().work)
      reader.fail(key, "the work must grow from point to point");
    if (point.share <= Share(0) || point.share > Share(1000000))
      reader.fail(value, "the share must be above 0 and at most 1, not " +
                             point.share.str());
    deviceClass.efficiency.push_back(point);
  }
}

void ClusterReader::readPeak(const YamlNode &node, DeviceClass &deviceClass) {
  deviceClass.peak.clear();
  if (node.kind != YamlNode::Kind::Mapping || node.keys.empty())
    return reader.fail(node, "expected speeds by element type, like "
                             "{f32: 19.5 TFLOP/s}");
  for (auto [key, value] : zip(node.keys, node.items)) {
    checkElementType(reader, key);
    Speed &speed = deviceClass.peak[key.text];
    reader.read(value, speed);
    if (speed <= Speed(0))
      reader.fail(value, "the speed must be positive");
  }
}

std::optional<DeviceClass> ClusterReader::readClass(ClassEntry &entry) {
  entry.visited = true;
  const std::string &className = entry.key->text;
  YamlMapping mapping(reader, *entry.node, "a device class");
  // A class of the catalogue keeps what is not said again.
  const DeviceClass *builtin = findBuiltin(className);
  DeviceClass result = builtin ? *builtin : DeviceClass();
  bool isComplete = builtin;
  if (const YamlNode *like = mapping.get("like")) {
    std::optional<DeviceClass> base;
    // `a100: {like: a100}` means the built-in one.
    if (reader.readString(*like) != className)
      base = findClass(like->text, *like);
    else if (!isComplete)
      reader.fail(*like, "device class '" + className + "' is like itself");
    if (base)
      result = *base;
    isComplete = true;
  }
  result.name = className;
  auto get = [&](StringRef key) {
    return isComplete ? mapping.get(key) : mapping.require(key);
  };
  auto readPositive = [&](StringRef key, auto &amount) {
    const YamlNode *node = get(key);
    if (!node)
      return;
    reader.read(*node, amount);
    if (amount.count() <= 0)
      reader.fail(*node, "the " + key + " must be positive");
  };
  readPositive("memory", result.memory);
  mapping.read("reserved", result.reserved);
  if (const YamlNode *peak = get("peak"))
    readPeak(*peak, result);
  readPositive("bandwidth", result.bandwidth);
  if (const YamlNode *curve = mapping.get("efficiency"))
    readCurve(*curve, result);
  mapping.read("overhead", result.overhead);
  mapping.read("price", result.price);
  mapping.finish();
  if (result.usableMemory() <= Bytes(0))
    reader.fail(*entry.node, "all of the " + result.memory.str() +
                                 " of memory are reserved (" +
                                 result.reserved.str() + ")");
  entry.visited = false;
  return result;
}

int64_t ClusterReader::useClass(StringRef text, const YamlNode &place) {
  auto [used, inserted] =
      usedClasses.try_emplace(text.str(), cluster.classes.size());
  if (!inserted)
    return used->second;
  if (std::optional<DeviceClass> found = findClass(text, place))
    cluster.classes.push_back(*found);
  else
    usedClasses.erase(used);
  return int64_t(cluster.classes.size()) - 1;
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

void ClusterReader::readLink(YamlMapping &mapping, Link &link) {
  if (const YamlNode *kind = mapping.get("kind")) {
    std::optional<LinkKind> parsed =
        symbolizeLinkKind(reader.readString(*kind));
    if (!parsed)
      reader.fail(*kind, "unknown kind of link '" + kind->text +
                             "'; one of: memory, pcie, nvlink, infiniband, "
                             "ethernet");
    link.kind = parsed.value_or(LinkKind::Ethernet);
  }
  if (const YamlNode *bandwidth = mapping.require("bandwidth")) {
    reader.read(*bandwidth, link.bandwidth);
    if (link.bandwidth <= Bandwidth(0))
      reader.fail(*bandwidth, "the bandwidth must be positive");
  }
  mapping.read("latency", link.latency);
  mapping.read("shared", link.shared);
}

Link ClusterReader::readLink(const YamlNode &node) {
  Link link;
  YamlMapping mapping(reader, node, "a link");
  readLink(mapping, link);
  mapping.finish();
  return link;
}

//===----------------------------------------------------------------------===//
// Nodes and the network
//===----------------------------------------------------------------------===//

void ClusterReader::declare(const std::string &name, const YamlNode &place,
                            std::vector<int64_t> meaning) {
  if (name.empty())
    return reader.fail(place, "a name must not be empty");
  if (!vertices.emplace(name, std::move(meaning)).second)
    reader.fail(place, "the name '" + name + "' is taken already");
}

std::vector<int64_t> ClusterReader::findVertices(const YamlNode &place) {
  std::string name = reader.readString(place);
  if (auto found = vertices.find(name); found != vertices.end())
    return found->second;
  std::vector<std::string> names;
  append_range(names, make_first_range(vertices));
  reader.fail(place, "there is no node or switch '" + name + "'; " +
                         suggest(name, names, "there are: "));
  return {};
}

int64_t ClusterReader::findVertex(const YamlNode &place) {
  std::vector<int64_t> found = findVertices(place);
  if (found.size() > 1)
    reader.fail(place, "'" + place.text + "' stands for " +
                           Twine(found.size()) + " nodes; name one of them, '" +
                           place.text + "_0'");
  return found.empty() ? 0 : found.front();
}

std::vector<int64_t> ClusterReader::readMembers(const YamlNode &node) {
  std::vector<int64_t> members;
  for (const YamlNode &item : reader.readItems(node, "nodes and switches"))
    for (int64_t vertex : findVertices(item)) {
      if (is_contained(members, vertex))
        reader.fail(item, "'" + item.text + "' is listed twice");
      members.push_back(vertex);
    }
  return members;
}

/// Reads "4 x a100", "4x a100" or "a100".
void ClusterReader::readDevices(const YamlNode &item, Node &node) {
  std::string text = reader.readString(item);
  StringRef rest = StringRef(text).trim();
  int64_t count = 1;
  size_t digits = rest.find_first_not_of("0123456789");
  StringRef after =
      digits == StringRef::npos ? StringRef() : rest.drop_front(digits).ltrim();
  if (digits != 0 && digits != StringRef::npos && after.consume_front("x") &&
      after.starts_with(" ")) {
    if (rest.take_front(digits).getAsInteger(10, count))
      count = std::numeric_limits<int64_t>::max();
    rest = after.trim();
  }
  if (count < 1 || count > maxDevicesPerNode)
    return reader.fail(item, "expected 1 to " + Twine(maxDevicesPerNode) +
                                 " devices, found '" + text + "'");
  if (rest.empty())
    return reader.fail(item, "expected a device class, or '4 x <class>'");
  if (auto [number, name] = rest.split(" x "); !name.empty())
    return reader.fail(item, "expected a number of 1 to " +
                                 Twine(maxDevicesPerNode) +
                                 " devices before 'x', found '" + number + "'");
  int64_t deviceClass = useClass(rest, item);
  node.groups.push_back({count, deviceClass});
}

void ClusterReader::readNode(const YamlNode &yaml) {
  YamlMapping mapping(reader, yaml, "a node");
  Node node;
  const YamlNode *name = mapping.require("name");
  if (name)
    node.name = reader.readString(*name);
  int64_t numDevices = 0;
  const YamlNode *devices = mapping.require("devices");
  if (devices) {
    for (const YamlNode &item : reader.readItems(*devices, "devices"))
      readDevices(item, node);
    for (const DeviceGroup &group : node.groups)
      numDevices += group.count;
    if (node.groups.empty() || numDevices > maxDevicesPerNode)
      reader.fail(*devices, "a node has 1 to " + Twine(maxDevicesPerNode) +
                                " devices, not " + Twine(numDevices));
  }
  std::optional<int64_t> count;
  mapping.read("count", count, 1);
  if (const YamlNode *link = mapping.get("link"))
    node.link = readLink(*link);
  else if (numDevices > 1)
    reader.fail(yaml, "node '" + node.name + "' has " + Twine(numDevices) +
                          " devices but no link between them; add "
                          "'link: {kind: pcie, bandwidth: 12 GB/s, "
                          "latency: 5 us}' with its figures");
  mapping.read("host", node.host);
  if (const YamlNode *list = mapping.get("unavailable")) {
    node.unavailable = reader.readIntegers(*list);
    for (auto [index, number] : enumerate(node.unavailable))
      if (number < 0 || number >= numDevices ||
          is_contained(ArrayRef(node.unavailable).take_front(index), number))
        reader.fail(*list, "device " + Twine(number) + " of node '" +
                               node.name + "' cannot be unavailable: it has " +
                               "devices 0 to " + Twine(numDevices - 1) +
                               ", each to be listed once");
  }
  mapping.finish();
  if (count.value_or(1) > maxNodes - int64_t(cluster.nodes.size()))
    reader.fail(yaml, "there are more than " + Twine(maxNodes) + " nodes");
  if (reader.failed())
    return;

  nodePlaces.resize(cluster.nodes.size() + count.value_or(1), &yaml);
  if (!count) {
    declare(node.name, *name, {int64_t(cluster.nodes.size())});
    cluster.nodes.push_back(std::move(node));
    return;
  }
  std::string prefix = node.name;
  std::vector<int64_t> all;
  for (int64_t i = 0; i < *count; ++i) {
    node.name = prefix + "_" + std::to_string(i);
    all.push_back(cluster.nodes.size());
    declare(node.name, *name, {all.back()});
    cluster.nodes.push_back(node);
  }
  declare(prefix, *name, std::move(all));
}

void ClusterReader::readSwitch(const YamlNode &node, Switch &hub) {
  YamlMapping mapping(reader, node, "a switch");
  mapping.require("name");
  if (const YamlNode *joins = mapping.require("joins")) {
    hub.members = readMembers(*joins);
    if (hub.members.empty())
      reader.fail(*joins, "the switch '" + hub.name + "' joins nothing");
    for (int64_t member : hub.members)
      if (cluster.vertexName(member) == hub.name)
        reader.fail(*joins, "'" + hub.name + "' is joined with itself");
  }
  if (const YamlNode *link = mapping.require("link"))
    hub.link = readLink(*link);
  mapping.finish();
}

void ClusterReader::readCable(const YamlNode &node) {
  YamlMapping mapping(reader, node, "a link");
  Cable cable;
  if (const YamlNode *between = mapping.require("between")) {
    ArrayRef<YamlNode> ends = reader.readItems(*between, "two names");
    if (ends.size() != 2) {
      reader.fail(*between, "a link is between two nodes or switches, not " +
                                Twine(ends.size()));
    } else {
      cable.first = findVertex(ends[0]);
      cable.second = findVertex(ends[1]);
      if (cable.first == cable.second)
        reader.fail(*between, "'" + ends[0].text + "' is joined with itself");
    }
  }
  readLink(mapping, cable.link);
  mapping.finish();
  cluster.cables.push_back(cable);
}

/// Adds a stop between the ends of a route, which must not lead in circles.
void ClusterReader::addStop(const YamlNode &item, Route &route) {
  int64_t stop = findVertex(item);
  if (stop == route.source || stop == route.target ||
      is_contained(route.via, stop))
    reader.fail(item, "the route passes '" + item.text + "' twice");
  route.via.push_back(stop);
}

void ClusterReader::readRoute(const YamlNode &node) {
  YamlMapping mapping(reader, node, "a route");
  Route route;
  auto readEnd = [&](StringRef key, int64_t &end) {
    const YamlNode *name = mapping.require(key);
    if (!name)
      return;
    end = findVertex(*name);
    if (end >= int64_t(cluster.nodes.size()))
      reader.fail(*name, "a route is between nodes, and '" + name->text +
                             "' is a switch");
  };
  readEnd("from", route.source);
  readEnd("to", route.target);
  if (const YamlNode *via = mapping.require("via"))
    for (const YamlNode &item : reader.readItems(*via, "nodes and switches"))
      addStop(item, route);
  mapping.finish();
  if (!reader.failed() && route.source == route.target)
    reader.fail(node, "a route leads from a node to another one");
  cluster.routes.push_back(route);
}

void ClusterReader::readSite(const YamlNode &node) {
  YamlMapping mapping(reader, node, "a site");
  Site site;
  mapping.require("name", site.name);
  if (const YamlNode *list = mapping.require("members")) {
    site.members = readMembers(*list);
    for (const Site &other : cluster.sites)
      for (int64_t member : site.members)
        if (is_contained(other.members, member))
          reader.fail(*list, "'" + cluster.vertexName(member) +
                                 "' is in the site '" + other.name +
                                 "' already");
  }
  mapping.finish();
  cluster.sites.push_back(site);
}

void ClusterReader::readCollective(const YamlNode &node) {
  YamlMapping mapping(reader, node, "a collective");
  MeasuredCollective measured;
  if (const YamlNode *operation = mapping.require("operation")) {
    std::string text = reader.readString(*operation);
    auto names = map_range(seq(numCollectiveKinds), [](int kind) {
      return stringify(CollectiveKind(kind));
    });
    if (std::optional<CollectiveKind> kind = symbolizeCollectiveKind(text))
      measured.kind = *kind;
    else
      reader.fail(*operation, "expected one of " + join(names, ", ") +
                                  ", found '" + text + "'");
  }
  mapping.require("members");
  mapping.read("members", measured.members, 2);
  mapping.read("nodes", measured.nodes, 1);
  if (const YamlNode *name = mapping.get("class")) {
    auto used = find_if(cluster.classes, [&](const DeviceClass &entry) {
      return entry.name == reader.readString(*name);
    });
    if (used == cluster.classes.end())
      reader.fail(*name, "no node has devices of class '" + name->text + "'");
    else
      measured.deviceClass = used - cluster.classes.begin();
  }
  if (const YamlNode *times = mapping.require("times")) {
    if (times->kind != YamlNode::Kind::Mapping || times->items.empty())
      reader.fail(*times, "expected times by bytes, like {1 MB: 250 us}");
    for (auto [key, value] : zip(times->keys, times->items)) {
      CollectivePoint point;
      reader.read(key, point.bytes);
      reader.read(value, point.time);
      if (!measured.points.empty() &&
          point.bytes <= measured.points.back().bytes)
        reader.fail(key, "the bytes must grow from point to point");
      measured.points.push_back(point);
    }
  }
  mapping.finish();
  cluster.collectives.push_back(std::move(measured));
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

Expected<Cluster> ClusterReader::read() {
  YamlMapping top(reader, reader.root(), "a cluster");
  cluster.name = "cluster";
  top.read("name", cluster.name);
  if (const YamlNode *node = top.get("classes"))
    readClasses(*node);
  auto each = [&](const YamlNode *list, StringRef what,
                  function_ref<void(const YamlNode &)> read) {
    if (list)
      for (const YamlNode &item : reader.readItems(*list, what))
        read(item);
  };
  const YamlNode *nodes = top.require("nodes");
  each(nodes, "nodes", [&](const YamlNode &node) { readNode(node); });
  if (nodes && cluster.nodes.empty())
    reader.fail(*nodes, "the cluster has no nodes");
  const YamlNode *hubs = top.get("switches");
  // Switches may join each other, so their names come first.
  each(hubs, "switches", [&](const YamlNode &node) {
    YamlMapping mapping(reader, node, "a switch");
    if (const YamlNode *name = mapping.require("name")) {
      declare(reader.readString(*name), *name, {cluster.numVertices()});
      cluster.switches.push_back({name->text, {}, {}});
    }
  });
  int64_t next = 0;
  each(hubs, "switches", [&](const YamlNode &node) {
    if (!reader.failed())
      readSwitch(node, cluster.switches[next++]);
  });
  each(top.get("links"), "links",
       [&](const YamlNode &node) { readCable(node); });
  each(top.get("routes"), "routes",
       [&](const YamlNode &node) { readRoute(node); });
  each(top.get("sites"), "sites",
       [&](const YamlNode &node) { readSite(node); });
  each(top.get("collectives"), "collectives",
       [&](const YamlNode &node) { readCollective(node); });
  top.finish();
  // Classes that no node uses are read as well, for their mistakes.
  for (auto &[name, entry] : classes)
    if (!reader.failed())
      readClass(entry);
  if (Error error = reader.takeError())
    return error;
  std::optional<int64_t> unreached;
  if (Error error = cluster.finish(&unreached)) {
    reader.fail(unreached ? *nodePlaces[*unreached] : reader.root(),
                toString(std::move(error)));
    return reader.takeError();
  }
  return cluster;
}

Expected<std::vector<DeviceClass>> ClusterReader::readCatalogue() {
  allowCatalogue = false;
  readClasses(reader.root());
  std::vector<DeviceClass> result;
  for (const YamlNode &key : reader.root().keys)
    if (std::optional<DeviceClass> read = findClass(key.text, key))
      result.push_back(*read);
  if (Error error = reader.takeError())
    return error;
  return result;
}

ArrayRef<DeviceClass> hetero::cluster::catalogue() {
  static const std::vector<DeviceClass> classes = [] {
    // A mistake in the catalogue fails the unit tests, not a user.
    Expected<std::vector<DeviceClass>> read =
        ClusterReader(MemoryBufferRef(catalogueText, "catalogue"))
            .readCatalogue();
    if (read)
      return *read;
    errs() << toString(read.takeError()) << '\n';
    return std::vector<DeviceClass>();
  }();
  return classes;
}

Expected<Cluster> hetero::cluster::readCluster(MemoryBufferRef buffer) {
  return ClusterReader(buffer).read();
}

Expected<Cluster> hetero::cluster::readClusterFile(StringRef file) {
  if (file == "builtin")
    return makeDefaultCluster();
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return createStringError("cannot read the cluster file '" + file +
                             "': " + buffer.getError().message());
  return readCluster(**buffer);
}

Cluster hetero::cluster::makeDefaultCluster() {
  Cluster cluster;
  cluster.name = "builtin";
  for (const DeviceClass &builtin : catalogue())
    if (builtin.name == "cpu")
      cluster.classes.push_back(builtin);
  Node node;
  node.name = "host";
  node.groups.push_back({1, 0});
  cluster.nodes.push_back(node);
  // One node of one built-in class always is a cluster.
  cantFail(cluster.finish());
  return cluster;
}
