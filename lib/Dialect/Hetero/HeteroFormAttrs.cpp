//===- HeteroFormAttrs.cpp - Forms, shardings, placement ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AsmDirectives.h"
#include "hetero/Dialect/Hetero/HeteroAttrs.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// FormAttr
//===----------------------------------------------------------------------===//

/// Checks the numbers of a split form; `label` names the constraint.
static LogicalResult
verifySplitForm(function_ref<InFlightDiagnostic()> emitError, StringRef label,
                int64_t dim, int64_t outer, int64_t inner) {
  if (dim < 0)
    return emitError() << label << ": dimension " << dim << " does not exist";
  if (outer < 1 || inner < 1)
    return emitError() << label << ": outer " << outer << " and inner " << inner
                       << " must be positive";
  return success();
}

LogicalResult FormAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               FormKind, int64_t dim, int64_t outer,
                               int64_t inner, ReductionKind) {
  return verifySplitForm(emitError, "form_c1", dim, outer, inner);
}

FormAttr FormAttr::getReplicated(MLIRContext *context) {
  return get(context, FormKind::Replicated, 0, 1, 1, ReductionKind::Sum);
}

FormAttr FormAttr::getSplit(MLIRContext *context, int64_t dim, int64_t outer,
                            int64_t inner) {
  return get(context, FormKind::Split, dim, outer, inner, ReductionKind::Sum);
}

/// Reads a form without its brackets.
static FormAttr parseForm(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<FormKind> kind = FieldParser<FormKind>::parse(parser);
  if (failed(kind))
    return {};
  int64_t dim = 0, outer = 1, inner = 1;
  ReductionKind reduction = ReductionKind::Sum;
  if (*kind == FormKind::Split && parseSplitForm(parser, dim, outer, inner))
    return {};
  if (*kind == FormKind::Partial) {
    FailureOr<ReductionKind> parsed = FieldParser<ReductionKind>::parse(parser);
    if (failed(parsed))
      return {};
    reduction = *parsed;
  }
  return parser.getChecked<FormAttr>(loc, parser.getContext(), *kind, dim,
                                     outer, inner, reduction);
}

static void printForm(AsmPrinter &printer, FormAttr form) {
  printer << stringifyFormKind(form.getKind());
  if (form.isSplit()) {
    printer << ' ';
    printSplitForm(printer, form.getDim(), form.getOuter(), form.getInner());
  }
  if (form.isPartial())
    printer << ' ' << stringifyReductionKind(form.getReduction());
}

Attribute FormAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FormAttr form = parseForm(parser);
  if (!form || parser.parseGreater())
    return {};
  return form;
}

void FormAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printForm(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// FormsAttr
//===----------------------------------------------------------------------===//

/// The first name that appears twice in `names`, or null.
static StringAttr findDuplicate(ArrayRef<StringAttr> names) {
  llvm::SmallPtrSet<StringAttr, 4> seen;
  for (StringAttr name : names)
    if (!seen.insert(name).second)
      return name;
  return {};
}

LogicalResult FormsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<StringAttr> axes,
                                ArrayRef<FormAttr> forms, int64_t level) {
  if (axes.size() != forms.size())
    return emitError() << axes.size() << " axes with " << forms.size()
                       << " forms";
  if (StringAttr axis = findDuplicate(axes))
    return emitError() << "forms_c1: axis '" << axis.getValue()
                       << "' is named twice";
  if (level < 0)
    return emitError() << "forms_c2: level " << level << " is negative";
  return success();
}

FormAttr FormsAttr::getForm(StringRef axis) const {
  for (auto [name, form] : llvm::zip_equal(getAxes(), getForms()))
    if (name.getValue() == axis)
      return form;
  return FormAttr::getReplicated(getContext());
}

Attribute FormsAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringAttr> axes;
  SmallVector<FormAttr> forms;
  int64_t level = 0;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList([&]() -> ParseResult {
        StringRef axis;
        if (parser.parseKeyword(&axis) || parser.parseEqual())
          return failure();
        axes.push_back(parser.getBuilder().getStringAttr(axis));
        return success(forms.emplace_back(parseForm(parser)) != nullptr);
      }))
    return {};
  if (succeeded(parser.parseOptionalKeyword("at")) &&
      (parser.parseKeyword("level") || parser.parseInteger(level)))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<FormsAttr>(loc, parser.getContext(), ArrayRef(axes),
                                      ArrayRef(forms), level);
}

void FormsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(llvm::zip_equal(getAxes(), getForms()), printer,
                        [&](auto entry) {
                          printer << std::get<0>(entry).getValue() << " = ";
                          printForm(printer, std::get<1>(entry));
                        });
  if (getLevel() != 0)
    printer << (getAxes().empty() ? "at level " : " at level ") << getLevel();
  printer << '>';
}

//===----------------------------------------------------------------------===//
// SplitAttr
//===----------------------------------------------------------------------===//

LogicalResult SplitAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t dim, int64_t outer, int64_t inner,
                                ArrayRef<int64_t> sizes) {
  if (failed(verifySplitForm(emitError, "split_c1", dim, outer, inner)))
    return failure();
  int64_t total = 0, length = 0;
  for (int64_t size : sizes) {
    if (size < 0)
      return emitError() << "split_c2: size " << size << " is negative";
    if (llvm::AddOverflow(total, size, total))
      return emitError() << "split_c2: the sum of the sizes overflows";
  }
  if (llvm::MulOverflow(total, outer, length) ||
      llvm::MulOverflow(length, inner, length))
    return emitError() << "split_c2: the length of the dimension overflows";
  return success();
}

int64_t SplitAttr::getLength() const {
  return getOuter() * llvm::sum_of(getSizes()) * getInner();
}

int64_t SplitAttr::getLength(int64_t member) const {
  return getOuter() * getSizes()[member] * getInner();
}

FormAttr SplitAttr::getForm() const {
  return FormAttr::getSplit(getContext(), getDim(), getOuter(), getInner());
}

Attribute SplitAttr::parse(AsmParser &parser, Type) {
  SplitAttr split;
  if (parser.parseLess() || parseSplit(parser, split) || parser.parseGreater())
    return {};
  return split;
}

void SplitAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printSplit(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// AxisShardingAttr
//===----------------------------------------------------------------------===//

LogicalResult
AxisShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                         ArrayRef<StringAttr> axes, SplitAttr, ReductionKind) {
  if (StringAttr axis = findDuplicate(axes))
    return emitError() << "axis_sharding_c1: axis '" << axis.getValue()
                       << "' is named twice";
  return success();
}

/// Reads `data =`, `(data, tensor) =` or nothing, up to and without the word
/// that says what the axes do; that is returned.
static ParseResult parseEntryAxes(AsmParser &parser,
                                  SmallVectorImpl<StringAttr> &axes,
                                  StringRef &what) {
  Builder &builder = parser.getBuilder();
  if (succeeded(parser.parseOptionalLParen())) {
    StringRef axis;
    auto parseAxis = [&]() -> ParseResult {
      if (parser.parseKeyword(&axis))
        return failure();
      axes.push_back(builder.getStringAttr(axis));
      return success();
    };
    return failure(parser.parseCommaSeparatedList(parseAxis) ||
                   parser.parseRParen() || parser.parseEqual() ||
                   parser.parseKeyword(&what));
  }
  if (parser.parseKeyword(&what))
    return failure();
  if (failed(parser.parseOptionalEqual()))
    return success();
  axes.push_back(builder.getStringAttr(what));
  return parser.parseKeyword(&what);
}

/// Reads an entry of a sharding without its brackets.
static AxisShardingAttr parseEntry(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<StringAttr> axes;
  StringRef what;
  if (parseEntryAxes(parser, axes, what))
    return {};
  SplitAttr split;
  ReductionKind reduction = ReductionKind::Sum;
  if (what == "split") {
    if (parseSplit(parser, split))
      return {};
  } else if (what == "partial") {
    FailureOr<ReductionKind> parsed = FieldParser<ReductionKind>::parse(parser);
    if (failed(parsed))
      return {};
    reduction = *parsed;
  } else {
    parser.emitError(loc) << "expected 'split' or 'partial'; axes that are "
                             "not named hold the value replicated";
    return {};
  }
  return parser.getChecked<AxisShardingAttr>(loc, parser.getContext(),
                                             ArrayRef(axes), split, reduction);
}

static void printEntry(AsmPrinter &printer, AxisShardingAttr entry) {
  ArrayRef<StringAttr> axes = entry.getAxes();
  if (axes.size() == 1)
    printer << axes.front().getValue() << " = ";
  if (axes.size() > 1) {
    printer << '(';
    llvm::interleaveComma(axes, printer,
                          [&](StringAttr axis) { printer << axis.getValue(); });
    printer << ") = ";
  }
  if (!entry.getSplit()) {
    printer << "partial " << stringifyReductionKind(entry.getReduction());
    return;
  }
  printer << "split ";
  printSplit(printer, entry.getSplit());
}

Attribute AxisShardingAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  AxisShardingAttr entry = parseEntry(parser);
  if (!entry || parser.parseGreater())
    return {};
  return entry;
}

void AxisShardingAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printEntry(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// ShardingAttr
//===----------------------------------------------------------------------===//

LogicalResult ShardingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   FlatSymbolRefAttr,
                                   ArrayRef<AxisShardingAttr> entries) {
  llvm::SmallPtrSet<StringAttr, 4> axes;
  llvm::SmallSet<int64_t, 4> dims;
  for (AxisShardingAttr entry : entries) {
    if (entry.getAxes().empty() && entries.size() > 1)
      return emitError() << "sharding_c1: an entry for all axes must be the "
                            "only one";
    for (StringAttr axis : entry.getAxes())
      if (!axes.insert(axis).second)
        return emitError() << "sharding_c1: axis '" << axis.getValue()
                           << "' is named twice";
    if (SplitAttr split = entry.getSplit();
        split && !dims.insert(split.getDim()).second)
      return emitError() << "sharding_c2: dimension " << split.getDim()
                         << " is split twice; name the axes together, as in "
                            "'(data, tensor) = split "
                         << split.getDim() << "'";
  }
  return success();
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  StringAttr mesh;
  SmallVector<AxisShardingAttr> entries;
  if (parser.parseLess() || parser.parseSymbolName(mesh))
    return {};
  while (succeeded(parser.parseOptionalComma()))
    if (!entries.emplace_back(parseEntry(parser)))
      return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ShardingAttr>(loc, parser.getContext(),
                                         FlatSymbolRefAttr::get(mesh),
                                         ArrayRef(entries));
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << '<' << getMesh();
  for (AxisShardingAttr entry : getEntries()) {
    printer << ", ";
    printEntry(printer, entry);
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// PlacementAttr
//===----------------------------------------------------------------------===//

LogicalResult
PlacementAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t stage, FlatSymbolRefAttr, int64_t chunk) {
  if (stage < 0 || chunk < 0)
    return emitError() << "placement_c1: stage " << stage << " and chunk "
                       << chunk << " must not be negative";
  return success();
}
