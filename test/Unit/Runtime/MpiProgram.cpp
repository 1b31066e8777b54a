//===- MpiProgram.cpp - What the tests of the transport mpi start ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank of a run, started by mpirun from test/Run/test_mpi.py:
//
//   random <seeds> [<piece>]  random collectives, compared with a reference;
//                             messages in pieces of so many bytes
//   results                   whole results and traces, from several processes
//   forever                   steps that do not end, for somebody to disturb
//   cap                       rank 2 needs more memory than it may have
//   argument-cap              the same for an argument
//   stuck                     a kernel of rank 1 does not return
//   leave                     rank 1 exits before it has opened its program
//   early                     rank 1 exits after the first step
//   slow                      rank 1 takes its time before and after a step,
//                             longer than the others wait for a sign of life
//
// It prints "rank <k>: ok" or an error, and what it does in between.

#include "RandomCollectives.h"
#include "hetero/Runtime/MpiTransport.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

using namespace hetero::runtime;

static constexpr int64_t vectorSize = 1000;

/// Ends the process with a message.
[[noreturn]] static void die(const std::string &error) {
  std::fprintf(stderr, "error: %s\n", error.c_str());
  std::exit(1);
}

static void check(const MaybeError &error) {
  if (error)
    die(*error);
}

static std::unique_ptr<Transport> connect(MpiOptions options = {}) {
  if (const char *limit = std::getenv("HETERO_TEST_LOSS_TIMEOUT"))
    options.lossTimeout = std::chrono::milliseconds(std::atoi(limit));
  auto transport = createMpiTransport(options);
  if (!transport)
    die(transport.error());
  return std::move(*transport);
}

static std::unique_ptr<ProgramGroup> start(RankSetup setup,
                                           std::unique_ptr<Transport> transport,
                                           CommunicatorOptions options = {}) {
  std::vector<RankSetup> setups;
  setups.push_back(std::move(setup));
  std::vector<std::unique_ptr<Transport>> transports;
  transports.push_back(std::move(transport));
  auto group =
      ProgramGroup::create(std::move(setups), std::move(transports), options);
  if (!group)
    die(group.error());
  return std::move(*group);
}

static void runRandom(unsigned numSeeds, int64_t piece) {
  for (unsigned seed = 0; seed < numSeeds; ++seed) {
    MpiOptions options;
    options.largestPiece = piece;
    std::unique_ptr<Transport> transport = connect(options);
    int64_t rank = transport->getRank();
    RandomCollectives programs(transport->getNumRanks(), seed, 30);
    RankSetup setup;
    setup.program = programs.getProgram(rank);
    auto group = start(std::move(setup), std::move(transport));
    for (int step = 0; step < 2; ++step) {
      check(programs.setArguments(group->getSession(0)));
      check(group->step());
      check(programs.compare(group->getSession(0)));
    }
  }
}

//===----------------------------------------------------------------------===//
// A step with a pipeline and an all-reduce
//===----------------------------------------------------------------------===//

/// activations -> activations + 1, slowly enough to be interrupted.
static void forward(void **buffers) {
  const auto *from = static_cast<const float *>(buffers[0]);
  auto *to = static_cast<float *>(buffers[1]);
  for (int64_t i = 0; i < vectorSize; ++i)
    to[i] = from[i] + 1;
  usleep(2000);
}

static void sleepForever(void **) {
  while (true)
    usleep(100000);
}

/// Rank k passes what it got plus one to rank k + 1; then all add up what they
/// had. Result 0 is the sum, result 1 the inputs of all ranks, split among
/// them.
static RankSetup makeStage(int64_t rank, int64_t size) {
  ProgramBuilder builder(rank);
  TensorType type = f32({vectorSize});
  BufferId input;
  if (rank == 0) {
    input = builder.argument(0, type);
  } else {
    input = builder.buffer(type);
    builder.add(Opcode::Recv, {}, {input}, "receive activation").peer =
        rank - 1;
  }
  BufferId output = builder.buffer(type), sum = builder.buffer(type);
  builder.call("forward", {input}, {output}, "forward 0");
  if (rank + 1 < size)
    builder.add(Opcode::Send, {output}, {}, "send activation").peer = rank + 1;
  Instruction &reduce =
      builder.add(Opcode::AllReduce, {output}, {sum}, "reduce");
  for (int64_t i = 0; i < size; ++i)
    reduce.group.push_back(i);
  builder.free({output});
  builder.result(0, sum);
  builder.result(1, input, {{{{rank * vectorSize, (rank + 1) * vectorSize}}}});
  RankSetup setup;
  setup.program = builder.program;
  setup.kernels = {forward};
  setup.deviceName = "device " + std::to_string(rank);
  return setup;
}

static void setInput(ProgramGroup &group) {
  std::vector<float> input(vectorSize);
  for (int64_t i = 0; i < vectorSize; ++i)
    input[i] = i % 7;
  check(group.setArgument(0, input.data(), f32({vectorSize})));
}

static void runResults() {
  std::unique_ptr<Transport> transport = connect();
  int64_t rank = transport->getRank(), size = transport->getNumRanks();
  auto group = start(makeStage(rank, size), std::move(transport));
  group->setTracing(true);
  setInput(*group);
  check(group->step());
  std::vector<float> sum(vectorSize), inputs(vectorSize * size);
  check(group->getResult(0, sum.data(), f32({vectorSize})));
  check(group->getResult(1, rank == 0 ? inputs.data() : nullptr,
                         f32({vectorSize * size}), /*root=*/0));
  for (int64_t i = 0; i < vectorSize; ++i)
    if (sum[i] != size * (i % 7) + size * (size + 1) / 2)
      die("wrong sum");
  for (int64_t i = 0; rank == 0 && i < vectorSize * size; ++i)
    if (inputs[i] != i % vectorSize % 7 + i / vectorSize)
      die("wrong inputs");
  std::vector<bool> seen(size);
  for (const TraceEvent &event : group->takeTrace())
    seen[event.rank] = seen[event.rank] || event.label == "reduce";
  for (int64_t i = 0; i < size; ++i)
    if (!seen[i])
      die("the trace lacks rank " + std::to_string(i));
}

static void runDisturbed(const std::string &how) {
  std::unique_ptr<Transport> transport = connect();
  int64_t rank = transport->getRank(), size = transport->getNumRanks();
  std::printf("rank %d: process %d\n", int(rank), int(getpid()));
  std::fflush(stdout);
  RankSetup setup = makeStage(rank, size);
  CommunicatorOptions options;
  if (how == "cap" && rank == 2)
    setup.memoryCap = 10000;
  if (how == "argument-cap" && rank == 0)
    setup.memoryCap = 3999;
  if (how == "stuck" && rank == 1)
    setup.kernels[0] = sleepForever;
  if (how == "stuck")
    options.patience = std::chrono::milliseconds(1000);
  if (how == "leave" && rank == 1)
    std::exit(3);
  auto group = start(std::move(setup), std::move(transport), options);
  for (int64_t step = 0;; ++step) {
    setInput(*group);
    check(group->step());
    if (rank == 0) {
      std::printf("step %d\n", int(step));
      std::fflush(stdout);
    }
    if (how == "early" && rank == 1)
      std::exit(3);
  }
}

/// Compiling, and what a program does after its last step, may take long.
static void runSlow() {
  std::unique_ptr<Transport> transport = connect();
  int64_t rank = transport->getRank(), size = transport->getNumRanks();
  auto takeTime = [&] {
    if (rank == 1)
      usleep(2500000);
  };
  takeTime();
  auto group = start(makeStage(rank, size), std::move(transport));
  setInput(*group);
  check(group->step());
  takeTime();
}

int main(int argc, char **argv) {
  std::string how = argc > 1 ? argv[1] : "";
  auto number = [&](int i, int64_t otherwise) {
    return argc > i ? std::atoll(argv[i]) : otherwise;
  };
  int64_t rank = connect()->getRank();
  if (how == "random")
    runRandom(number(2, 1), number(3, MpiOptions().largestPiece));
  else if (how == "results")
    runResults();
  else if (how == "slow")
    runSlow();
  else
    runDisturbed(how);
  std::printf("rank %d: ok\n", int(rank));
  return 0;
}
