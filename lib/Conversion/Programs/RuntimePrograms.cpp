//===- RuntimePrograms.cpp - Rank programs for the runtime ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Conversion/Programs/RuntimePrograms.h"
#include "ProgramBuilder.h"
#include <map>

using namespace mlir;
using namespace hetero;

std::optional<runtime::TensorType> hetero::getRuntimeType(Type type) {
  using runtime::ElementType;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  Type element = tensor.getElementType();
  runtime::TensorType result;
  result.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  auto set = [&](ElementType kind) {
    result.element = kind;
    return result;
  };
  if (auto integer = dyn_cast<IntegerType>(element)) {
    bool isUnsigned = integer.isUnsigned();
    switch (integer.getWidth()) {
    case 1:
      return set(ElementType::Bool);
    case 8:
      return set(isUnsigned ? ElementType::U8 : ElementType::I8);
    case 16:
      return set(isUnsigned ? ElementType::U16 : ElementType::I16);
    case 32:
      return set(isUnsigned ? ElementType::U32 : ElementType::I32);
    case 64:
      return set(isUnsigned ? ElementType::U64 : ElementType::I64);
    default:
      return std::nullopt;
    }
  }
  if (element.isF16())
    return set(ElementType::F16);
  if (element.isBF16())
    return set(ElementType::BF16);
  if (element.isF32())
    return set(ElementType::F32);
  if (element.isF64())
    return set(ElementType::F64);
  if (auto complex = dyn_cast<ComplexType>(element)) {
    if (complex.getElementType().isF32())
      return set(ElementType::C64);
    if (complex.getElementType().isF64())
      return set(ElementType::C128);
  }
  return std::nullopt;
}

/// The program of each rank; only programs of one rank can be executed.
static FailureOr<std::map<int64_t, func::FuncOp>>
findRankPrograms(ModuleOp module) {
  FailureOr<std::map<int64_t, func::FuncOp>> programs =
      readRankPrograms(module);
  if (failed(programs))
    return failure();
  for (auto [rank, function] : *programs)
    if (size_t count = getProgram(function).getRanks().size(); count != 1)
      return function.emitError("is run by ")
             << count << " ranks; only 1 can be executed yet";
  return programs;
}

FailureOr<RuntimePrograms>
hetero::convertToRuntimePrograms(ModuleOp module, int64_t numRanks,
                                 std::optional<int64_t> only) {
  FailureOr<std::map<int64_t, func::FuncOp>> ranks = findRankPrograms(module);
  if (failed(ranks))
    return failure();
  numRanks = std::max(numRanks, ranks->rbegin()->first + 1);
  RuntimePrograms result;
  result.kernels = ModuleOp::create(module.getLoc());
  KernelTable kernels(*result.kernels, module);
  result.programs.resize(numRanks);
  for (int64_t rank = 0; rank < numRanks; ++rank)
    result.programs[rank].rank = rank;
  for (auto &[rank, function] : *ranks) {
    if (only && *only != rank)
      continue;
    FailureOr<runtime::Program> program =
        ProgramBuilder(function, kernels).build();
    if (failed(program))
      return failure();
    result.programs[rank] = std::move(*program);
  }
  return std::move(result);
}
