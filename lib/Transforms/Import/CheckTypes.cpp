//===- CheckTypes.cpp - Rejects what cannot be planned --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Stablehlo.h"
#include "hetero/Transforms/Import/Passes.h"
#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace hetero {
#define GEN_PASS_DEF_CHECKTYPESPASS
#include "hetero/Transforms/Import/Passes.h.inc"
} // namespace hetero

using namespace mlir;
using namespace hetero;

namespace {
enum class Problem { None, Quantized, Bounded, Dynamic, Encoded, TooLarge };

struct CheckTypesPass
    : public hetero::impl::CheckTypesPassBase<CheckTypesPass> {
  void runOnOperation() override;
};
} // namespace

/// Whether 64 bits can hold the product of the sizes.
static bool isCountable(ArrayRef<int64_t> shape) {
  if (llvm::is_contained(shape, 0))
    return true;
  std::optional<int64_t> count = 1;
  for (int64_t size : shape)
    if (count)
      count = llvm::checkedMul(*count, size);
  return count.has_value();
}

static Problem classify(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type member : tuple.getTypes())
      if (Problem problem = classify(member); problem != Problem::None)
        return problem;
    return Problem::None;
  }
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return Problem::None;
  if (isa<quant::QuantizedType>(shaped.getElementType()))
    return Problem::Quantized;
  if (!shaped.hasRank())
    return Problem::Dynamic;
  auto tensor = dyn_cast<RankedTensorType>(type);
  Attribute encoding = tensor ? tensor.getEncoding() : Attribute();
  bool mayBeBounded = isa_and_nonnull<stablehlo::TypeExtensionsAttr>(encoding);
  if (!shaped.hasStaticShape())
    return mayBeBounded ? Problem::Bounded : Problem::Dynamic;
  if (encoding && !mayBeBounded)
    return Problem::Encoded;
  return isCountable(shaped.getShape()) ? Problem::None : Problem::TooLarge;
}

/// The first type with a problem among those that the op defines or carries.
static std::pair<Problem, Type> findProblem(Operation *op) {
  auto check = [](auto types) -> std::pair<Problem, Type> {
    for (Type type : types)
      if (Problem problem = classify(type); problem != Problem::None)
        return {problem, type};
    return {Problem::None, Type()};
  };
  if (auto result = check(op->getResultTypes()); result.second)
    return result;
  if (auto result = check(op->getOperandTypes()); result.second)
    return result;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (auto result = check(block.getArgumentTypes()); result.second)
        return result;
  return {Problem::None, Type()};
}

static void report(Operation *op, Problem problem, Type type) {
  // Before the type and behind it, in the order of problems.
  static constexpr std::pair<StringLiteral, StringLiteral> texts[] = {
      {"", ""},
      {"has quantized elements, ",
       ", which cannot be trained; dequantize them before exporting the step"},
      {"has a bounded dynamic shape, ",
       ", and a plan needs static ones; pad to the bound before exporting the "
       "step"},
      {"has a dynamic shape, ",
       ", and a plan needs static ones; export the step with concrete shapes"},
      {"has a tensor with an encoding, ", ", and a plan needs dense ones"},
      {"has more elements than 64 bits can count, ", ""}};
  auto [before, behind] = texts[int(problem)];
  op->emitOpError() << before << type << behind;
}

void CheckTypesPass::runOnOperation() {
  SmallVector<Problem> reported;
  getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
    ++numOps;
    auto [problem, type] = findProblem(op);
    if (problem == Problem::None || llvm::is_contained(reported, problem))
      return;
    reported.push_back(problem);
    report(op, problem, type);
  });
  if (!reported.empty())
    return signalPassFailure();
  markAllAnalysesPreserved();
}
