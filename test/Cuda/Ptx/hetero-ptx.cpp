//===- hetero-ptx.cpp - What of PTX can be loaded -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   hetero-ptx [--translate] [--capability=80] file...
//
// Says for each file what cannot be loaded, each instruction once, and at the
// end how often it occurs in all of them. With --translate nothing is compiled.

#include "StandIn/Kernels.h"
#include "Translate.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

using namespace hetero::standin;

/// The problems of a file; each with its line.
static std::vector<std::string> check(const std::string &text, int capability,
                                      bool isTranslationOnly,
                                      std::map<std::string, size_t> &counts,
                                      std::map<std::string, size_t> &totals) {
  ptx::Module module;
  ptx::Problem problem;
  if (!ptx::parse(text, module, problem))
    return {std::to_string(problem.line) + ": " + problem.message};
  ptx::Translation translation = ptx::translate(module);
  std::vector<std::string> problems;
  std::set<std::string> seen;
  for (const ptx::Problem &each : translation.problems) {
    ++totals[each.message];
    if (seen.insert(each.message).second)
      problems.push_back(std::to_string(each.line) + ": " + each.message);
  }
  for (const auto &[mnemonic, count] : translation.mnemonics)
    counts[mnemonic] += count;
  if (!problems.empty() || isTranslationOnly)
    return problems;
  std::string error;
  if (!loadPtx(text, capability, &error))
    problems.push_back(error);
  return problems;
}

int main(int argc, char **argv) {
  bool isTranslationOnly = false;
  int capability = 80;
  size_t numProblems = 0, numFiles = 0;
  std::map<std::string, size_t> counts, totals;
  auto begin = std::chrono::steady_clock::now();
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--translate") {
      isTranslationOnly = true;
      continue;
    }
    if (argument.substr(0, 13) == "--capability=") {
      capability = std::atoi(argument.c_str() + 13);
      continue;
    }
    std::ifstream file(argument, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    ++numFiles;
    for (const std::string &problem :
         check(text.str(), capability, isTranslationOnly, counts, totals)) {
      ++numProblems;
      std::printf("%s:%s\n", argument.c_str(), problem.c_str());
    }
  }
  for (const auto &[message, count] : totals)
    std::printf("%8zu times %s\n", count, message.c_str());
  size_t numInstructions = 0;
  for (const auto &each : counts)
    numInstructions += each.second;
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::printf(
      "%zu files, %zu instructions of %zu kinds, %zu problems, %.1f s\n",
      numFiles, numInstructions, counts.size(), numProblems, took.count());
  return numProblems != 0;
}
