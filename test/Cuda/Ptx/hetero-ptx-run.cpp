//===- hetero-ptx-run.cpp - Launches kernels of one module ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   hetero-ptx-run [--races] [--seed=N] [--capability=80] [--against=module.ll]
//                  [--approximate=loop_3,...] module.ptx script
//
// The module may be LLVM IR as well (hetero-serialize-kernels{format=llvm}).
// With --against each launch is carried out by the kernel of that name in the
// other module, too, on a copy of the memory; what both wrote has to have the
// same bits, NaNs apart, or, behind kernels that are approximate, to differ as
// numbers of 32 bits by a few roundings of the largest there.
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
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <set>
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
  std::map<uint64_t, std::vector<char>> contents;

private:
  uint64_t next = 0x7f0000000000;
};

/// What the lines of a script do.
class Script {
public:
  Script(KernelModule &module, KernelModule *other,
         std::set<std::string> approximate, uint64_t seed)
      : module(module), other(other), approximate(std::move(approximate)),
        seed(seed), random(seed) {}

  void run(const std::string &line);
  size_t getNumLaunches() const { return numLaunches; }
  size_t getNumDifferent() const { return numDifferent; }

private:
  void launch(std::istringstream &words);
  void fill(std::vector<char> &bytes);
  void compare(const std::string &kernel, const NamedMemory &found);

  KernelModule &module;
  KernelModule *other;
  std::set<std::string> approximate;
  uint64_t seed;
  std::mt19937_64 random;
  NamedMemory memory;
  size_t numLaunches = 0, numDifferent = 0;
};

} // namespace

/// Whether it is no number in the format with so many bits behind the sign and
/// the exponent.
static bool isNan(uint64_t bits, int exponent, int mantissa) {
  uint64_t most = ((uint64_t(1) << exponent) - 1) << mantissa;
  return (bits & ((uint64_t(1) << (exponent + mantissa)) - 1)) > most;
}

/// Whether words at a place are both NaNs of a type that they may have.
static bool areNans(const char *a, const char *b, size_t bytes) {
  uint64_t x = 0, y = 0;
  std::memcpy(&x, a, bytes);
  std::memcpy(&y, b, bytes);
  auto both = [&](int exponent, int mantissa) {
    return isNan(x, exponent, mantissa) && isNan(y, exponent, mantissa);
  };
  return bytes == 8   ? both(11, 52)
         : bytes == 4 ? both(8, 23)
                      : both(8, 7) || both(5, 10);
}

static bool areSame(const std::vector<char> &a, const std::vector<char> &b,
                    size_t at) {
  if (a[at] == b[at])
    return true;
  for (size_t bytes : {2, 4, 8}) {
    size_t begin = at / bytes * bytes;
    if (begin + bytes <= a.size() && areNans(&a[begin], &b[begin], bytes))
      return true;
  }
  return false;
}

/// The largest difference as numbers of 32 bits, of the largest of them.
static float difference(const std::vector<char> &a,
                        const std::vector<char> &b) {
  float most = 0, largest = 0;
  for (size_t i = 0; i + 4 <= a.size(); i += 4) {
    float x = 0, y = 0;
    std::memcpy(&x, &a[i], 4);
    std::memcpy(&y, &b[i], 4);
    if (std::isfinite(x) && std::isfinite(y))
      most = std::max(most, std::fabs(x - y));
    largest = std::max(largest, std::isfinite(x) ? std::fabs(x) : 0);
  }
  return largest ? most / largest : 0;
}

/// Says where the other module left something else.
void Script::compare(const std::string &kernel, const NamedMemory &found) {
  for (const auto &[name, address] : memory.addresses) {
    const std::vector<char> &expected = memory.contents.at(address);
    const std::vector<char> &actual = found.contents.at(address);
    size_t count = 0, first = 0;
    for (size_t i = 0; i < expected.size(); ++i)
      if (!areSame(expected, actual, i) && !count++)
        first = i;
    // A rounding is 6e-8, and there may be sums of such numbers.
    float allowed = approximate.count(kernel) ? 2e-6 : 0;
    float relative = count ? difference(expected, actual) : 0;
    if (!count || (relative > 0 && relative <= allowed))
      continue;
    ++numDifferent;
    std::printf("%s: %s differs in %zu of %zu bytes, first at %zu, by %.2g\n",
                kernel.c_str(), name.c_str(), count, expected.size(), first,
                relative);
  }
}

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
  if (!other)
    return kernel->run(launch, memory);
  Kernel *twin = other->find(name);
  if (!twin || twin->getParameterSizes() != kernel->getParameterSizes())
    NamedMemory::fail("the other module has no kernel '" + name +
                      "' with these parameters");
  NamedMemory copy = memory;
  kernel->run(launch, memory);
  twin->run(launch, copy);
  compare(name, copy);
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

/// The words between commas.
static std::set<std::string> split(const std::string &list) {
  std::set<std::string> words;
  std::istringstream rest(list);
  for (std::string word; std::getline(rest, word, ',');)
    words.insert(word);
  return words;
}

int main(int argc, char **argv) {
  int capability = 80;
  uint64_t seed = 0;
  std::vector<std::string> paths;
  std::string against;
  std::set<std::string> approximate;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--races")
      setRaceChecks(true);
    else if (argument.substr(0, 7) == "--seed=")
      seed = std::strtoull(argument.c_str() + 7, nullptr, 0);
    else if (argument.substr(0, 13) == "--capability=")
      capability = std::atoi(argument.c_str() + 13);
    else if (argument.substr(0, 10) == "--against=")
      against = argument.substr(10);
    else if (argument.substr(0, 14) == "--approximate=")
      approximate = split(argument.substr(14));
    else
      paths.push_back(argument);
  }
  if (paths.size() != 2)
    NamedMemory::fail("a module and a script are expected");
  auto begin = std::chrono::steady_clock::now();
  std::string error;
  auto load = [&](const std::string &path) {
    std::unique_ptr<KernelModule> loaded =
        loadPtx(readFile(path), capability, &error);
    if (!loaded)
      NamedMemory::fail(path + ": " + error);
    return loaded;
  };
  std::unique_ptr<KernelModule> module = load(paths[0]), other;
  if (!against.empty())
    other = load(against);
  double loading = secondsSince(begin);
  begin = std::chrono::steady_clock::now();
  Script script(*module, other.get(), approximate, seed);
  std::istringstream lines(readFile(paths[1]));
  for (std::string line; std::getline(lines, line);)
    script.run(line);
  double running = secondsSince(begin), count = getNumThreadInstructions();
  std::printf("%zu launches, %.3g thread-instructions, %.2f s to load, %.2f s "
              "to run, %.3g instructions per second\n",
              script.getNumLaunches(), count, loading, running,
              count / running);
  return script.getNumDifferent() != 0;
}
