//===- CudaTest.cpp - What is asked of CUDA, cuBLAS and NCCL --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Programs.h"
#include "hetero/Runtime/NcclCommunicator.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <functional>
#include <thread>

using namespace hetero::runtime;

/// Every buffer is a block of its own, with a name, and no step is a graph.
static CudaDeviceOptions eachByItself() {
  CudaDeviceOptions options;
  options.memory = CudaMemory::Pool;
  return options;
}

/// Runs the programs on recorded devices; the lines of each rank.
static std::vector<std::vector<std::string>>
record(const std::vector<Program> &programs, int numSteps = 1,
       CudaDeviceOptions options = eachByItself()) {
  auto transports = createThreadsTransports(programs.size());
  std::vector<std::vector<std::string>> logs(programs.size());
  std::vector<std::thread> threads;
  for (size_t i = 0; i < programs.size(); ++i)
    threads.emplace_back([&, i] {
      auto device = CudaDevice::create(
          "gpu", createRecordingCudaApi([&, i](const std::string &line) {
            logs[i].push_back(line);
          }),
          options);
      NcclCommunicator communicator(*transports[i], **device);
      auto session = Session::create(programs[i], {}, **device, communicator);
      if (!session) {
        logs[i].push_back("error: " + session.error());
        return;
      }
      for (int step = 0; step < numSteps; ++step) {
        for (size_t k = 0; k < programs[i].arguments.size(); ++k) {
          const Binding &binding = programs[i].arguments[k];
          std::vector<char> data(
              programs[i].buffers[binding.buffer].numBytes() + 1);
          ASSERT_EQ((*session)->setArgument(k, data.data()), std::nullopt);
        }
        MaybeError error = (*session)->step();
        if (error)
          logs[i].push_back("error: " + *error);
        logs[i].push_back("end of step");
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  return logs;
}

/// The lines between the first event and the end of the step.
static std::string afterCompute(const std::vector<std::string> &log) {
  std::string text, last;
  bool began = false;
  for (const std::string &line : log) {
    began |= line.rfind("record", 0) == 0;
    if (line == "end of step")
      break;
    if (line.rfind("free", 0) == 0)
      continue;
    // The last one is the end of the step.
    text += std::exchange(last, began ? line + "\n" : "");
  }
  return text;
}

/// One collective of `types.size()` ranks, from the type of each operand.
static std::vector<Program>
makeCollective(const std::vector<TensorType> &operands,
               const std::vector<TensorType> &results,
               const std::function<void(Instruction &)> &configure) {
  std::vector<Program> programs;
  for (size_t i = 0; i < operands.size(); ++i) {
    ProgramBuilder builder(i);
    BufferId from = builder.argument(0, operands[i]);
    BufferId to = builder.buffer(results[i]);
    Instruction &what = builder.add(Opcode::AllGather, {from}, {to}, "meet");
    for (size_t k = 0; k < operands.size(); ++k)
      what.group.push_back(k);
    what.channel = 7;
    configure(what);
    builder.result(0, to);
    programs.push_back(builder.program);
  }
  return programs;
}

TEST(CudaTest, EqualPartsAreGatheredByOneCall) {
  auto logs = record(
      makeCollective({f32({4, 2}), f32({4, 2})}, {f32({8, 2}), f32({8, 2})},
                     [](Instruction &what) { what.sizes = {4, 4}; }));
  EXPECT_EQ(afterCompute(logs[0]), "record e0 on s0\n"
                                   "await e0 on s1\n"
                                   "release e0\n"
                                   "all_gather m0 to m1 32 ui8 in g0 on s1\n"
                                   "record e1 on s1\n"
                                   "await e1 on s0\n"
                                   "release e1\n");
}

TEST(CudaTest, UnequalPartsAreGatheredByBroadcasts) {
  auto logs =
      record(makeCollective({f32({5, 2}), f32({3, 2}), f32({0, 2})},
                            {f32({8, 2}), f32({8, 2}), f32({8, 2})},
                            [](Instruction &what) { what.sizes = {5, 3, 0}; }));
  EXPECT_EQ(afterCompute(logs[1]),
            "record e0 on s0\n"
            "await e0 on s1\n"
            "release e0\n"
            "group begin\n"
            "broadcast null to m1 40 ui8 from 0 in g0 on s1\n"
            "broadcast m0 to m1+40 24 ui8 from 1 in g0 on s1\n"
            "group end\n"
            "record e1 on s1\n"
            "await e1 on s0\n"
            "release e1\n");
}

TEST(CudaTest, UnequalPartsArePaddedWhenAsked) {
  auto logs =
      record(makeCollective({f32({5, 2}), f32({3, 2})},
                            {f32({8, 2}), f32({8, 2})}, [](Instruction &what) {
                              what.sizes = {5, 3};
                              what.algorithm = Algorithm::Padded;
                            }));
  EXPECT_EQ(afterCompute(logs[1]),
            "record e0 on s0\n"
            "await e0 on s1\n"
            "release e0\n"
            "copy m0 to m3 24 on s1\n"
            "all_gather m3 to m2 40 ui8 in g0 on s1\n"
            "copy rows m2 pitch 40 to m1 pitch 64 1x40 on s1\n"
            "copy rows m2+40 pitch 24 to m1+40 pitch 64 1x24 on s1\n"
            "record e1 on s1\n"
            "await e1 on s0\n"
            "release e1\n");
}

TEST(CudaTest, PartsOfRowsAreUnpacked) {
  auto logs =
      record(makeCollective({f32({6, 2}), f32({6, 3})},
                            {f32({6, 5}), f32({6, 5})}, [](Instruction &what) {
                              what.dimension = 1;
                              what.sizes = {2, 3};
                            }));
  EXPECT_EQ(afterCompute(logs[0]),
            "record e0 on s0\n"
            "await e0 on s1\n"
            "release e0\n"
            "group begin\n"
            "broadcast m0 to m2 48 ui8 from 0 in g0 on s1\n"
            "broadcast null to m2+48 72 ui8 from 1 in g0 on s1\n"
            "group end\n"
            "copy rows m2 pitch 8 to m1 pitch 20 6x8 on s1\n"
            "copy rows m2+48 pitch 12 to m1+8 pitch 20 6x12 on s1\n"
            "record e1 on s1\n"
            "await e1 on s0\n"
            "release e1\n");
}

TEST(CudaTest, UnequalPartsAreScatteredByReductions) {
  auto logs =
      record(makeCollective({f32({8, 2}), f32({8, 2})},
                            {f32({5, 2}), f32({3, 2})}, [](Instruction &what) {
                              what.opcode = Opcode::ReduceScatter;
                              what.sizes = {5, 3};
                            }));
  EXPECT_EQ(afterCompute(logs[1]),
            "record e0 on s0\n"
            "await e0 on s1\n"
            "release e0\n"
            "group begin\n"
            "reduce sum m0 to null 10 f32 at 0 in g0 on s1\n"
            "reduce sum m0+40 to m1 6 f32 at 1 in g0 on s1\n"
            "group end\n"
            "record e1 on s1\n"
            "await e1 on s0\n"
            "release e1\n");
}

TEST(CudaTest, ExchangeIsAGroupOfMessages) {
  // Rows by 5 and 3 become columns by 1 and 3.
  auto logs =
      record(makeCollective({f32({5, 4}), f32({3, 4})},
                            {f32({8, 1}), f32({8, 3})}, [](Instruction &what) {
                              what.opcode = Opcode::AllToAll;
                              what.dimension = 0;
                              what.sizes = {5, 3};
                              what.toDimension = 1;
                              what.toSizes = {1, 3};
                            }));
  EXPECT_EQ(afterCompute(logs[0]),
            "record e0 on s0\n"
            "await e0 on s1\n"
            "release e0\n"
            "copy rows m0 pitch 16 to m2 pitch 4 5x4 on s1\n"
            "copy m2 to m1 20 on s1\n"
            "copy rows m0+4 pitch 16 to m3 pitch 12 5x12 on s1\n"
            "group begin\n"
            "send m3 60 ui8 to 1 in g0 on s1\n"
            "receive m1+20 12 ui8 from 1 in g0 on s1\n"
            "group end\n"
            "record e1 on s1\n"
            "await e1 on s0\n"
            "release e1\n");
}

TEST(CudaTest, ScanGivesNeutralValuesToThoseBefore) {
  TensorType type = {ElementType::I32, {3}};
  auto logs =
      record(makeCollective({type, type}, {type, type}, [](Instruction &what) {
        what.opcode = Opcode::ExclusiveScan;
      }));
  EXPECT_EQ(afterCompute(logs[1]),
            "record e0 on s0\n"
            "await e0 on s1\n"
            "release e0\n"
            "group begin\n"
            "reduce sum m0 to null 3 i32 at 0 in g0 on s1\n"
            "reduce sum m0 to m2 3 i32 at 1 in g0 on s1\n"
            "group end\n"
            "record e1 on s1\n"
            "await e1 on s0\n"
            "release e1\n");
  EXPECT_NE(afterCompute(logs[0]).find(
                "reduce sum m1 to null 3 i32 at 1 in g0 on s1\n"),
            std::string::npos);
}

TEST(CudaTest, WhatNcclCannotReduceIsGatheredAndCombined) {
  TensorType type = {ElementType::I32, {3}};
  auto logs =
      record(makeCollective({type, type}, {type, type}, [](Instruction &what) {
        what.opcode = Opcode::AllReduce;
        what.reduction = Reduction::And;
      }));
  EXPECT_EQ(afterCompute(logs[1]),
            "record e0 on s0\n"
            "await e0 on s1\n"
            "release e0\n"
            "all_gather m0 to m2 12 ui8 in g0 on s1\n"
            "copy m2 to m1 12 on s1\n"
            "launch combine <1, 256>(m2+12, m1, 3) on s1\n"
            "record e1 on s1\n"
            "await e1 on s0\n"
            "release e1\n");
}

TEST(CudaTest, PartsThatNcclCannotReduceAreExchanged) {
  TensorType whole = {ElementType::I16, {3}};
  auto logs = record(makeCollective(
      {whole, whole}, {{ElementType::I16, {1}}, {ElementType::I16, {2}}},
      [](Instruction &what) {
        what.opcode = Opcode::ReduceScatter;
        what.sizes = {1, 2};
      }));
  std::string text = afterCompute(logs[1]);
  for (const char *line :
       {"copy m0+2 to m2+4 4 on s1\n", "send m0 2 ui8 to 0 in g0 on s1\n",
        "receive m2 4 ui8 from 0 in g0 on s1\n",
        "launch combine <1, 256>(m2+4, m1, 2) on s1\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(CudaTest, SendGoesOnWhileItsOperandIsReused) {
  ProgramBuilder sender(0), receiver(1);
  BufferId from = sender.argument(0, f32({4}));
  Instruction &send = sender.add(Opcode::Send, {from}, {}, "activation");
  send.peer = 1;
  send.channel = 3;
  sender.add(Opcode::Free, {from}, {});
  BufferId to = receiver.buffer(f32({4}));
  Instruction &receive = receiver.add(Opcode::Recv, {}, {to}, "activation");
  receive.peer = 0;
  receive.channel = 3;
  receiver.result(0, to);
  auto logs = record({sender.program, receiver.program}, 2);
  EXPECT_EQ(afterCompute(logs[0]), "record e0 on s0\n"
                                   "await e0 on s1\n"
                                   "release e0\n"
                                   "send m1 4 f32 to 1 in g0 on s1\n"
                                   "record e1 on s1\n"
                                   "await e1 on s0\n"
                                   "release e1\n");
  // The copy is given back when the stream of the device comes after the send.
  auto find = [&](const char *line) {
    return std::find(logs[0].begin(), logs[0].end(), line);
  };
  EXPECT_LT(find("await e1 on s0"), find("free m1"));
  EXPECT_LT(find("free m1"), find("end of step"));
}

/// The lines of each step.
static std::vector<std::vector<std::string>>
splitSteps(const std::vector<std::string> &log) {
  std::vector<std::vector<std::string>> steps(1);
  for (const std::string &line : log)
    if (line == "end of step")
      steps.emplace_back();
    else
      steps.back().push_back(line);
  steps.pop_back();
  return steps;
}

TEST(CudaTest, StepsThatRepeatAreOneGraph) {
  std::vector<Program> programs =
      makeCollective({f32({4, 2}), f32({4, 2})}, {f32({8, 2}), f32({8, 2})},
                     [](Instruction &what) { what.sizes = {4, 4}; });
  auto steps = splitSteps(record(programs, 8, CudaDeviceOptions())[1]);
  ASSERT_EQ(steps.size(), 8u);
  // The memory comes before the first step, blocks for arguments on their way
  // with the first ones.
  for (size_t i = 0; i < steps.size(); ++i) {
    int numGathered = 0, numLaunched = 0, numAllocated = 0;
    for (const std::string &line : steps[i]) {
      numGathered += line.rfind("all_gather", 0) == 0;
      numLaunched += line.rfind("launch graph", 0) == 0;
      numAllocated += line.rfind("allocate", 0) == 0;
    }
    // What began like the first step is recorded; from then on it is launched.
    EXPECT_EQ(numLaunched, i == 0 ? 0 : 1) << i;
    EXPECT_EQ(numGathered, i < 2 ? 1 : 0) << i;
    EXPECT_EQ(numAllocated > 0, i < 3) << i;
  }
  EXPECT_EQ(steps[7][0].rfind("write m0", 0), 0u) << steps[7][0];
  EXPECT_EQ(steps[7][1].rfind("launch graph", 0), 0u) << steps[7][1];
  EXPECT_EQ(steps[7][2].rfind("record e", 0), 0u) << steps[7][2];
  // That of the step before the last.
  EXPECT_EQ(steps[7][3].rfind("wait for e", 0), 0u) << steps[7][3];
  EXPECT_EQ(steps[7].size(), 5u);
}

TEST(CudaTest, MemoryIsTakenBeforeTheFirstStep) {
  std::vector<std::string> log;
  auto transports = createThreadsTransports(1);
  auto device = CudaDevice::create(
      "gpu", createRecordingCudaApi(
                 [&](const std::string &line) { log.push_back(line); }));
  NcclCommunicator communicator(*transports[0], **device);
  ProgramBuilder builder(0);
  BufferId from = builder.argument(0, f32({1000}));
  BufferId to = builder.buffer(f32({1000}));
  builder.add(Opcode::Copy, {from}, {to}, "copy");
  builder.result(0, to);
  auto session = Session::create(builder.program, {}, **device, communicator);
  ASSERT_TRUE(bool(session)) << session.error();
  // Nothing of the rehearsal is entered, and nothing of it stays.
  EXPECT_EQ(std::count_if(log.begin(), log.end(),
                          [](const std::string &line) {
                            return line.rfind("allocate m", 0) == 0;
                          }),
            1);
  EXPECT_EQ(std::count_if(
                log.begin(), log.end(),
                [](const std::string &line) { return line.find("copy") == 0; }),
            0);
  EXPECT_EQ((*device)->getLiveBytes(), 0);
  EXPECT_EQ((*device)->getPeakBytes(), 0);
}

TEST(CudaTest, StepThatDoesNotFitIsSaidBeforeItBegins) {
  auto transports = createThreadsTransports(1);
  CudaDeviceOptions options;
  options.cap = 5000;
  auto device =
      CudaDevice::create("gpu", createRecordingCudaApi([](auto &) {}), options);
  NcclCommunicator communicator(*transports[0], **device);
  ProgramBuilder builder(0);
  BufferId from = builder.argument(0, f32({1000}));
  BufferId to = builder.buffer(f32({1000}));
  builder.add(Opcode::Copy, {from}, {to}, "copy");
  builder.result(0, to);
  auto session = Session::create(builder.program, {}, **device, communicator);
  ASSERT_FALSE(bool(session));
  EXPECT_NE(session.error().find("device 'gpu' is out of memory: 'copy"),
            std::string::npos)
      << session.error();
}

TEST(CudaTest, BucketIsOneGroup) {
  std::vector<Program> programs;
  for (int rank = 0; rank < 2; ++rank) {
    ProgramBuilder builder(rank);
    std::vector<BufferId> to;
    for (int i = 0; i < 2; ++i) {
      BufferId from = builder.argument(i, f32({3 + i}));
      to.push_back(builder.buffer(f32({3 + i})));
      Instruction &what =
          builder.add(Opcode::AllReduce, {from}, {to.back()}, "reduce");
      what.group = {0, 1};
      what.bucket = 5;
    }
    builder.result(0, to[0]);
    builder.result(1, to[1]);
    programs.push_back(builder.program);
  }
  EXPECT_EQ(afterCompute(record(programs)[0]),
            "record e0 on s0\n"
            "await e0 on s1\n"
            "release e0\n"
            "group begin\n"
            "all_reduce sum m0 to m2 3 f32 in g0 on s1\n"
            "all_reduce sum m1 to m3 4 f32 in g0 on s1\n"
            "group end\n"
            "record e1 on s1\n"
            "await e1 on s0\n"
            "release e1\n");
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

TEST(CudaTest, LoopsAroundMultiplicationsAddUp) {
  std::vector<std::string> log;
  auto device = CudaDevice::create(
      "gpu", createRecordingCudaApi(
                 [&](const std::string &line) { log.push_back(line); }));
  log.clear();
  auto f32Type = static_cast<int64_t>(ElementType::F32);
  // Two sums of products of 4x8 and 8x6, for two results.
  const int64_t table[] = {f32Type, f32Type, 0, 1, 4, 6,  8,  0, 8, 1,  0, 6, 1,
                           0,       6,       1, 2, 2, 32, 48, 0, 2, 64, 0, 24};
  Device::Scope scope(device->get());
  void *memory = *(*device)->allocate(4096, "all");
  hetero_cuda_gemm(memory, static_cast<char *>(memory) + 1024,
                   static_cast<char *>(memory) + 2048, table);
  ASSERT_EQ(log.size(), 5u);
  const char *shape = "gemm f32 to f32 1 x 4x6x8 ";
  EXPECT_EQ(log[1], shape + std::string("m0[0, 8, 1] m0+1024[0, 6, 1] = "
                                        "m0+2048[0, 6, 1] on s0"));
  EXPECT_EQ(log[2], shape + std::string("m0+128[0, 8, 1] m0+1216[0, 6, 1] += "
                                        "m0+2048[0, 6, 1] on s0"));
  EXPECT_EQ(log[3], shape + std::string("m0+256[0, 8, 1] m0+1024[0, 6, 1] = "
                                        "m0+2144[0, 6, 1] on s0"));
  EXPECT_EQ(log[4], shape + std::string("m0+384[0, 8, 1] m0+1216[0, 6, 1] += "
                                        "m0+2144[0, 6, 1] on s0"));
}

namespace {
/// A recorded device with a block that everything lies in.
struct Recorded {
  Recorded() {
    auto made = CudaDevice::create(
        "gpu", createRecordingCudaApi(
                   [this](const std::string &line) { log.push_back(line); }));
    device = std::move(*made);
    memory = *device->allocate(4096, "all");
    log.clear();
  }

  /// An address in the block, as a word of a call.
  int64_t at(int64_t offset) const {
    return reinterpret_cast<int64_t>(memory) + offset;
  }
  /// What was recorded, without where workspaces lie.
  std::string getText() const {
    std::string text;
    for (const std::string &line : log)
      text += line + "\n";
    return text;
  }

  std::vector<std::string> log;
  std::unique_ptr<CudaDevice> device;
  void *memory = nullptr;
};
} // namespace

TEST(CudaTest, OperandsOfRealResultsAreCopied) {
  Recorded recorded;
  Device::Scope scope(recorded.device.get());
  const int64_t call[] = {kIrfft,           0, 2, 2, 3, 6, recorded.at(0),
                          recorded.at(1024)};
  hetero_cuda_fft(call);
  // 2 x 3 x 4 complex numbers; workspace and copy lie behind the block.
  EXPECT_EQ(recorded.getText(),
            "plan 0 irfft f32 2 x 3x6\n"
            "copy m0 to m0+5120 192 on s0\n"
            "run plan 0 m0+5120 to m0+1024 with m0+4096 on s0\n");
  EXPECT_TRUE(recorded.device->canRecord());
}

TEST(CudaTest, MatricesAreTransposedWhereTheyMustBe) {
  Recorded recorded;
  Device::Scope scope(recorded.device.get());
  // A triangular system is solved from the other side, where it lies.
  const int64_t system[] = {kTrsm,
                            kLapackF32,
                            1,
                            4,
                            2,
                            0,
                            'L',
                            'U',
                            'T',
                            'N',
                            recorded.at(0),
                            recorded.at(64),
                            recorded.at(128)};
  hetero_cuda_lapack(system);
  EXPECT_EQ(recorded.getText(),
            "copy m0+64 to m0+128 32 on s0\n"
            "trsm f32 2x4 m0 m0+128 R L T N with m0+4096 on s0\n");
  EXPECT_TRUE(recorded.device->canRecord());
  recorded.log.clear();
  // An LU of each of two matrices is not that of its transpose.
  const int64_t factors[] = {kGetrf,
                             kLapackC64,
                             2,
                             3,
                             2,
                             0,
                             0,
                             0,
                             0,
                             0,
                             recorded.at(0),
                             recorded.at(512),
                             recorded.at(768),
                             recorded.at(1024)};
  hetero_cuda_lapack(factors);
  EXPECT_EQ(recorded.getText(),
            "transpose complex<f32> 3x2 m0 to m0+4096 on s0\n"
            "getrf complex<f32> 3x2 m0+4096 m0+768 m0+1024 with m0+4352 on s0\n"
            "transpose complex<f32> 2x3 m0+4096 to m0+512 on s0\n"
            "transpose complex<f32> 3x2 m0+48 to m0+4096 on s0\n"
            "getrf complex<f32> 3x2 m0+4096 m0+776 m0+1028 with m0+4352 on s0\n"
            "transpose complex<f32> 2x3 m0+4096 to m0+560 on s0\n");
  // Nothing says that cuSOLVER can be captured.
  EXPECT_FALSE(recorded.device->canRecord());
}

TEST(CudaTest, WhatCublasCannotAddIsCombined) {
  std::vector<std::string> log;
  auto device = CudaDevice::create(
      "gpu", createRecordingCudaApi(
                 [&](const std::string &line) { log.push_back(line); }));
  void *memory = *(*device)->allocate(4096, "all");
  log.clear();
  auto accumulate = [&](Reduction reduction, ElementType type) {
    EXPECT_EQ((*device)->accumulate(reduction, type, memory, memory, 300),
              std::nullopt);
  };
  accumulate(Reduction::Sum, ElementType::I32);
  accumulate(Reduction::Sum, ElementType::BF16);
  accumulate(Reduction::Sum, ElementType::I32);
  EXPECT_EQ(log, (std::vector<std::string>{
                     "load module0 sm_0 ptx",
                     "launch combine <2, 256>(m0, m0, 300) on s0",
                     "add m0 to m0 300 bf16 on s0",
                     "launch combine <2, 256>(m0, m0, 300) on s0"}));
}

TEST(CudaTest, CapHoldsForTheDevice) {
  auto device =
      CudaDevice::create("gpu", createRecordingCudaApi([](auto &) {}), {1000});
  EXPECT_TRUE(bool((*device)->allocate(600, "first")));
  Result<void *> second = (*device)->allocate(600, "second");
  ASSERT_FALSE(bool(second));
  EXPECT_NE(second.error().find("device 'gpu' is out of memory"),
            std::string::npos);
}

TEST(CudaTest, MissingDriverIsSaid) {
  CudaLibraries libraries;
  libraries.driver = "/nowhere/libcuda.so.1";
  auto api = createCudaApi(0, libraries);
  ASSERT_FALSE(bool(api));
  if (isCudaBuilt())
    EXPECT_NE(api.error().find("there is no CUDA device: the CUDA driver "
                               "'/nowhere/libcuda.so.1' cannot be loaded"),
              std::string::npos)
        << api.error();
  else
    EXPECT_NE(api.error().find("this build of hetero has no CUDA"),
              std::string::npos);
}

#ifdef HETERO_CUDA_STUB
TEST(CudaTest, ToolkitHasAllEntryPoints) {
  CudaLibraries libraries;
  libraries.driver = HETERO_CUDA_STUB;
  EXPECT_EQ(checkCudaLibraries(libraries), std::nullopt);
  // The stub of the driver knows no device.
  auto api = createCudaApi(0, libraries);
  ASSERT_FALSE(bool(api));
  EXPECT_NE(api.error().find("there is no CUDA device: cuInit failed"),
            std::string::npos)
      << api.error();
}
#endif
