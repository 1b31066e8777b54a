//===- HeteroAttrs.cpp - Generated parts of the attributes ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Dialect/Hetero/HeteroAttrs.h"
#include "AsmDirectives.h"
#include "hetero/Dialect/Hetero/HeteroDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hetero;

#define GET_ATTRDEF_CLASSES
#include "hetero/Dialect/Hetero/HeteroAttrs.cpp.inc"

void HeteroDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "hetero/Dialect/Hetero/HeteroAttrs.cpp.inc"
      >();
}

Attribute HeteroDialect::parseAttribute(DialectAsmParser &parser,
                                        Type type) const {
  SMLoc loc = parser.getCurrentLocation();
  StringRef mnemonic;
  Attribute attr;
  OptionalParseResult result =
      generatedAttributeParser(parser, &mnemonic, type, attr);
  if (result.has_value())
    return attr;
  parser.emitError(loc) << "unknown attribute '" << mnemonic
                        << "' of the hetero dialect";
  return {};
}

void HeteroDialect::printAttribute(Attribute attr,
                                   DialectAsmPrinter &printer) const {
  // Inside of an op an enumeration prints its bare word; on its own the word
  // has to be set off from the mnemonic: #hetero<algorithm ring>.
  llvm::TypeSwitch<Attribute>(attr)
      .Case<ReductionKindAttr, ObjectiveAttr, StateModeAttr, ScheduleKindAttr,
            AlgorithmAttr, CollectiveKindAttr>([&](auto word) {
        printer << decltype(word)::getMnemonic() << ' ';
        printer.printKeywordOrString(stringifyEnum(word.getValue()));
      })
      .Default(
          [&](Attribute) { (void)generatedAttributePrinter(attr, printer); });
}
