//===- CudaPlaces.cpp - Which rank has which GPU --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaPlaces.h"
#include "hetero/Runtime/Program.h"
#include <algorithm>
#include <map>
#include <sstream>
#include <unistd.h>

using namespace hetero;
using namespace hetero::runtime;

static std::string str(int64_t value) { return std::to_string(value); }

//===----------------------------------------------------------------------===//
// Sights
//===----------------------------------------------------------------------===//

/// In lines: names of hosts and devices have spaces, but no ends of lines.
std::string CudaSight::write() const {
  std::ostringstream text;
  text << error << "\n" << host << "\n" << ncclVersion << "\n";
  for (const CudaDeviceInfo &device : devices)
    text << device.name << "\n"
         << device.uuid << "\n"
         << device.capability << "\n";
  return text.str();
}

CudaSight CudaSight::read(const std::string &text) {
  CudaSight sight;
  std::istringstream lines(text);
  std::string number;
  std::getline(lines, sight.error);
  std::getline(lines, sight.host);
  std::getline(lines, number);
  sight.ncclVersion = std::atoi(number.c_str());
  CudaDeviceInfo device;
  while (std::getline(lines, device.name) && std::getline(lines, device.uuid) &&
         std::getline(lines, number)) {
    device.capability = std::atoi(number.c_str());
    sight.devices.push_back(device);
  }
  return sight;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// NCCL speaks with its own version alone.
static MaybeError checkNccl(const std::vector<CudaSight> &sights) {
  auto describe = [&](size_t rank) {
    int version = sights[rank].ncclVersion;
    return "rank " + str(rank) + " on '" + sights[rank].host + "' has NCCL " +
           str(version / 10000) + "." + str(version % 10000 / 100) + "." +
           str(version % 100);
  };
  for (size_t rank = 1; rank < sights.size(); ++rank)
    if (sights[rank].ncclVersion != sights[0].ncclVersion)
      return describe(0) + ", and " + describe(rank) +
             ": all ranks need the same version, which HETERO_NCCL_LIBRARY or "
             "HETERO_CUDA_LIBRARY_PATH may name";
  return std::nullopt;
}

Result<std::vector<int>>
hetero::chooseCudaDevices(const std::vector<CudaSight> &sights) {
  for (size_t rank = 0; rank < sights.size(); ++rank)
    if (!sights[rank].error.empty())
      return Error{"rank " + str(rank) + ": " + sights[rank].error};
  if (MaybeError error = checkNccl(sights))
    return Error{*error};
  std::vector<int> chosen;
  std::map<std::string, size_t> owners;
  std::map<std::string, int> numOfHost;
  for (size_t rank = 0; rank < sights.size(); ++rank) {
    const CudaSight &sight = sights[rank];
    int count = sight.devices.size(), first = numOfHost[sight.host]++;
    auto isFree = [&](int index) {
      return !owners.count(sight.devices[index].uuid);
    };
    int offset = 0;
    while (offset < count && !isFree((first + offset) % count))
      ++offset;
    if (count == 0)
      return Error{"rank " + str(rank) + " on '" + sight.host +
                   "' sees no CUDA device"};
    const CudaDeviceInfo &device = sight.devices[(first + offset) % count];
    if (offset == count)
      return Error{
          "rank " + str(rank) + " and rank " + str(owners[device.uuid]) +
          " on '" + sight.host + "' have the same GPU, " + device.name + " (" +
          device.uuid +
          "): each rank needs one of its own, and the GPUs that rank " +
          str(rank) + " sees, " + str(count) + ", are all taken"};
    owners[device.uuid] = rank;
    chosen.push_back((first + offset) % count);
  }
  return chosen;
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

static std::string getHostName() {
  char name[256] = {};
  gethostname(name, sizeof(name) - 1);
  return name;
}

/// What all processes see.
static Result<std::vector<CudaSight>>
exchangeSights(Transport &transport, const CudaSight &own,
               const CommunicatorOptions &options) {
  Communicator meeting(transport, options);
  if (MaybeError error = meeting.open(Program()))
    return Error{*error};
  Result<std::vector<std::string>> texts =
      meeting.exchange("which rank has which GPU", own.write());
  if (!texts)
    return Error{texts.error()};
  std::vector<CudaSight> sights;
  for (const std::string &text : *texts)
    sights.push_back(CudaSight::read(text));
  return sights;
}

Result<CudaPlaces> hetero::findCudaPlaces(
    const std::vector<std::unique_ptr<Transport>> &transports,
    const CudaLibraries &libraries, const CommunicatorOptions &options) {
  Result<CudaMachine> machine = findCuda(libraries);
  Transport &transport = *transports.front();
  bool isWhole = int64_t(transports.size()) == transport.getNumRanks();
  CudaSight own;
  own.host = getHostName();
  if (machine && machine->ncclMissing && transport.getNumRanks() > 1) {
    own.error = *machine->ncclMissing;
  } else if (machine) {
    own.ncclVersion = machine->ncclVersion;
    own.devices = machine->devices;
  } else {
    own.error = machine.error();
  }
  // Of one line.
  std::replace(own.error.begin(), own.error.end(), '\n', ' ');
  std::vector<CudaSight> sights(transports.size(), own);
  if (!isWhole) {
    Result<std::vector<CudaSight>> all =
        exchangeSights(transport, own, options);
    if (!all)
      return Error{all.error()};
    sights = std::move(*all);
  }
  Result<std::vector<int>> chosen = chooseCudaDevices(sights);
  if (!chosen)
    return Error{chosen.error()};
  CudaPlaces places = {std::move(*machine), std::move(*chosen), {}};
  for (size_t rank = 0; rank < sights.size(); ++rank)
    places.capabilities.insert(
        sights[rank].devices[places.devices[rank]].capability);
  if (!isWhole)
    places.devices = {places.devices[transport.getRank()]};
  return places;
}
