//===- RankPrograms.cpp - The functions that ranks run --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Analysis/RankPrograms.h"

using namespace mlir;
using namespace hetero;

ProgramAttr hetero::getProgram(func::FuncOp function) {
  return function->getAttrOfType<ProgramAttr>(
      HeteroDialect::getProgramAttrName());
}

SmallVector<func::FuncOp> hetero::getRankPrograms(ModuleOp module) {
  SmallVector<func::FuncOp> programs;
  for (auto function : module.getOps<func::FuncOp>())
    if (ProgramAttr program = getProgram(function);
        program && !program.getStage() && !function.isExternal())
      programs.push_back(function);
  return programs;
}

FailureOr<std::map<int64_t, func::FuncOp>>
hetero::readRankPrograms(ModuleOp module) {
  std::map<int64_t, func::FuncOp> programs;
  for (func::FuncOp function : getRankPrograms(module))
    for (int64_t rank : getProgram(function).getRanks()) {
      auto [it, isNew] = programs.try_emplace(rank, function);
      if (isNew)
        continue;
      return (function.emitOpError() << "is a second program of rank " << rank)
                 .attachNote(it->second.getLoc())
             << "the first is here";
    }
  if (programs.empty())
    return module.emitError("has no rank programs; run hetero-partition first");
  return programs;
}
