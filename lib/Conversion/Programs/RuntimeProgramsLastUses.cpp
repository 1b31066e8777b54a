//===- RuntimeProgramsLastUses.cpp - What no call needs afterwards --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Programs/RuntimePrograms.h"

using namespace mlir;
using namespace hetero;

void hetero::markLastUses(RuntimePrograms &result) {
  llvm::StringMap<SmallVector<bool>> lastUses;
  for (const runtime::Program &program : result.programs)
    for (auto [index, call] : llvm::enumerate(program.instructions)) {
      if (call.opcode != runtime::Opcode::Call)
        continue;
      ArrayRef<runtime::BufferId> freed;
      if (index + 1 < program.instructions.size() &&
          program.instructions[index + 1].opcode == runtime::Opcode::Free)
        freed = program.instructions[index + 1].operands;
      SmallVector<bool> &known = lastUses[program.kernels[call.kernel]];
      known.resize(call.operands.size(), true);
      for (auto [i, id] : llvm::enumerate(call.operands))
        known[i] = known[i] && llvm::is_contained(freed, id) &&
                   llvm::count(call.operands, id) == 1;
    }
  for (auto function : result.kernels->getOps<func::FuncOp>())
    for (auto [i, isLastUse] : llvm::enumerate(lastUses[function.getName()]))
      if (isLastUse)
        function.setArgAttr(i, kLastUseAttr,
                            UnitAttr::get(function.getContext()));
}
