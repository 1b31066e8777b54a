//===- Compile.cpp - Calls the C compiler ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Compile.h"
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

namespace hetero::standin::ptx {

static std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

static std::string compilerPath() {
  const char *path = std::getenv("HETERO_PTX_COMPILER");
  return path && *path ? path : HETERO_PTX_COMPILER;
}

static std::vector<std::string> compilerOptions() {
  std::vector<std::string> options = {"-x",
                                      "c",
                                      "-std=gnu17",
                                      "-O1",
                                      "-w",
                                      "-fPIC",
                                      "-shared",
                                      "-ffp-contract=off",
                                      "-fwrapv",
                                      "-fno-math-errno",
                                      "-fno-strict-aliasing",
                                      "-I",
                                      HETERO_PTX_HEADERS,
                                      "-I",
                                      HETERO_HOST_IMAGE_HEADERS};
#ifdef __x86_64__
  // Without them fma is a call of the library.
  if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
    options.insert(options.end(), {"-mfma", "-mavx2", "-mpopcnt", "-mlzcnt"});
  else
    options.push_back("-msse4.1");
#endif
  return options;
}

/// Changes when the tool does.
static std::string describeTool(const std::string &path) {
  struct stat status;
  if (stat(path.c_str(), &status))
    return path;
  return path + ':' + std::to_string(status.st_size) + '.' +
         std::to_string(status.st_mtime);
}

/// 128 bits of all that the result depends on, as digits.
static std::string digest(const std::string &code, const std::string &ir) {
  std::string all = code + '\0' + describeTool(compilerPath());
  if (!ir.empty())
    all += ir + '\0' + describeTool(HETERO_HOST_IMAGE) +
           readFile(HETERO_HOST_IMAGE_HEADERS "/HostOperations.h");
  for (const std::string &option : compilerOptions())
    all += '\0' + option;
  for (const char *header :
       {"PtxThread.h", "PtxOperations.h", "PtxFloats.h", "PtxMemory.h"})
    all += '\0' + readFile(std::string(HETERO_PTX_HEADERS "/") + header);
  // FNV-1a, twice, from different beginnings.
  uint64_t hashes[2] = {0xcbf29ce484222325, 0x84222325cbf29ce4};
  for (unsigned char byte : all)
    for (int i = 0; i < 2; ++i)
      hashes[i] =
          ((hashes[i] ^ byte) * 0x100000001b3) ^ (i ? hashes[0] >> 32 : 0);
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016llx%016llx",
                static_cast<unsigned long long>(hashes[0]),
                static_cast<unsigned long long>(hashes[1]));
  return digits;
}

/// Empty if the directory can be used: it is ours, and nobody else writes to
/// it.
static std::string checkDirectory(const std::string &path) {
  if (mkdir(path.c_str(), 0700) && errno != EEXIST)
    return path + ": " + std::strerror(errno);
  struct stat status;
  if (lstat(path.c_str(), &status))
    return path + ": " + std::strerror(errno);
  if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() ||
      (status.st_mode & 077))
    return path + ": it is not a directory that only its owner can use";
  return "";
}

/// False, with what it wrote to `log`, if the command fails.
static bool runCommand(std::vector<std::string> words, const std::string &log,
                       std::string &error) {
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 2, log.c_str(),
                                   O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child;
  int failure = posix_spawnp(&child, arguments[0], &actions, nullptr,
                             arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failure) {
    error = words[0] + ": " + std::strerror(failure);
    return false;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return true;
  error = words[0] + " refuses what was made of the text:\n" +
          readFile(log).substr(0, 2000);
  return false;
}

/// Makes module.so of module.c and, where there is one, module.ll.
static bool runCompiler(const std::string &directory, bool hasIr,
                        std::string &error) {
  std::string base = directory + "/module", log = directory + "/log";
  if (hasIr &&
      !runCommand({HETERO_HOST_IMAGE, base + ".ll", base + ".o"}, log, error))
    return false;
  std::vector<std::string> words = {compilerPath()};
  for (const std::string &option : compilerOptions())
    words.push_back(option);
  words.insert(words.end(), {"-o", base + ".so", base + ".c"});
  if (hasIr)
    words.insert(words.end(), {"-x", "none", base + ".o", "-Wl,-z,defs"});
  words.push_back("-lm");
  return runCommand(std::move(words), log, error);
}

Library::~Library() {
  if (handle)
    dlclose(handle);
}

bool Library::open(const std::string &path, std::string &error) {
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    error = dlerror();
  return handle;
}

void *Library::find(const std::string &symbol) const {
  return dlsym(handle, symbol.c_str());
}

/// The directory and the files that compile() writes.
static void removeFiles(const std::string &directory) {
  for (const char *name :
       {"/module.c", "/module.ll", "/module.o", "/module.so", "/log"})
    unlink((directory + name).c_str());
  rmdir(directory.c_str());
}

bool Library::compile(const std::string &code, std::string &error,
                      const std::string &ir) {
  const char *cache = std::getenv("HETERO_PTX_CACHE");
  std::string kept;
  if (cache && *cache) {
    error = checkDirectory(cache);
    if (!error.empty())
      return false;
    kept = std::string(cache) + "/" + digest(code, ir) + ".so";
    if (!access(kept.c_str(), R_OK))
      return open(kept, error);
  }
  // Within the cache, so that the result can be renamed.
  std::error_code none;
  std::string base = kept.empty()
                         ? std::filesystem::temp_directory_path(none).string()
                         : cache;
  std::string directory = base + "/hetero-ptx-XXXXXX";
  if (!mkdtemp(directory.data())) {
    error = directory + ": " + std::strerror(errno);
    return false;
  }
  std::ofstream(directory + "/module.c") << code;
  if (!ir.empty())
    std::ofstream(directory + "/module.ll") << ir;
  std::string result = directory + "/module.so";
  bool done = runCompiler(directory, !ir.empty(), error);
  if (done && !kept.empty() && !rename(result.c_str(), kept.c_str()))
    result = kept;
  done = done && open(result, error);
  removeFiles(directory);
  return done;
}

} // namespace hetero::standin::ptx
