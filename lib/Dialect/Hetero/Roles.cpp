//===- Roles.cpp - The part that a value plays in a step ------------------===//
//
// Part of the hetero project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "hetero/Dialect/Hetero/HeteroAttrs.h"
#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

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
  FailureOr<RoleKind> kind = failure();
  std::optional<int64_t> argument;
  if (parser.parseLess() || failed(kind = FieldParser<RoleKind>::parse(parser)))
    return {};
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

/// Reads `attribute` as the role of a value of `op`, which must be a function.
static FailureOr<RoleAttr> getRole(Operation *op, NamedAttribute attribute) {
  if (!isa<FunctionOpInterface>(op))
    return op->emitOpError()
           << "role_c8: " << attribute.getName()
           << " must be on an argument or a result of a function";
  auto role = dyn_cast<RoleAttr>(attribute.getValue());
  if (!role)
    return op->emitOpError()
           << attribute.getName() << " must be a #hetero.role, but is "
           << attribute.getValue();
  return role;
}

static InFlightDiagnostic emitRoleError(Operation *op, StringRef what,
                                        unsigned index, StringRef label) {
  return op->emitOpError() << label << ": " << what << " " << index << " ";
}

/// Checks the role of argument `index` of `op`.
static LogicalResult verifyArgumentRole(Operation *op, unsigned index,
                                        NamedAttribute attribute) {
  FailureOr<RoleAttr> role = getRole(op, attribute);
  if (failed(role))
    return failure();
  if (!role->isArgumentRole())
    return emitRoleError(op, "argument", index, "role_c3")
           << "has role '" << stringifyRoleKind(role->getKind())
           << "', which is one of results";
  return success();
}

/// Checks the role of result `index` of `op`.
static LogicalResult verifyResultRole(Operation *op, unsigned index,
                                      NamedAttribute attribute) {
  FailureOr<RoleAttr> role = getRole(op, attribute);
  if (failed(role))
    return failure();
  if (role->isArgumentRole())
    return emitRoleError(op, "result", index, "role_c4")
           << "has role '" << stringifyRoleKind(role->getKind())
           << "', which is one of arguments";
  if (!role->getArgument())
    return success();

  auto function = cast<FunctionOpInterface>(op);
  int64_t argument = *role->getArgument();
  if (argument >= function.getNumArguments())
    return emitRoleError(op, "result", index, "role_c5")
           << "names argument " << argument << ", but there are "
           << function.getNumArguments() << " arguments";
  if (role->getKind() != RoleKind::UpdatedState)
    return success();

  Type resultType = function.getResultTypes()[index];
  Type argumentType = function.getArgumentTypes()[argument];
  if (resultType != argumentType)
    return emitRoleError(op, "result", index, "role_c6")
           << "updates argument " << argument << " but has type " << resultType
           << " instead of " << argumentType;
  return success();
}

/// Checks that no argument of `op` has two results that update it (role_c7).
/// `index` is the result being verified; the first one that has a role does
/// the work for all of them, which keeps the whole linear.
static LogicalResult verifyOneUpdateEach(Operation *op, unsigned index,
                                         StringRef name) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  for (unsigned other = 0; other < index; ++other)
    if (function.getResultAttr(other, name))
      return success();

  llvm::DenseMap<int64_t, unsigned> updatedBy;
  for (unsigned i = index, e = function.getNumResults(); i < e; ++i) {
    auto role = function.getResultAttrOfType<RoleAttr>(i, name);
    if (!role || role.getKind() != RoleKind::UpdatedState)
      continue;
    auto [previous, inserted] = updatedBy.try_emplace(*role.getArgument(), i);
    if (!inserted)
      return emitRoleError(op, "result", i, "role_c7")
             << "updates argument " << *role.getArgument() << ", as result "
             << previous->second << " does already";
  }
  return success();
}

LogicalResult HeteroDialect::verifyRegionArgAttribute(
    Operation *op, unsigned, unsigned argIndex, NamedAttribute attribute) {
  if (attribute.getName() == getRoleAttrName())
    return verifyArgumentRole(op, argIndex, attribute);
  return op->emitOpError() << "argument " << argIndex
                           << " has the unknown attribute "
                           << attribute.getName();
}

LogicalResult HeteroDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned resultIndex, NamedAttribute attribute) {
  if (attribute.getName() == getRoleAttrName())
    return failure(
        failed(verifyResultRole(op, resultIndex, attribute)) ||
        failed(verifyOneUpdateEach(op, resultIndex, attribute.getName())));
  return op->emitOpError() << "result " << resultIndex
                           << " has the unknown attribute "
                           << attribute.getName();
}

LogicalResult
HeteroDialect::verifyOperationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  if (attribute.getName() == getRoleAttrName())
    return op->emitOpError()
           << "role_c8: " << attribute.getName()
           << " must be on an argument or a result of a function";
  return op->emitOpError() << "has the unknown attribute "
                           << attribute.getName();
}
