//===- CommunicationTest.cpp - Tests of groups and matching ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Hetero/Hetero.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace hetero;

namespace {
class CommunicationTest : public ::testing::Test {
protected:
  void SetUp() override {
    context.loadDialect<HeteroDialect, func::FuncDialect>();
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    return module;
  }

  ArrayAttr axes(ArrayRef<StringRef> names) {
    return Builder(&context).getStrArrayAttr(names);
  }

  MLIRContext context;
};
} // namespace

TEST_F(CommunicationTest, findsGroupsOfMesh) {
  auto module = parse(
      "hetero.mesh @m (data = 2, pipe = 1, tensor = 3) = [9, 8, 7, 6, 5, 4]");
  MeshOp mesh = *module->getOps<MeshOp>().begin();
  using Ranks = SmallVector<int64_t>;

  EXPECT_EQ(mesh.getGroupSize(axes({})), 6);
  EXPECT_EQ(mesh.getGroupSize(axes({"tensor"})), 3);
  EXPECT_EQ(mesh.getGroupSize(axes({"pipe"})), 1);
  EXPECT_EQ(mesh.getGroupSize(axes({"expert"})), std::nullopt);

  EXPECT_EQ(mesh.getGroup(5, axes({"tensor"})), (Ranks{6, 5, 4}));
  EXPECT_EQ(mesh.getGroup(5, axes({"data"})), (Ranks{8, 5}));
  EXPECT_EQ(mesh.getGroup(5, axes({"pipe"})), (Ranks{5}));
  EXPECT_EQ(mesh.getGroup(5, axes({})), (Ranks{9, 8, 7, 6, 5, 4}));
  EXPECT_EQ(mesh.getGroup(5, axes({"tensor", "data"})),
            (Ranks{9, 6, 8, 5, 7, 4}));
  EXPECT_TRUE(mesh.getGroup(3, axes({"data"})).empty());

  EXPECT_EQ(mesh.getMember(3, axes({})), std::nullopt);
  EXPECT_EQ(mesh.getMember(9, axes({"expert"})), std::nullopt);
  // Every member is at its own position in its group, whatever the axes.
  for (ArrayAttr some :
       {axes({}), axes({"data"}), axes({"tensor"}), axes({"tensor", "data"})})
    for (int64_t rank : mesh.getDevices()) {
      Ranks group = mesh.getGroup(rank, some);
      EXPECT_EQ(group[*mesh.getMember(rank, some)], rank);
    }
}

TEST_F(CommunicationTest, describesCollectives) {
  auto module = parse(R"mlir(
    hetero.mesh @m (data = 2, tensor = 2) = [0, 1, 2, 3]
    func.func @f(%x: tensor<3x4xbf16>, %w: tensor<8x4xbf16>) {
      %0 = hetero.all_gather %x split 0 : [3, 5] over @m(tensor)
          : tensor<3x4xbf16> -> !hetero.handle<tensor<8x4xbf16>>
      %1 = hetero.reduce_scatter sum %w split 0 : [3, 5] over @m(tensor)
          channel 2 : tensor<8x4xbf16> -> tensor<3x4xbf16>
      %2 = hetero.broadcast %w from 1 over @m(data)
          : (tensor<8x4xbf16>) -> tensor<8x4xbf16>
      return
    }
  )mlir");
  MeshOp mesh = *module->getOps<MeshOp>().begin();
  SmallVector<CommunicationOpInterface> ops;
  module->walk([&](CommunicationOpInterface op) { ops.push_back(op); });
  ASSERT_EQ(ops.size(), 3u);

  EXPECT_TRUE(ops[0].isStart());
  EXPECT_FALSE(ops[1].isStart());
  EXPECT_EQ(ops[0].getMemberBytes(0, 2), 3 * 4 * 2);
  EXPECT_EQ(ops[0].getMemberBytes(1, 2), 5 * 4 * 2);
  EXPECT_EQ(ops[0].getMemberBytes(2, 2), std::nullopt);
  EXPECT_EQ(ops[1].getMemberBytes(1, 2), 8 * 4 * 2);
  EXPECT_EQ(ops[2].getMemberBytes(0, 2), 0);
  EXPECT_EQ(ops[2].getMemberBytes(1, 2), 8 * 4 * 2);
  EXPECT_EQ(ops[1].getChannelNumber(), 2);
  EXPECT_EQ(ops[1].getPeerRank(), std::nullopt);

  // Members of one group have one key; other groups, kinds and channels differ.
  EXPECT_EQ(ops[0].getMatchingKey(0, mesh), ops[0].getMatchingKey(1, mesh));
  EXPECT_NE(ops[0].getMatchingKey(0, mesh), ops[0].getMatchingKey(2, mesh));
  EXPECT_NE(ops[0].getMatchingKey(0, mesh), ops[1].getMatchingKey(0, mesh));
  EXPECT_EQ(ops[2].getMatchingKey(0, mesh), ops[2].getMatchingKey(2, mesh));
}

TEST_F(CommunicationTest, matchesBothEndsOfMessage) {
  auto module = parse(R"mlir(
    func.func @f(%x: tensor<3xf32>) {
      hetero.send %x to 1 channel 4 : tensor<3xf32>
      %0 = hetero.recv from 0 channel 4 : !hetero.handle<tensor<3xf32>>
      %1 = hetero.recv from 0 channel 5 : tensor<3xf32>
      return
    }
  )mlir");
  SmallVector<CommunicationOpInterface> ops;
  module->walk([&](CommunicationOpInterface op) { ops.push_back(op); });
  ASSERT_EQ(ops.size(), 3u);
  EXPECT_EQ(ops[0].getMatchingKey(0, {}), ops[1].getMatchingKey(1, {}));
  EXPECT_NE(ops[0].getMatchingKey(0, {}), ops[2].getMatchingKey(1, {}));
  EXPECT_NE(ops[0].getMatchingKey(2, {}), ops[1].getMatchingKey(1, {}));
  EXPECT_EQ(ops[0].getMemberBytes(0, 2), 12);
  EXPECT_EQ(ops[1].getMemberBytes(0, 2), 12);
  EXPECT_EQ(ops[0].getPeerRank(), 1);
  EXPECT_FALSE(ops[0].getGroupMesh());
}

TEST_F(CommunicationTest, listsDevicesOfCluster) {
  auto module = parse(R"mlir(
    hetero.cluster @c {
      hetero.device_class @a memory 2 GB reserved 1 GB peak <f32: 1 TFLOP/s>
          bandwidth 1 GB/s
      hetero.device_class @b memory 3 GB peak <f32: 1 TFLOP/s> bandwidth 1 GB/s
      hetero.node @n0 [1 x @b, 2 x @a] link <pcie, 1 GB/s, 1 us> unavailable [1]
      hetero.node @n1 [1 x @a]
      hetero.link @n0 <-> @n1 by <ethernet, 1 GB/s, 1 us>
    }
  )mlir");
  ClusterOp cluster = *module->getOps<ClusterOp>().begin();
  std::vector<Device> devices = cluster.getDevices();
  ASSERT_EQ(devices.size(), 4u);
  EXPECT_EQ(cluster.getNumDevices(), 4);
  EXPECT_EQ(devices[0].deviceClass.getSymName(), "b");
  EXPECT_EQ(devices[1].deviceClass.getSymName(), "a");
  EXPECT_FALSE(devices[1].available);
  EXPECT_TRUE(devices[2].available);
  EXPECT_EQ(devices[2].index, 2);
  EXPECT_EQ(devices[3].index, 0);
  EXPECT_EQ(devices[3].node.getSymName(), "n1");
  EXPECT_EQ(devices[3].deviceClass.getUsableMemory(), 1000000000);
}
