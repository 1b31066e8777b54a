//===- ProgramTest.cpp - Tests of the verification of programs ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Programs.h"
#include "gtest/gtest.h"

using namespace hetero::runtime;

/// Rank 1 of two: a kernel, an all-reduce that is started, an update.
static ProgramBuilder makeValid() {
  ProgramBuilder builder(1);
  BufferId batch = builder.argument(1, f32({3, 4}), {{{{5, 8}}, {{0, 4}}}});
  BufferId weights = builder.argument(0, f32({4, 6}));
  BufferId gradient = builder.buffer(f32({4, 6}));
  BufferId sum = builder.buffer(f32({4, 6}));
  BufferId updated = builder.buffer(f32({4, 6}));
  builder.call("gradients", {batch, weights}, {gradient}, "backward 0");
  builder.free({batch});
  Instruction &reduce =
      builder.add(Opcode::AllReduce, {gradient}, {sum}, "reduce");
  reduce.group = {0, 1};
  reduce.started = true;
  builder.wait(2);
  builder.free({gradient});
  builder.call("update", {weights, sum}, {updated}, "update");
  builder.free({weights, sum});
  builder.result(1, updated);
  return builder;
}

/// What verify says when `change` was applied to the valid program.
template <typename Change>
static std::string verifyChanged(Change change) {
  ProgramBuilder builder = makeValid();
  change(builder.program);
  return verify(builder.program).value_or("");
}

TEST(RuntimeProgramTest, acceptsValid) {
  EXPECT_EQ(verify(makeValid().program), std::nullopt);
  EXPECT_EQ(verify(Program()), std::nullopt);
}

TEST(RuntimeProgramTest, namesTypes) {
  EXPECT_EQ(f32({3, 4}).str(), "3x4xf32");
  EXPECT_EQ(f32({3, 4}).numBytes(), 48);
  EXPECT_EQ((TensorType{ElementType::C128, {}}).str(), "complex<f64>");
  EXPECT_EQ((TensorType{ElementType::C128, {}}).numBytes(), 16);
  EXPECT_EQ((TensorType{ElementType::U8, {2, 0}}).numElements(), 0);
}

TEST(RuntimeProgramTest, rejectsWrongUses) {
  EXPECT_EQ(
      verifyChanged([](Program &p) { p.instructions[0].operands[0] = 9; }),
      "instruction 0 (call 'backward 0') reads buffer 9 of 5");
  EXPECT_EQ(
      verifyChanged([](Program &p) { p.instructions[0].operands[0] = 3; }),
      "instruction 0 (call 'backward 0') reads buffer 3, which is not "
      "written yet");
  EXPECT_EQ(
      verifyChanged([](Program &p) { p.instructions[5].operands[0] = 0; }),
      "instruction 5 (call 'update') reads buffer 0, which instruction 1 "
      "(free) has freed");
  EXPECT_EQ(verifyChanged([](Program &p) { p.instructions[0].results[0] = 1; }),
            "instruction 0 (call 'backward 0') writes buffer 1, which is an "
            "argument");
  EXPECT_EQ(verifyChanged([](Program &p) { p.instructions[5].results[0] = 2; }),
            "instruction 5 (call 'update') writes buffer 2, which instruction "
            "0 (call 'backward 0') has written");
  EXPECT_EQ(
      verifyChanged([](Program &p) { p.instructions[6].operands = {1, 1}; }),
      "instruction 6 (free) frees a buffer twice");
  EXPECT_EQ(verifyChanged([](Program &p) { p.instructions[6].operands = {4}; }),
            "result binding 0 has buffer 4, which instruction 6 (free) has "
            "freed");
  EXPECT_EQ(verifyChanged([](Program &p) { p.instructions[5].kernel = 2; }),
            "instruction 5 (call 'update') calls kernel 2 of 2");
}

TEST(RuntimeProgramTest, rejectsWrongWaits) {
  EXPECT_EQ(verifyChanged([](Program &p) {
              std::swap(p.instructions[3], p.instructions[4]);
            }),
            "instruction 3 (free) changes buffer 2 before instruction 2 "
            "(all_reduce 'reduce'), which reads it, is waited for");
  EXPECT_EQ(verifyChanged([](Program &p) {
              p.instructions.erase(p.instructions.begin() + 3,
                                   p.instructions.begin() + 5);
            }),
            "instruction 3 (call 'update') reads buffer 3 before instruction 2 "
            "(all_reduce 'reduce') is waited for");
  EXPECT_EQ(verifyChanged([](Program &p) { p.instructions[3].target = 0; }),
            "instruction 3 (wait) waits for instruction 0 (call 'backward 0'), "
            "which is not started");
  EXPECT_EQ(verifyChanged([](Program &p) { p.instructions[3].target = 7; }),
            "instruction 3 (wait) waits for instruction 7, which is not before "
            "it");
  EXPECT_EQ(verifyChanged([](Program &p) {
              p.instructions.push_back(p.instructions[3]);
            }),
            "instruction 7 (wait) waits for instruction 2 (all_reduce "
            "'reduce') again");
  EXPECT_EQ(verifyChanged([](Program &p) {
              p.instructions.resize(3);
              p.results.clear();
            }),
            "instruction 2 (all_reduce 'reduce') is never waited for");
  EXPECT_EQ(verifyChanged([](Program &p) { p.instructions[0].started = true; }),
            "instruction 0 (call 'backward 0') is started; only communication "
            "is");
}

TEST(RuntimeProgramTest, rejectsWrongCommunication) {
  EXPECT_EQ(verifyChanged([](Program &p) { p.instructions[2].group = {0, 2}; }),
            "instruction 2 (all_reduce 'reduce') is not over its own rank 1");
  EXPECT_EQ(
      verifyChanged([](Program &p) { p.instructions[2].group = {1, 0, 0}; }),
      "instruction 2 (all_reduce 'reduce') has a group with equal or negative "
      "ranks");
  EXPECT_EQ(verifyChanged([](Program &p) { p.buffers[3].shape = {6, 4}; }),
            "instruction 2 (all_reduce 'reduce') makes 6x4xf32 from 4x6xf32");
  EXPECT_EQ(verifyChanged([](Program &p) {
              p.instructions[2].reduction = Reduction::And;
            }),
            "instruction 2 (all_reduce 'reduce') has no and of f32");
  EXPECT_EQ(verifyChanged([](Program &p) {
              p.instructions[2].opcode = Opcode::AllGather;
              p.instructions[2].sizes = {4};
            }),
            "instruction 2 (all_gather 'reduce') has 1 sizes for 2 members");
  EXPECT_EQ(verifyChanged([](Program &p) {
              p.instructions[2].opcode = Opcode::AllGather;
              p.instructions[2].sizes = {3, 4};
            }),
            "instruction 2 (all_gather 'reduce') has sizes that do not add up "
            "to the 4 of 4x6xf32");
  EXPECT_EQ(verifyChanged([](Program &p) {
              p.instructions[2].opcode = Opcode::ReduceScatter;
              p.instructions[2].sizes = {1, 3};
            }),
            "instruction 2 (reduce_scatter 'reduce') has 4x6xf32 instead of "
            "3x6xf32 for the part of member 1");
}

TEST(RuntimeProgramTest, rejectsWrongBindings) {
  EXPECT_EQ(verifyChanged([](Program &p) {
              p.arguments[0].region.dimensions[0] = {{5, 7}};
            }),
            "argument binding 0: dimension 0 of the region has 2 indices and "
            "the tensor 3");
  EXPECT_EQ(verifyChanged([](Program &p) {
              p.arguments[0].region.dimensions[0] = {{5, 6}, {4, 6}};
            }),
            "argument binding 0: dimension 0 of the region has [4, 6) after "
            "index 6; ranges must ascend");
  EXPECT_EQ(verifyChanged([](Program &p) { p.arguments[1].buffer = 0; }),
            "argument binding 1: dimension 0 of the region has 4 indices and "
            "the tensor 3");
  EXPECT_EQ(verifyChanged([](Program &p) { p.results[0].buffer = -1; }),
            "result binding 0 has buffer -1 of 5");
  EXPECT_EQ(verifyChanged([](Program &p) {
              p.buffers[4].shape = {int64_t(1) << 40, int64_t(1) << 40};
            }),
            "buffer 4 of type 1099511627776x1099511627776xf32 has no valid "
            "size");
}

TEST(RuntimeProgramTest, bucketsAreTogetherAndAlike) {
  ProgramBuilder builder(0);
  BufferId a = builder.argument(0, f32({2})), b = builder.argument(1, f32({3}));
  BufferId x = builder.buffer(f32({2})), y = builder.buffer(f32({3}));
  builder.add(Opcode::AllReduce, {a}, {x}, "a");
  builder.program.instructions[0].group = {0, 1};
  builder.program.instructions[0].bucket = 4;
  builder.free({a});
  builder.add(Opcode::AllReduce, {b}, {y}, "b");
  builder.program.instructions[2].group = {0, 1};
  builder.program.instructions[2].bucket = 4;
  EXPECT_EQ(verify(builder.program), std::nullopt);

  Program unlike = builder.program;
  unlike.instructions[2].reduction = Reduction::Max;
  EXPECT_EQ(verify(unlike),
            "instruction 2 (all_reduce 'b') is unlike instruction 0 "
            "(all_reduce 'a') of the same bucket 4");

  Program apart = builder.program;
  BufferId copy = apart.buffers.size();
  apart.buffers.push_back(f32({3}));
  Instruction between;
  between.opcode = Opcode::Copy;
  between.operands = {b};
  between.results = {copy};
  apart.instructions[1] = between;
  EXPECT_EQ(verify(apart), "instruction 2 (all_reduce 'b') does not follow "
                           "instruction 0 (all_reduce 'a') of the same bucket "
                           "4");
}
