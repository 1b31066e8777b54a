//===- HeteroRoles.cpp - The part that a value plays in a step ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Verifiers.h"
#include "hetero/Dialect/Hetero/HeteroAttrs.h"
#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include <map>

using namespace mlir;
using namespace hetero;

bool RoleAttr::isArgumentRole() const {
  return getKind() <= RoleKind::HyperParameter;
}

bool RoleAttr::isState() const {
  switch (getKind()) {
  case RoleKind::Parameter:
  case RoleKind::OptimizerState:
  case RoleKind::ModelState:
  case RoleKind::Rng:
    return true;
  default:
    return false;
  }
}

LogicalResult RoleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               RoleKind kind, std::optional<int64_t> argument) {
  if (kind == RoleKind::UpdatedState && !argument)
    return emitError() << "role_c1: 'updated_state' must name the argument "
                          "that it updates, as in 'updated_state of 3'";
  if (!argument)
    return success();
  if (kind != RoleKind::UpdatedState && kind != RoleKind::Gradient)
    return emitError() << "role_c2: '" << stringifyRoleKind(kind)
                       << "' names argument " << *argument
                       << "; only 'updated_state' and 'gradient' name one";
  if (*argument < 0)
    return emitError() << "role_c5: argument " << *argument
                       << " does not exist";
  return success();
}

Attribute RoleAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  FailureOr<RoleKind> kind = FieldParser<RoleKind>::parse(parser);
  if (failed(kind))
    return {};
  std::optional<int64_t> argument;
  if (succeeded(parser.parseOptionalKeyword("of")) &&
      parser.parseInteger(argument.emplace()))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RoleAttr>(loc, parser.getContext(), *kind, argument);
}

void RoleAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyRoleKind(getKind());
  if (getArgument())
    printer << " of " << *getArgument();
  printer << '>';
}

static InFlightDiagnostic emitRoleError(Operation *op, StringRef what,
                                        unsigned index, StringRef label) {
  return op->emitOpError() << label << ": " << what << " " << index << " ";
}

LogicalResult hetero::verifyArgumentRole(Operation *op, unsigned index,
                                         RoleAttr role) {
  if (!role.isArgumentRole())
    return emitRoleError(op, "argument", index, "role_c3")
           << "has role '" << stringifyRoleKind(role.getKind())
           << "', which is one of results";
  return success();
}

/// Checks that no argument of `function` has two results that update it
/// (role_c7). `index` is the result being verified; the first one that has a
/// role does the work for all of them, which keeps the whole linear.
static LogicalResult verifyOneUpdateEach(FunctionOpInterface function,
                                         unsigned index) {
  StringRef name = HeteroDialect::getRoleAttrName();
  for (unsigned other = 0; other < index; ++other)
    if (function.getResultAttr(other, name))
      return success();

  std::map<int64_t, unsigned> updatedBy;
  for (unsigned i = index, e = function.getNumResults(); i < e; ++i) {
    auto role = function.getResultAttrOfType<RoleAttr>(i, name);
    if (!role || role.getKind() != RoleKind::UpdatedState)
      continue;
    auto [previous, inserted] = updatedBy.try_emplace(*role.getArgument(), i);
    if (!inserted)
      return emitRoleError(function, "result", i, "role_c7")
             << "updates argument " << *role.getArgument() << ", as result "
             << previous->second << " does already";
  }
  return success();
}

LogicalResult hetero::verifyResultRole(Operation *op, unsigned index,
                                       RoleAttr role) {
  if (role.isArgumentRole())
    return emitRoleError(op, "result", index, "role_c4")
           << "has role '" << stringifyRoleKind(role.getKind())
           << "', which is one of arguments";
  auto function = cast<FunctionOpInterface>(op);
  if (failed(verifyOneUpdateEach(function, index)))
    return failure();
  if (!role.getArgument())
    return success();

  int64_t argument = *role.getArgument();
  if (argument >= function.getNumArguments())
    return emitRoleError(op, "result", index, "role_c5")
           << "names argument " << argument << ", but there are "
           << function.getNumArguments() << " arguments";
  if (role.getKind() != RoleKind::UpdatedState)
    return success();
  Type resultType = function.getResultTypes()[index];
  Type argumentType = function.getArgumentTypes()[argument];
  if (resultType != argumentType)
    return emitRoleError(op, "result", index, "role_c6")
           << "updates argument " << argument << " but has type " << resultType
           << " instead of " << argumentType;
  return success();
}
