//===- Architectures.cpp - CUDA devices that code can be for --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Cuda/Architectures.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

using namespace hetero;
using llvm::SmallString;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Architectures
//===----------------------------------------------------------------------===//

/// LLVM ends the process at a version of PTX that does not know the
/// architecture, and a driver refuses one that is newer than itself. Drivers of
/// CUDA 12.0, the oldest that is used, read 8.0; later versions are those that
/// brought the architecture, which any driver reads that runs the device. 6.3
/// is the first with all that the kernels use (shfl.sync, bar.sync of 64-bit
/// code), and enough for devices that CUDA 13 has dropped.
static constexpr CudaArchitecture architectures[] = {
    {"sm_60", "+ptx63"},  {"sm_61", "+ptx63"},   {"sm_62", "+ptx63"},
    {"sm_70", "+ptx63"},  {"sm_72", "+ptx63"},   {"sm_75", "+ptx80"},
    {"sm_80", "+ptx80"},  {"sm_86", "+ptx80"},   {"sm_87", "+ptx80"},
    {"sm_88", "+ptx90"},  {"sm_89", "+ptx80"},   {"sm_90", "+ptx80"},
    {"sm_90a", "+ptx80"}, {"sm_100", "+ptx86"},  {"sm_100a", "+ptx86"},
    {"sm_101", "+ptx86"}, {"sm_103", "+ptx88"},  {"sm_110", "+ptx90"},
    {"sm_120", "+ptx87"}, {"sm_120a", "+ptx87"}, {"sm_121", "+ptx88"},
};

int CudaArchitecture::getCapability() const {
  int number = 0;
  StringRef rest = name.drop_front(StringRef("sm_").size());
  rest.consumeInteger(10, number);
  return number;
}

bool CudaArchitecture::isPortable() const { return name.back() != 'a'; }

llvm::ArrayRef<CudaArchitecture> hetero::getCudaArchitectures() {
  return architectures;
}

const CudaArchitecture *hetero::findCudaArchitecture(StringRef name) {
  const auto *found = llvm::find_if(
      architectures, [&](const CudaArchitecture &a) { return a.name == name; });
  return found == std::end(architectures) ? nullptr : found;
}

const CudaArchitecture *hetero::chooseCudaArchitecture(int capability) {
  const CudaArchitecture *best = nullptr;
  for (const CudaArchitecture &architecture : architectures)
    if (architecture.isPortable() && architecture.getCapability() <= capability)
      best = &architecture;
  return best;
}

//===----------------------------------------------------------------------===//
// The toolkit
//===----------------------------------------------------------------------===//

static bool hasLibdevice(StringRef toolkit) {
  SmallString<128> path(toolkit);
  llvm::sys::path::append(path, "nvvm", "libdevice", "libdevice.10.bc");
  return llvm::sys::fs::exists(path);
}

std::string hetero::findCudaToolkit(StringRef given) {
  llvm::SmallVector<std::string> places;
  if (!given.empty())
    places.push_back(given.str());
  for (StringRef variable : {"CUDA_ROOT", "CUDA_HOME", "CUDA_PATH"})
    if (auto value = llvm::sys::Process::GetEnv(variable))
      places.push_back(*value);
  if (auto ptxas = llvm::sys::findProgramByName("ptxas"))
    places.push_back(
        llvm::sys::path::parent_path(llvm::sys::path::parent_path(*ptxas))
            .str());
  places.push_back("/usr/local/cuda");
  for (const std::string &place : places)
    if (!place.empty() && hasLibdevice(place))
      return place;
  return "";
}

std::string hetero::findPtxas(StringRef toolkit) {
  SmallString<128> path(toolkit);
  llvm::sys::path::append(path, "bin", "ptxas");
  if (!toolkit.empty() && llvm::sys::fs::can_execute(path))
    return std::string(path);
  auto found = llvm::sys::findProgramByName("ptxas");
  return found ? *found : "";
}

std::set<std::string> hetero::askPtxas(const std::string &ptxas) {
  SmallString<128> output;
  if (llvm::sys::fs::createTemporaryFile("hetero-ptxas", "txt", output))
    return {};
  StringRef arguments[] = {ptxas, "--help"};
  std::optional<StringRef> redirects[] = {StringRef(), output.str(),
                                          StringRef()};
  // It answers within milliseconds; a minute is for busy machines.
  llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt, redirects,
                            /*SecondsToWait=*/60);
  std::set<std::string> names;
  // Names are in quotes, among the values of --gpu-name.
  if (auto text = llvm::MemoryBuffer::getFile(output)) {
    llvm::SmallVector<StringRef> words;
    (*text)->getBuffer().split(words, '\'');
    for (StringRef word : words)
      if (word.starts_with("sm_"))
        names.insert(word.str());
  }
  llvm::sys::fs::remove(output);
  return names;
}
