//===- ClusterTest.cpp - Tests of clusters and their reader ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Cluster/Cluster.h"
#include "hetero/Support/ElementType.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::cluster;

static llvm::Expected<Cluster> read(llvm::StringRef text) {
  return readCluster(llvm::MemoryBufferRef(text, "c.yaml"));
}

static Cluster readOrFail(llvm::StringRef text) {
  llvm::Expected<Cluster> cluster = read(text);
  if (cluster)
    return *cluster;
  ADD_FAILURE() << llvm::toString(cluster.takeError());
  return makeDefaultCluster();
}

/// The error of a text that must have one.
static std::string errorOf(llvm::StringRef text) {
  llvm::Expected<Cluster> cluster = read(text);
  if (cluster)
    return "no error";
  return llvm::toString(cluster.takeError());
}

static std::string write(const Cluster &cluster) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeCluster(cluster, os);
  return text;
}

TEST(ClusterTest, catalogueIsSound) {
  std::vector<std::string> names;
  for (const DeviceClass &deviceClass : catalogue()) {
    names.push_back(deviceClass.name);
    EXPECT_GT(deviceClass.usableMemory(), Bytes(0)) << deviceClass.name;
    EXPECT_GT(deviceClass.peakFor("f32"), Speed(0)) << deviceClass.name;
    EXPECT_LE(deviceClass.bestEfficiency(), 1.0) << deviceClass.name;
  }
  for (const char *name :
       {"a100-40", "a100-80", "h100", "v100-16", "v100-32", "p100", "t4", "l4",
        "a10g", "a6000", "p40", "rtx3090", "rtx4090", "rtx2080ti", "cpu"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
}

TEST(ClusterTest, ranksFollowTheText) {
  Cluster cluster = readOrFail(R"(
name: lab
classes:
  l4-shared: {like: l4, reserved: 4 GiB}
  a6000: {price: 0.8/h}
nodes:
  - name: box
    devices: [1 x l4, 2 x l4-shared]
    link: {kind: pcie, bandwidth: 12 GB/s, latency: 5 us, shared: true}
    host: 128 GiB
    unavailable: [1]
  - name: tower
    devices: [a6000]
links:
  - {between: [box, tower], kind: ethernet, bandwidth: 10 Gb/s, latency: 30 us}
)");
  ASSERT_EQ(cluster.devices.size(), 4u);
  EXPECT_EQ(cluster.classOf(0).name, "l4");
  EXPECT_EQ(cluster.classOf(2).name, "l4-shared");
  EXPECT_EQ(cluster.classOf(2).reserved, Bytes(4LL << 30));
  EXPECT_EQ(cluster.classOf(2).memory, cluster.classOf(0).memory);
  EXPECT_EQ(cluster.classOf(3).price, Price(800000));
  EXPECT_EQ(cluster.classOf(3).memory, Bytes(48LL << 30));
  EXPECT_EQ(cluster.availableDevices(), (std::vector<int64_t>{0, 2, 3}));
  EXPECT_EQ(cluster.pathBetween(0, 2).bandwidth, Bandwidth(12000000000));
  EXPECT_EQ(cluster.pathBetween(0, 3).bandwidth, Bandwidth(1250000000));
  EXPECT_EQ(cluster.pathBetween(3, 0).latency, Time(30000000));
  EXPECT_EQ(cluster.describe(3), "device 3 (a6000 of node 'tower')");
}

TEST(ClusterTest, pathsAreShortThenWideThenFirst) {
  Cluster cluster = readOrFail(R"(
nodes:
  - {name: a, devices: [cpu]}
  - {name: b, devices: [cpu]}
  - {name: c, devices: [cpu]}
switches:
  - {name: slow, joins: [a, b, c], link: {bandwidth: 1 GB/s, latency: 10 us}}
  - {name: fast, joins: [a, b], link: {bandwidth: 4 GB/s, latency: 20 us}}
links:
  - {between: [b, c], bandwidth: 0.5 GB/s, latency: 1 us}
)");
  // Two edges either way: the wider switch.
  EXPECT_EQ(cluster.pathBetween(0, 1).bandwidth, Bandwidth(4000000000));
  EXPECT_EQ(cluster.pathBetween(0, 1).latency, Time(40000000));
  // One edge is shorter, though it is narrower.
  EXPECT_EQ(cluster.pathBetween(1, 2).bandwidth, Bandwidth(500000000));
  EXPECT_EQ(cluster.edgesBetween(1, 2), (std::vector<int64_t>{5}));
  EXPECT_EQ(cluster.pathBetween(0, 2).latency, Time(20000000));
  EXPECT_EQ(cluster.edgesBetween(0, 2), (std::vector<int64_t>{0, 2}));
}

TEST(ClusterTest, routesOverride) {
  Cluster cluster = readOrFail(R"(
nodes:
  - {name: a, devices: [cpu]}
  - {name: b, devices: [cpu]}
switches:
  - {name: lan, joins: [a, b], link: {bandwidth: 10 Gb/s, latency: 30 us}}
links:
  - {between: [a, b], bandwidth: 1 Gb/s, latency: 30 us}
routes:
  - {from: a, to: b, via: [lan]}
)");
  EXPECT_EQ(cluster.pathBetween(1, 0).bandwidth, Bandwidth(1250000000));
  EXPECT_EQ(cluster.edgesBetween(1, 0), (std::vector<int64_t>{1, 0}));
}

TEST(ClusterTest, readsBackWhatItWrites) {
  int count = 0;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator
           file(HETERO_EXAMPLES "/clusters", code),
       end;
       file != end && !code; file.increment(code), ++count) {
    llvm::Expected<Cluster> cluster = readClusterFile(file->path());
    ASSERT_TRUE(bool(cluster)) << llvm::toString(cluster.takeError());
    std::string text = write(*cluster);
    EXPECT_EQ(write(readOrFail(text)), text) << file->path();
  }
  EXPECT_GE(count, 6);
}

TEST(ClusterTest, measuredCollectivesAreRead) {
  Cluster cluster = readOrFail(R"(
nodes:
  - {name: a, devices: [2 x l4, 2 x t4], link: {bandwidth: 1 GB/s}}
collectives:
  - {operation: all_reduce, members: 2, class: t4, times: {1 MB: 250 us, 64 MB: 13 ms}}
  - {operation: broadcast, members: 4, nodes: 1, times: {1 KB: 20 us}}
)");
  ASSERT_EQ(cluster.collectives.size(), 2u);
  EXPECT_EQ(cluster.collectives[0].kind, CollectiveKind::AllReduce);
  EXPECT_EQ(cluster.collectives[0].members, 2);
  EXPECT_EQ(cluster.collectives[0].nodes, 1);
  EXPECT_EQ(cluster.collectives[0].deviceClass, 1);
  ASSERT_EQ(cluster.collectives[0].points.size(), 2u);
  EXPECT_EQ(cluster.collectives[0].points[1].bytes, Bytes(64000000));
  EXPECT_EQ(cluster.collectives[0].points[1].time, Time(13000000000));
  EXPECT_EQ(cluster.collectives[1].deviceClass, std::nullopt);
  EXPECT_EQ(write(readOrFail(write(cluster))), write(cluster));

  auto errorFor = [](llvm::StringRef entry) {
    return errorOf(
        ("nodes:\n  - {name: a, devices: [l4]}\ncollectives:\n  - " + entry)
            .str());
  };
  EXPECT_EQ(errorFor("{operation: gossip, members: 2, times: {1 B: 1 us}}"),
            "c.yaml:4:17: error: expected one of all_reduce, all_gather, "
            "reduce_scatter, all_to_all, broadcast, found 'gossip'");
  EXPECT_EQ(errorFor("{operation: broadcast, members: 2, class: t4, times: {1 "
                     "B: 1 us}}"),
            "c.yaml:4:47: error: no node has devices of class 't4'");
  EXPECT_EQ(errorFor("{operation: broadcast, members: 2, times: {2 B: 1 us, 1 "
                     "B: 2 us}}"),
            "c.yaml:4:59: error: the bytes must grow from point to point");
}

TEST(ClusterTest, countsStandForSeveralNodes) {
  Cluster cluster = readOrFail(R"(
nodes:
  - {name: n, count: 3, devices: [t4]}
switches:
  - {name: lan, joins: [n], link: {bandwidth: 1 GB/s}}
)");
  EXPECT_EQ(cluster.devices.size(), 3u);
  EXPECT_EQ(cluster.nodes[2].name, "n_2");
  EXPECT_EQ(cluster.switches[0].members, (std::vector<int64_t>{0, 1, 2}));
}

TEST(ClusterTest, unknownTypesFallBack) {
  DeviceClass deviceClass;
  deviceClass.peak = {{"f32", Speed(10)}, {"f16", Speed(40)}};
  EXPECT_EQ(deviceClass.peakFor("f16"), Speed(40));
  EXPECT_EQ(deviceClass.peakFor("bf16"), Speed(10));
  deviceClass.peak.erase("f32");
  EXPECT_EQ(deviceClass.peakFor("i32"), Speed(40));
}

TEST(ClusterTest, elementTypesAreThoseOfMlir) {
  for (const char *name : {"f32", "bf16", "tf32", "f8E4M3FN", "i1", "i8",
                           "ui16", "si4", "complex<f32>"})
    EXPECT_TRUE(isElementType(name)) << name;
  for (const char *name :
       {"", "f99", "F32", "fp16", "i", "i0", "i08", "ii8", "u8", "i99999999",
        "complex<f32", "complex<>", "f32>", "float"})
    EXPECT_FALSE(isElementType(name)) << name;
}

TEST(ClusterTest, efficiencyIsLinearInTheLogarithm) {
  DeviceClass deviceClass;
  EXPECT_EQ(deviceClass.efficiencyAt(5), 1.0);
  deviceClass.efficiency = {{Work(100), Share(200000)},
                            {Work(10000), Share(600000)}};
  EXPECT_NEAR(deviceClass.efficiencyAt(1), 0.2, 1e-12);
  EXPECT_NEAR(deviceClass.efficiencyAt(1000), 0.4, 1e-12);
  EXPECT_NEAR(deviceClass.efficiencyAt(1e9), 0.6, 1e-12);
}

TEST(ClusterTest, mistakesAreReportedInPlace) {
  struct Case {
    const char *text, *error;
  };
  const Case cases[] = {
      {"nodes:\n  - {name: a, devices: [a10]}\n",
       "c.yaml:2:25: error: unknown device class 'a10'; did you mean a100-40 "
       "or a100-80 or a10g?"},
      {"nodes:\n  - {name: a, device: [t4]}\n",
       "c.yaml:2:15: error: unknown key 'device' in a node; did you mean "
       "'devices'?"},
      {"nodes:\n  - {name: a, devices: [t4]}\nspeed: 3\n",
       "c.yaml:3:1: error: unknown key 'speed' in a cluster; known keys: name, "
       "classes, nodes, switches, links, routes, sites"},
      {"classes:\n  x: {memory: 4 GiB, peak: {f32: 1 TFLOP/s}}\nnodes:\n  - "
       "{name: a, devices: [x]}\n",
       "c.yaml:2:7: error: missing key 'bandwidth' in a device class"},
      {"classes:\n  x: {like: t4, memory: -4 GiB}\nnodes:\n  - {name: a, "
       "devices: [x]}\n",
       "c.yaml:2:25: error: '-4' is negative"},
      {"classes:\n  x: {like: t4, memory: 4 GHz}\nnodes:\n  - {name: a, "
       "devices: [t4]}\n",
       "c.yaml:2:25: error: unknown unit 'GHz'; one of: PiB, PB, TiB, TB, GiB, "
       "GB, MiB, MB, KiB, KB, B"},
      {"classes:\n  x: {like: y}\n  y: {like: x}\nnodes:\n  - {name: a, "
       "devices: [x]}\n",
       "c.yaml:3:13: error: device class 'x' is like itself"},
      {"classes:\n  x: {like: t4, reserved: 20 GiB}\nnodes:\n  - {name: a, "
       "devices: [x]}\n",
       "c.yaml:2:7: error: all of the 15 GiB of memory are reserved (20 GiB)"},
      {"nodes:\n  - {name: a, devices: [2 x t4]}\n",
       "c.yaml:2:6: error: node 'a' has 2 devices but no link between them"},
      {"nodes:\n  - {name: a, devices: [0 x t4]}\n",
       "c.yaml:2:25: error: expected 1 to 65536 devices, found '0 x t4'"},
      {"nodes:\n  - {name: a, devices: [t4]}\n  - {name: a, devices: [t4]}\n",
       "c.yaml:3:12: error: the name 'a' is taken already"},
      {"nodes:\n  - {name: a, devices: [t4]}\n  - {name: b, devices: [t4]}\n",
       "c.yaml:3:6: error: no links lead from node 'a' to node 'b'"},
      {"nodes:\n  - {name: a, devices: [-1 x t4]}\n",
       "c.yaml:2:25: error: expected a number of 1 to 65536 devices before "
       "'x', found '-1'"},
      {"nodes:\n  - {name: a, count: 99999999999999999999, devices: [t4]}\n",
       "c.yaml:2:22: error: the number 99999999999999999999 is too large; at "
       "most 9223372036854775807"},
      {"classes:\n  x: {like: t4, memory: 4}\nnodes:\n  - {name: a, "
       "devices: [t4]}\n",
       "c.yaml:2:25: error: '4' has no unit; one of: PiB, "},
      {"classes:\n  x: {like: t4, memory: NaN GB}\nnodes:\n  - {name: a, "
       "devices: [t4]}\n",
       "c.yaml:2:25: error: expected an amount like '1.5 MB', found 'NaN GB'"},
      {"classes:\n  x: {like: t4, peak: {f99: 1 TFLOP/s}}\nnodes:\n  - "
       "{name: a, devices: [t4]}\n",
       "c.yaml:2:24: error: unknown element type 'f99'; known types: f64, f32, "
       "tf32, f16, bf16, f8E4M3FN, "},
      {"classes:\n  x: {like: t4, peak: {fp16: 1 TFLOP/s}}\nnodes:\n  - "
       "{name: a, devices: [t4]}\n",
       "c.yaml:2:24: error: unknown element type 'fp16'; did you mean 'f16'?"},
      {"nodes:\n  - {name: a, devices: [t4]}\nswitches:\n  - {name: s, joins: "
       "[s], link: {bandwidth: 1 GB/s}}\n",
       "c.yaml:4:23: error: 's' is joined with itself"},
      {"nodes:\n  - {name: a, devices: [t4]}\n  - {name: b, devices: [t4]}\n"
       "switches:\n  - {name: s, joins: [a, b], link: {bandwidth: 1 GB/s}}\n"
       "routes:\n  - {from: a, to: b, via: [s, s]}\n",
       "c.yaml:7:31: error: the route passes 's' twice"},
      {"nodes:\n  - {name: a, devices: [t4]}\nlinks:\n  - {between: [a, b], "
       "bandwidth: 1 GB/s}\n",
       "c.yaml:4:19: error: there is no node or switch 'b'; there are: a"},
      {"nodes:\n  - {name: a, devices: [t4], unavailable: [1]}\n",
       "c.yaml:2:44: error: device 1 of node 'a' cannot be unavailable"},
      {"nodes: [\n", "c.yaml:"},
      {"nodes:\n  - {name: a, name: b, devices: [t4]}\n",
       "c.yaml:2:15: error: key 'name' is given twice"},
      {"", "c.yaml:1:1: error: expected the keys of a cluster, found nothing"},
      {"nodes: []\n", "c.yaml:1:9: error: the cluster has no nodes"},
      {"nodes: 3\n", "c.yaml:1:8: error: expected a list of nodes, found a "
                     "single value"},
  };
  for (const Case &test : cases) {
    std::string error = errorOf(test.text);
    EXPECT_NE(error.find(test.error), std::string::npos)
        << test.text << "expected: " << test.error << "\nfound: " << error;
  }
  std::string deep(5000, '[');
  EXPECT_NE(errorOf("nodes: " + deep).find("c.yaml:1:"), std::string::npos);
}
