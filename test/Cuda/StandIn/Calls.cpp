//===- Calls.cpp - What every entry point does first ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Calls.h"
#include "Ending.h"

using namespace hetero::standin;

//===----------------------------------------------------------------------===//
// Counts and logs
//===----------------------------------------------------------------------===//

namespace {
struct Section {
  std::string name;
  std::map<std::string, int64_t> counts;
};

struct Records {
  FILE *log = nullptr;
  std::string counts;
  std::vector<Section> sections = {{"begin", {}}};
  std::map<std::string, int64_t> total;
};
} // namespace

static Records &getRecords() {
  static auto *records = new Records;
  return *records;
}

static void writeRecords() {
  Records &records = getRecords();
  if (records.log)
    std::fflush(records.log);
  if (records.counts.empty())
    return;
  FILE *file = std::fopen(records.counts.c_str(), "w");
  if (!file)
    return;
  for (const Section &section : records.sections) {
    std::fprintf(file, "[%s]\n", section.name.c_str());
    for (const auto &[name, count] : section.counts)
      std::fprintf(file, "%s %lld\n", name.c_str(),
                   static_cast<long long>(count));
  }
  std::fclose(file);
}

void hetero::standin::openLogs(const Settings &settings) {
  Records &records = getRecords();
  records.counts = settings.counts;
  if (!settings.log.empty()) {
    records.log = std::fopen(settings.log.c_str(), "w");
    if (!records.log)
      leaveProcess("HETERO_STANDIN: the log '" + settings.log +
                   "' cannot be written");
  }
  addFarewell(writeRecords);
}

void hetero::standin::writeLog(const std::string &line) {
  if (FILE *log = getRecords().log)
    std::fprintf(log, "%s\n", line.c_str());
}

void hetero::standin::mark(const std::string &name) {
  getRecords().sections.push_back({name, {}});
  writeLog("mark " + name);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

std::vector<Device *> &hetero::standin::getContexts() {
  static thread_local std::vector<Device *> contexts;
  return contexts;
}

static thread_local bool isInCallback = false;

CallbackScope::CallbackScope() { isInCallback = true; }
CallbackScope::~CallbackScope() { isInCallback = false; }

bool Patience::isOver(double seconds) {
  uint64_t now = Engine::get().getProgress() + communication::getProgress();
  auto time = std::chrono::steady_clock::now();
  if (isFirst || now != seen) {
    isFirst = false;
    seen = now;
    since = time;
  }
  return std::chrono::duration<double>(time - since).count() > seconds;
}

/// "cuMemAlloc" for "cuMemAlloc_v2".
static std::string withoutVersion(std::string name) {
  size_t underscore = name.rfind("_v");
  if (underscore != std::string::npos &&
      name.find_first_not_of("0123456789", underscore + 2) == std::string::npos)
    name.resize(underscore);
  return name;
}

Call::Call(const char *function, bool doesDrift)
    : engine(Engine::get()), name(withoutVersion(function)) {
  if (isInCallback)
    leaveProcess("a function of the host in a stream calls " + name +
                 ", which CUDA does not permit there");
  engine.mutex.lock();
  Records &records = getRecords();
  ++records.sections.back().counts[name];
  int64_t count = ++records.total[name];
  for (const Fault &fault : engine.settings.faults)
    if (fault.function == name && fault.call == count)
      fate = Fate::Fails;
  for (const Fault &endless : engine.settings.endless)
    if (endless.function == name && endless.call == count)
      fate = Fate::NeverEnds;
  if (!getContexts().empty())
    device = getContexts().back();
  if (device) {
    ++device->numCalls;
    for (const Loss &loss : engine.settings.losses)
      if (loss.device == device->number && loss.call <= device->numCalls)
        device->isLost = true;
    if (device->isLost)
      fate = Fate::DeviceIsLost;
  }
  if (hasFailed())
    engine.log("fail " + name);
  if (doesDrift)
    engine.drift();
}

Call::~Call() { engine.mutex.unlock(); }

CUresult DriverCall::checkDevice() const {
  return device ? CUresult(device->sickness) : CUDA_SUCCESS;
}

CUresult DriverCall::check(bool needsContext) const {
  if (fate == Fate::DeviceIsLost)
    return CUDA_ERROR_DEVICE_UNAVAILABLE;
  // What a kernel has done is said by every call that comes after it.
  if (CUresult error = checkDevice(); error && needsContext)
    return error;
  if (fate == Fate::Fails)
    return name.rfind("cuMemAlloc", 0) == 0 || name == "cuMemHostAlloc"
               ? CUDA_ERROR_OUT_OF_MEMORY
               : CUDA_ERROR_UNKNOWN;
  if (!engine.isInitialized && name != "cuInit")
    return CUDA_ERROR_NOT_INITIALIZED;
  if (needsContext && !device)
    return CUDA_ERROR_INVALID_CONTEXT;
  return CUDA_SUCCESS;
}
