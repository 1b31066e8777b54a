//===- Settings.cpp - What HETERO_STANDIN says ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Settings.h"
#include "Ending.h"
#include <algorithm>
#include <cstdlib>
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

using namespace hetero::standin;

static std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= text.size()) {
    size_t last = text.find(separator, begin);
    if (last == std::string::npos)
      last = text.size();
    if (last > begin)
      parts.push_back(text.substr(begin, last - begin));
    begin = last + 1;
  }
  return parts;
}

[[noreturn]] static void refuse(const std::string &what) {
  leaveProcess("HETERO_STANDIN: " + what);
}

static uint64_t parseNumber(const std::string &text, const std::string &what) {
  char *rest = nullptr;
  uint64_t value = std::strtoull(text.c_str(), &rest, 10);
  if (text.empty() || *rest || text[0] == '-')
    refuse("'" + text + "' is not a number for '" + what + "'");
  return value;
}

static uint64_t parseBytes(const std::string &text) {
  size_t digits = text.find_first_not_of("0123456789");
  std::string unit = digits == std::string::npos ? "" : text.substr(digits);
  uint64_t value = parseNumber(text.substr(0, digits), "devices");
  if (unit == "KiB")
    return value << 10;
  if (unit == "MiB")
    return value << 20;
  if (unit == "GiB")
    return value << 30;
  refuse("'" + text + "' is not a size of memory; units are KiB, MiB and GiB");
}

static std::vector<DeviceKind> parseDevices(const std::string &text) {
  std::vector<DeviceKind> devices;
  for (const std::string &entry : split(text, ',')) {
    size_t colon = entry.find(':');
    if (entry.rfind("sm_", 0) != 0 || colon == std::string::npos)
      refuse("'" + entry + "' is not a device; one is written as sm_80:16GiB");
    DeviceKind kind;
    kind.capability = parseNumber(entry.substr(3, colon - 3), "devices");
    kind.bytes = parseBytes(entry.substr(colon + 1));
    kind.physical = devices.size();
    devices.push_back(kind);
  }
  return devices;
}

/// "what@number".
static std::pair<std::string, uint64_t> parseAt(const std::string &text,
                                                const std::string &key) {
  size_t at = text.find('@');
  if (at == std::string::npos)
    refuse("'" + key + "=" + text + "' does not say which call; write '" + key +
           "=" + text + "@1'");
  return {text.substr(0, at), parseNumber(text.substr(at + 1), key)};
}

/// Whether this library has the entry point.
static bool isEntryPoint(const std::string &name) {
  Dl_info own;
  if (!dladdr(reinterpret_cast<void *>(&isEntryPoint), &own))
    return true;
  void *library = dlopen(own.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  for (const char *suffix : {"", "_v2", "_v3", "_v4"})
    if (library && dlsym(library, (name + suffix).c_str()))
      return true;
  return !library;
}

static std::vector<Fault> parseFaults(const std::string &value,
                                      const std::string &key) {
  std::vector<Fault> faults;
  for (const std::string &entry : split(value, ',')) {
    auto [name, call] = parseAt(entry, key);
    if (!isEntryPoint(name))
      refuse("there is no entry point '" + name + "' to " + key);
    faults.push_back({name, static_cast<int64_t>(call)});
  }
  return faults;
}

/// What goes on after its call, so that it may never end.
static std::vector<Fault> parseEndless(const std::string &value) {
  const char *const known[] = {
      "ncclSend",         "ncclRecv",          "ncclBroadcast",
      "ncclAllReduce",    "ncclReduce",        "ncclAllGather",
      "ncclGroupEnd",     "ncclReduceScatter", "ncclCommInitRankConfig",
      "ncclCommInitRank", "ncclCommFinalize"};
  std::vector<Fault> faults = parseFaults(value, "never");
  for (const Fault &fault : faults)
    if (std::find(std::begin(known), std::end(known), fault.function) ==
        std::end(known))
      refuse("'" + fault.function + "' has ended when it returns");
  return faults;
}

static void parseLosses(const std::string &value, Settings &settings) {
  for (const std::string &entry : split(value, ',')) {
    auto [device, call] = parseAt(entry, "lose");
    settings.losses.push_back({static_cast<int>(parseNumber(device, "lose")),
                               static_cast<int64_t>(call)});
  }
}

static std::string parsePath(std::string value) {
  size_t at = value.find("%p");
  if (at != std::string::npos)
    value.replace(at, 2, std::to_string(getpid()));
  return value;
}

Order hetero::standin::parseOrder(const std::string &value) {
  if (value == "lazy")
    return Order::Lazy;
  if (value == "eager")
    return Order::Eager;
  if (value == "random")
    return Order::Random;
  refuse("there is no order '" + value +
         "'; known are 'lazy', 'eager' and 'random'");
}

/// 12040 for "12.4", as the driver says it.
static int parseVersion(const std::string &text, const std::string &key) {
  size_t point = text.find('.');
  if (point == std::string::npos)
    refuse("'" + text + "' is not a version for '" + key +
           "'; one is written as 12.4");
  return 1000 * parseNumber(text.substr(0, point), key) +
         10 * parseNumber(text.substr(point + 1), key);
}

/// The newest libraries that the driver runs and that run on all devices: CUDA
/// 13 has no code for devices before sm_75.
static int chooseLibraries(const Settings &settings) {
  bool hasOld =
      std::any_of(settings.devices.begin(), settings.devices.end(),
                  [](const DeviceKind &kind) { return kind.capability < 75; });
  return hasOld ? 12 : std::min(CUDA_VERSION, settings.driver) / 1000;
}

static void parse(const std::string &key, const std::string &value,
                  Settings &settings) {
  if (key == "devices")
    settings.devices = parseDevices(value);
  else if (key == "driver")
    settings.driver = parseVersion(value, key);
  else if (key == "nccl-version")
    settings.ncclVersion = 10 * parseVersion(value, key);
  else if (key == "libraries")
    settings.libraries = parseNumber(value, key);
  else if (key == "seed")
    settings.seed = parseNumber(value, key);
  else if (key == "order")
    settings.order = parseOrder(value);
  else if (key == "channels")
    settings.channels = parseNumber(value, key);
  else if (key == "patience")
    settings.patience = parseNumber(value, key);
  else if (key == "fail")
    settings.faults = parseFaults(value, key);
  else if (key == "never")
    settings.endless = parseEndless(value);
  else if (key == "fault")
    settings.faultyKernel = parseNumber(value, key);
  else if (key == "leaks" && value == "refuse")
    settings.refusesLeaks = true;
  else if (key == "leaks")
    refuse("there is no way '" + value + "' with leaks; known is 'refuse'");
  else if (key == "lose")
    parseLosses(value, settings);
  else if (key == "nccl" && value == "hang")
    settings.doesNcclHang = true;
  else if (key == "nccl")
    refuse("there is no behaviour '" + value + "' of NCCL; known is 'hang'");
  else if (key == "watch" && (value == "on" || value == "off"))
    settings.isWatching = value == "on";
  else if (key == "watch")
    refuse("'watch' is 'on' or 'off', not '" + value + "'");
  else if (key == "damage" && !parseDamage(value, settings.damage))
    refuse("there is no damage '" + value + "'; known are " + listDamages() +
           ", with '@' and a device and ':' and which call");
  else if (key == "damage")
    return;
  else if (key == "job")
    settings.job = value;
  else if (key == "log")
    settings.log = parsePath(value);
  else if (key == "counts")
    settings.counts = parsePath(value);
  else if (key == "report")
    settings.report = parsePath(value);
  else
    refuse("'" + key +
           "' is not known; known are 'devices', 'driver', 'libraries', "
           "'nccl-version', 'seed', 'order', 'channels', 'watch', 'damage', "
           "'patience', 'fail', "
           "'never', 'lose', 'fault', 'leaks', 'nccl', 'job', 'log', 'counts' "
           "and 'report'");
}

/// CUDA takes the devices up to the first entry that is none.
static void chooseVisible(Settings &settings) {
  const char *text = std::getenv("CUDA_VISIBLE_DEVICES");
  if (!text)
    return;
  std::vector<DeviceKind> visible;
  for (const std::string &entry : split(text, ',')) {
    char *rest = nullptr;
    long index = std::strtol(entry.c_str(), &rest, 10);
    if (*rest || index < 0 || index >= long(settings.devices.size()))
      break;
    visible.push_back(settings.devices[index]);
  }
  settings.devices = visible;
}

Settings Settings::fromEnvironment() {
  Settings settings;
  const char *text = std::getenv("HETERO_STANDIN");
  for (const std::string &entry : split(text ? text : "", ';')) {
    size_t equals = entry.find('=');
    if (equals == std::string::npos)
      refuse("'" + entry + "' has no value; write '" + entry + "=...'");
    parse(entry.substr(0, equals), entry.substr(equals + 1), settings);
  }
  if (settings.devices.empty())
    settings.devices.emplace_back();
  if (settings.channels < 1)
    refuse("a device has at least one channel");
  chooseVisible(settings);
  if (settings.driver == 0)
    settings.driver = CUDA_VERSION;
  if (settings.libraries == 0)
    settings.libraries = chooseLibraries(settings);
  return settings;
}
