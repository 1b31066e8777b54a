//===- hetero-ptx-run.cpp - Launches kernels of one module ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   hetero-ptx-run [--races] [--seed=N] [--capability=80] module.ptx script
//
// Runs the lines of a script, such as hetero-record-cuda prints for one rank;
// other lines, among them products of matrices, have no effect:
//
//   allocate m0 128          memory with random bytes
//   write m0 128             random bytes, again
//   copy m0 to m1 128
//   free m0
//   launch loop_3 <8, 256>(m0, m1, 42)
//   input m0 file            memory with what is in the file
//   output m0 file           writes the memory to a file
//
// At the end it says what has been run and how long that took.

#include "Ptx.h"
#include "StandIn/Kernels.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

using namespace hetero::standin;

namespace {

/// Memory by names, each with nothing around it.
class NamedMemory : public DeviceMemory {
public:
  char *access(uint64_t address, uint64_t bytes, bool isWrite,
               const char *who) override {
    auto found = contents.upper_bound(address);
    if (found != contents.begin() &&
        address + bytes <= (--found)->first + found->second.size())
      return found->second.data() + (address - found->first);
    fail(std::string(who) + ": " + (isWrite ? "writes" : "reads") +
         " outside of all memory");
  }

  [[noreturn]] static void fail(const std::string &message) {
    std::fprintf(stderr, "error: %s\n", message.c_str());
    std::exit(1);
  }

  std::vector<char> &at(const std::string &name) {
    auto address = addresses.find(name);
    if (address == addresses.end())
      fail("there is no memory '" + name + "'");
    return contents.at(address->second);
  }

  void allocate(const std::string &name, std::vector<char> bytes) {
    free(name);
    addresses[name] = next;
    // As cuMemAlloc aligns it, and with a gap behind.
    uint64_t address = next;
    next += (bytes.size() / 512 + 2) * 512;
    contents[address] = std::move(bytes);
  }

  void free(const std::string &name) {
    auto address = addresses.find(name);
    if (address == addresses.end())
      return;
    contents.erase(address->second);
    addresses.erase(address);
  }

  std::map<std::string, uint64_t> addresses;

private:
  std::map<uint64_t, std::vector<char>> contents;
  uint64_t next = 0x7f0000000000;
};

/// What the lines of a script do.
class Script {
public:
  Script(KernelModule &module, uint64_t seed)
      : module(module), seed(seed), random(seed) {}

  void run(const std::string &line);
  size_t getNumLaunches() const { return numLaunches; }

private:
  void launch(std::istringstream &words);
  void fill(std::vector<char> &bytes);

  KernelModule &module;
  uint64_t seed;
  std::mt19937_64 random;
  NamedMemory memory;
  size_t numLaunches = 0;
};

} // namespace

/// Numbers of 32 bits that are of moderate size, as floats and as integers of
/// any width.
void Script::fill(std::vector<char> &bytes) {
  for (size_t i = 0; i < bytes.size(); i += 4) {
    float value = (random() % 2001) / 1000.0f - 1;
    std::memcpy(&bytes[i], &value, std::min<size_t>(4, bytes.size() - i));
  }
}

void Script::launch(std::istringstream &words) {
  Launch launch;
  std::string name, rest;
  words >> name;
  std::getline(words, rest);
  Kernel *kernel = module.find(name);
  if (!kernel)
    NamedMemory::fail("there is no kernel '" + name + "'");
  for (char &c : rest)
    c = std::strchr("<>(),", c) ? ' ' : c;
  std::istringstream values(rest);
  values >> launch.grid[0] >> launch.block[0];
  for (size_t bytes : kernel->getParameterSizes()) {
    std::string text;
    values >> text;
    bool isName = memory.addresses.count(text);
    uint64_t value = isName ? memory.addresses[text]
                            : std::strtoull(text.c_str(), nullptr, 0);
    std::vector<char> &all = launch.parameters;
    all.resize((all.size() + bytes - 1) / bytes * bytes + bytes);
    std::memcpy(all.data() + all.size() - bytes, &value, bytes);
  }
  launch.seed = seed + numLaunches++;
  kernel->run(launch, memory);
}

void Script::run(const std::string &line) {
  std::istringstream words(line);
  std::string what, name, to, path;
  size_t bytes = 0;
  words >> what;
  if (what == "launch")
    return launch(words);
  words >> name;
  if (what == "allocate" && words >> bytes) {
    std::vector<char> contents(bytes);
    fill(contents);
    memory.allocate(name, std::move(contents));
  } else if (what == "write") {
    fill(memory.at(name));
  } else if (what == "free") {
    memory.free(name);
  } else if (what == "copy" && words >> path >> to >> bytes) {
    const std::vector<char> &from = memory.at(name);
    std::vector<char> &target = memory.at(to);
    if (bytes > from.size() || bytes > target.size())
      NamedMemory::fail("'" + line + "' is outside of the memory");
    std::memcpy(target.data(), from.data(), bytes);
  } else if (what == "input" && words >> path) {
    std::ifstream file(path, std::ios::binary);
    memory.allocate(
        name, std::vector<char>(std::istreambuf_iterator<char>(file), {}));
  } else if (what == "output" && words >> path) {
    std::ofstream(path, std::ios::binary)
        .write(memory.at(name).data(), memory.at(name).size());
  }
}

static std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    NamedMemory::fail(path + ": cannot be read");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

static double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
      .count();
}

int main(int argc, char **argv) {
  int capability = 80;
  uint64_t seed = 0;
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--races")
      setRaceChecks(true);
    else if (argument.substr(0, 7) == "--seed=")
      seed = std::strtoull(argument.c_str() + 7, nullptr, 0);
    else if (argument.substr(0, 13) == "--capability=")
      capability = std::atoi(argument.c_str() + 13);
    else
      paths.push_back(argument);
  }
  if (paths.size() != 2)
    NamedMemory::fail("a module and a script are expected");
  auto begin = std::chrono::steady_clock::now();
  std::string error;
  auto module = loadPtx(readFile(paths[0]), capability, &error);
  if (!module)
    NamedMemory::fail(paths[0] + ": " + error);
  double loading = secondsSince(begin);
  begin = std::chrono::steady_clock::now();
  Script script(*module, seed);
  std::istringstream lines(readFile(paths[1]));
  for (std::string line; std::getline(lines, line);)
    script.run(line);
  double running = secondsSince(begin), count = getNumThreadInstructions();
  std::printf("%zu launches, %.3g thread-instructions, %.2f s to load, %.2f s "
              "to run, %.3g instructions per second\n",
              script.getNumLaunches(), count, loading, running,
              count / running);
  return 0;
}
