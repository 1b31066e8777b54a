//===- Machine.cpp - Blocks, threads and what stops them ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine.h"
#include <cstring>

namespace hetero::standin::ptx {

// Named barriers of a block.
constexpr uint32_t numBarriers = 16;

uint64_t Random::next() {
  // SplitMix64.
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

std::vector<uint32_t> Random::permutation(size_t count) {
  std::vector<uint32_t> order(count);
  for (size_t i = 0; i < count; ++i) {
    size_t other = below(i + 1);
    order[i] = order[other];
    order[other] = i;
  }
  return order;
}

Machine::Machine(LoadedModule &module, const TranslatedKernel &kernel,
                 ptx_kernel code, const Launch &launch, DeviceMemory &memory)
    : module(module), kernel(kernel), code(code), launch(launch),
      memory(memory), random(launch.seed),
      numThreads(launch.block[0] * launch.block[1] * launch.block[2]),
      numBlocks(launch.grid[0] * launch.grid[1] * launch.grid[2]),
      order(areRacesChecked() ? numThreads : 0) {
  parameters.assign(PTX_FIRST_ADDRESS, 0);
  parameters.insert(parameters.end(), launch.parameters.begin(),
                    launch.parameters.end());
  size_t bytes = kernel.shared.empty() ? 0 : module.translation.sharedBytes;
  shared.resize(bytes);
  sharedStates.resize(bytes);
  arrivals.resize(numBarriers);
  if (areRacesChecked()) {
    globalRaces.emplace(order);
    sharedRaces.emplace(order);
  }
}

/// Stacks that are not used now; to make one takes longer than to run a thread.
static thread_local std::vector<std::unique_ptr<Fiber>> idleFibers;

static std::unique_ptr<Fiber> takeFiber() {
  if (idleFibers.empty())
    return std::make_unique<Fiber>();
  std::unique_ptr<Fiber> fiber = std::move(idleFibers.back());
  idleFibers.pop_back();
  return fiber;
}

Machine::~Machine() {
  for (Thread &thread : threads)
    idleFibers.push_back(std::move(thread.fiber));
}

/// What a driver refuses.
std::string Machine::checkLaunch() const {
  auto is = [](uint64_t x, uint64_t y, uint64_t z) {
    return "(" + std::to_string(x) + "," + std::to_string(y) + "," +
           std::to_string(z) + ")";
  };
  const uint32_t *blockSize = launch.block, *gridSize = launch.grid;
  std::string found =
      "a block of " + is(blockSize[0], blockSize[1], blockSize[2]) +
      " threads in a grid of " + is(gridSize[0], gridSize[1], gridSize[2]);
  // The limits of all devices from sm_70 on.
  uint64_t threadsOfBlock =
      uint64_t(blockSize[0]) * blockSize[1] * blockSize[2];
  if (!threadsOfBlock || threadsOfBlock > 1024 || blockSize[2] > 64)
    return found + " is not possible";
  if (!gridSize[0] || !gridSize[1] || !gridSize[2] ||
      gridSize[0] > 0x7fffffff || gridSize[1] > 65535 || gridSize[2] > 65535)
    return found + " is not possible";
  // Blocks are numbered with 32 bits here.
  if (uint64_t(gridSize[0]) * gridSize[1] * gridSize[2] > 0xffffffff)
    return found + " is too large for this machine";
  const uint32_t *most = kernel.maxThreads, *exact = kernel.requiredThreads;
  if (most[0] && threadsOfBlock > uint64_t(most[0]) * most[1] * most[2])
    return found + " is more than .maxntid " + is(most[0], most[1], most[2]);
  if (exact[0] && std::memcmp(exact, blockSize, 3 * sizeof(uint32_t)))
    return found + " is not .reqntid " + is(exact[0], exact[1], exact[2]);
  if (launch.parameters.size() != kernel.parameterBytes)
    return "there are " + std::to_string(launch.parameters.size()) +
           " bytes of parameters instead of " +
           std::to_string(kernel.parameterBytes);
  return "";
}

std::string Machine::run() {
  failure = checkLaunch();
  if (!failure.empty())
    return "kernel " + kernel.name + ": " + failure;
  static constexpr ptx_host host = {access, collective, barrier, enter,
                                    failCode};
  size_t count = kernel.isBlocking ? numThreads : 1;
  for (size_t i = 0; i < count; ++i) {
    Thread &thread = threads.emplace_back();
    thread.code = {};
    thread.code.host = &host;
    thread.machine = this;
    thread.local.assign(module.translation.localBytes, 0);
    thread.fiber = takeFiber();
    for (int axis = 0; axis < 3; ++axis) {
      thread.code.ntid[axis] = launch.block[axis];
      thread.code.nctaid[axis] = launch.grid[axis];
    }
  }
  if (!kernel.isBlocking) {
    // All threads of all blocks, one after the other, on one stack.
    threads[0].fiber->start(runLoop, this);
    threads[0].fiber->resume();
  } else {
    for (uint32_t index : random.permutation(numBlocks)) {
      runWaiting(index);
      if (!failure.empty())
        break;
    }
  }
  for (const Thread &thread : threads)
    numInstructions += thread.code.instructions;
  return failure;
}

//===----------------------------------------------------------------------===//
// Blocks and threads
//===----------------------------------------------------------------------===//

void Machine::beginBlock(uint32_t index) {
  block = index;
  barriers = 0;
  std::fill(arrivals.begin(), arrivals.end(), 0);
  order.beginBlock();
  if (sharedRaces)
    sharedRaces->forget();
  for (const Range &range : kernel.shared) {
    for (size_t i = 0; i < range.bytes; ++i)
      shared[range.offset + i] = static_cast<char>(random.next());
    std::fill_n(sharedStates.begin() + range.offset, range.bytes, 1);
  }
}

void Machine::beginThread(Thread &thread, uint32_t index) {
  ptx_thread &own = thread.code;
  const uint32_t *size = launch.block, *grid = launch.grid;
  own.tid[0] = index % size[0];
  own.tid[1] = index / size[0] % size[1];
  own.tid[2] = index / size[0] / size[1];
  own.ctaid[0] = block % grid[0];
  own.ctaid[1] = block / grid[0] % grid[1];
  own.ctaid[2] = block / grid[0] / grid[1];
  own.lane = index % 32;
  own.warp = index / 32;
  own.local_end = PTX_FIRST_ADDRESS;
  thread.index = index;
  thread.state = State::Ready;
  described = nullptr;
}

void Machine::runLoop(void *pointer) {
  Machine &machine = *static_cast<Machine *>(pointer);
  Thread &thread = machine.threads[0];
  machine.running = &thread;
  // They are the machine's, because a failure leaves this stack as it is.
  machine.blockOrder = machine.random.permutation(machine.numBlocks);
  for (uint32_t block : machine.blockOrder) {
    machine.beginBlock(block);
    machine.threadOrder = machine.random.permutation(machine.numThreads);
    for (uint32_t index : machine.threadOrder) {
      machine.beginThread(thread, index);
      machine.code(&thread.code);
      machine.settle();
    }
  }
}

void Machine::runThread(void *pointer) {
  Thread &thread = *static_cast<Thread *>(pointer);
  thread.machine->code(&thread.code);
  thread.machine->settle();
  thread.state = State::Ended;
}

void Machine::resume(Thread &thread) {
  running = &thread;
  thread.fiber->resume();
  running = nullptr;
}

void Machine::makeReady(Thread &thread) {
  thread.state = State::Ready;
  ready.push_back(&thread);
}

/// One block whose threads wait for each other.
void Machine::runWaiting(uint32_t index) {
  beginBlock(index);
  ready.clear();
  for (uint32_t i = 0; i < numThreads; ++i) {
    beginThread(threads[i], i);
    threads[i].fiber->start(runThread, &threads[i]);
    makeReady(threads[i]);
  }
  uint32_t numEnded = 0;
  while (failure.empty() && !ready.empty()) {
    std::swap(ready[random.below(ready.size())], ready.back());
    Thread &thread = *ready.back();
    ready.pop_back();
    resume(thread);
    if (!failure.empty())
      return;
    numEnded += thread.state == State::Ended;
    if (thread.state == State::AtBarrier &&
        ++arrivals[thread.barrier] == numThreads)
      releaseBarrier(thread.barrier);
    else if (thread.state == State::AtCollective)
      tryCollective(thread);
  }
  if (failure.empty() && numEnded != numThreads)
    failure = explainDeadlock();
}

//===----------------------------------------------------------------------===//
// What is said about failures
//===----------------------------------------------------------------------===//

static std::string triple(const uint32_t (&values)[3]) {
  return "(" + std::to_string(values[0]) + "," + std::to_string(values[1]) +
         "," + std::to_string(values[2]) + ")";
}

std::string Machine::coordinates(const Thread &thread) const {
  return triple(thread.code.tid);
}

std::string Machine::position(const Thread &thread) const {
  return "kernel " + kernel.name + ", block " + triple(thread.code.ctaid) +
         ", thread " + coordinates(thread);
}

std::string Machine::instruction(uint32_t line) const {
  std::string text = "line " + std::to_string(line);
  if (!line || line > module.lines.size())
    return text;
  std::string source = module.lines[line - 1];
  for (char &c : source)
    c = c == '\t' ? ' ' : c;
  size_t begin = source.find_first_not_of(' ');
  size_t end = source.find_last_not_of(' ');
  return begin == std::string::npos
             ? text
             : text + " '" + source.substr(begin, end - begin + 1) + "'";
}

void Machine::fail(const Thread &thread, uint32_t line, std::string &&what) {
  failure = position(thread) + ", " + instruction(line) + ": " + what;
  std::string().swap(what);
  // Nobody resumes it.
  thread.fiber->suspend();
  std::abort();
}

Machine &Machine::of(ptx_thread *code) {
  return *reinterpret_cast<Thread *>(code)->machine;
}

void Machine::failCode(ptx_thread *code, const char *what, uint32_t line) {
  of(code).fail(*reinterpret_cast<Thread *>(code), line, what);
}

namespace {
/// Text that is written for each access: without memory of its own.
class Writer {
public:
  Writer(char *begin, char *end) : at(begin), end(end) {}

  void add(const char *text) {
    while (*text && at != end)
      *at++ = *text++;
  }
  void add(uint32_t value) {
    char digits[16];
    int count = 0;
    do
      digits[count++] = '0' + value % 10;
    while (value /= 10);
    while (count && at != end)
      *at++ = digits[--count];
  }
  void add(const uint32_t (&values)[3]) {
    for (int i = 0; i < 3; ++i) {
      add(i ? "," : "(");
      add(values[i]);
    }
    add(")");
  }

  char *at;

private:
  char *end;
};
} // namespace

/// The thread and the line, for the device; the thread is only written anew
/// when it is another one, as this is called for each access.
const char *Machine::who(Thread &thread, uint32_t line) {
  constexpr size_t longestLine = 16;
  if (described != &thread) {
    Writer writer(description, description + sizeof description - longestLine);
    writer.add("kernel ");
    writer.add(kernel.name.c_str());
    writer.add(", block ");
    writer.add(thread.code.ctaid);
    writer.add(", thread ");
    writer.add(thread.code.tid);
    writer.add(", line ");
    descriptionBytes = writer.at - description;
    described = &thread;
  }
  Writer writer(description + descriptionBytes,
                description + sizeof description - 1);
  writer.add(line);
  *writer.at = 0;
  return description;
}

} // namespace hetero::standin::ptx
