//===- HeteroScheduleAttrs.cpp - Instructions and programs ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AsmDirectives.h"
#include "hetero/Dialect/Hetero/HeteroAttrs.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/DenseSet.h"
#include <set>

using namespace mlir;
using namespace hetero;

/// Reads `chunk C` and `sweep W`, each of which may be absent.
static ParseResult parseChunkAndSweep(AsmParser &parser, int64_t &chunk,
                                      int64_t &sweep) {
  chunk = sweep = 0;
  return failure(parseOptionalNumber(parser, "chunk", chunk) ||
                 parseOptionalNumber(parser, "sweep", sweep));
}

static void printChunkAndSweep(AsmPrinter &printer, int64_t chunk,
                               int64_t sweep) {
  if (chunk != 0)
    printer << " chunk " << chunk;
  if (sweep != 0)
    printer << " sweep " << sweep;
}

//===----------------------------------------------------------------------===//
// InstructionAttr
//===----------------------------------------------------------------------===//

static bool isSendKind(InstructionKind kind) {
  return kind == InstructionKind::SendActivation ||
         kind == InstructionKind::SendGradient;
}

static bool isRecvKind(InstructionKind kind) {
  return kind == InstructionKind::RecvActivation ||
         kind == InstructionKind::RecvGradient;
}

static bool isComputeKind(InstructionKind kind) {
  return kind <= InstructionKind::Update || kind == InstructionKind::Prepare;
}

bool InstructionAttr::isSend() const { return isSendKind(getKind()); }
bool InstructionAttr::isRecv() const { return isRecvKind(getKind()); }
bool InstructionAttr::isCompute() const { return isComputeKind(getKind()); }

LogicalResult
InstructionAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        InstructionKind kind, std::optional<int64_t> microbatch,
                        std::optional<int64_t> peer, int64_t chunk,
                        int64_t sweep) {
  StringRef name = stringifyInstructionKind(kind);
  bool mayName =
      kind != InstructionKind::Update && kind != InstructionKind::Prepare;
  bool mustName = mayName && kind != InstructionKind::Gather &&
                  kind != InstructionKind::Reduce;
  if (microbatch && !mayName)
    return emitError() << "instruction_c1: '" << name
                       << "' is of no microbatch, but names " << *microbatch;
  if (!microbatch && mustName)
    return emitError() << "instruction_c1: '" << name
                       << "' must name its microbatch";
  bool communicates = isSendKind(kind) || isRecvKind(kind);
  if (peer.has_value() != communicates)
    return emitError() << "instruction_c2: '" << name
                       << (communicates ? "' must name the other stage"
                                        : "' has no other stage");
  for (int64_t number :
       {microbatch.value_or(0), peer.value_or(0), chunk, sweep})
    if (number < 0)
      return emitError() << "instruction_c3: " << number << " is negative";
  return success();
}

InstructionAttr hetero::parseInstruction(AsmParser &parser) {
  SMLoc loc = parser.getCurrentLocation();
  FailureOr<InstructionKind> kind = FieldParser<InstructionKind>::parse(parser);
  if (failed(kind))
    return {};
  std::optional<int64_t> microbatch, peer;
  int64_t number, chunk, sweep;
  OptionalParseResult hasMicrobatch = parser.parseOptionalInteger(number);
  if (hasMicrobatch.has_value()) {
    if (failed(*hasMicrobatch))
      return {};
    microbatch = number;
  }
  if (succeeded(
          parser.parseOptionalKeyword(isRecvKind(*kind) ? "from" : "to")) &&
      parser.parseInteger(peer.emplace()))
    return {};
  if (parseChunkAndSweep(parser, chunk, sweep))
    return {};
  return parser.getChecked<InstructionAttr>(loc, parser.getContext(), *kind,
                                            microbatch, peer, chunk, sweep);
}

void hetero::printInstruction(AsmPrinter &printer,
                              InstructionAttr instruction) {
  printer << stringifyInstructionKind(instruction.getKind());
  if (instruction.getMicrobatch())
    printer << ' ' << *instruction.getMicrobatch();
  if (instruction.getPeer())
    printer << (instruction.isRecv() ? " from " : " to ")
            << *instruction.getPeer();
  printChunkAndSweep(printer, instruction.getChunk(), instruction.getSweep());
}

Attribute InstructionAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  InstructionAttr instruction = parseInstruction(parser);
  if (!instruction || parser.parseGreater())
    return {};
  return instruction;
}

void InstructionAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printInstruction(printer, *this);
  printer << '>';
}

//===----------------------------------------------------------------------===//
// ProgramAttr
//===----------------------------------------------------------------------===//

LogicalResult ProgramAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  std::optional<int64_t> stage,
                                  std::optional<InstructionKind> kind,
                                  int64_t chunk, int64_t sweep,
                                  ArrayRef<int64_t> ranks) {
  if (ranks.empty())
    return emitError() << "program_c1: no rank runs the program";
  std::set<int64_t> seen;
  for (int64_t rank : ranks)
    if (rank < 0 || !seen.insert(rank).second)
      return emitError() << "program_c1: rank " << rank
                         << (rank < 0 ? " does not exist" : " is listed twice");
  if (stage.value_or(0) < 0 || chunk < 0 || sweep < 0)
    return emitError() << "program_c2: stage " << stage.value_or(0)
                       << ", chunk " << chunk << " and sweep " << sweep
                       << " must not be negative";
  if (kind && !isComputeKind(*kind))
    return emitError() << "program_c3: '" << stringifyInstructionKind(*kind)
                       << "' does not compute";
  if (stage.has_value() != kind.has_value() ||
      (!stage && (chunk != 0 || sweep != 0)))
    return emitError()
           << "program_c2: stage, kind, chunk and sweep go together";
  return success();
}

Attribute ProgramAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::optional<int64_t> stage;
  std::optional<InstructionKind> kind;
  int64_t chunk = 0, sweep = 0;
  SmallVector<int64_t> ranks;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("stage"))) {
    if (parser.parseInteger(stage.emplace()))
      return {};
    FailureOr<InstructionKind> parsed =
        FieldParser<InstructionKind>::parse(parser);
    if (failed(parsed) || parseChunkAndSweep(parser, chunk, sweep))
      return {};
    kind.emplace(*parsed);
  }
  if (parser.parseKeyword("on") || parseRankList(parser, ranks) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<ProgramAttr>(loc, parser.getContext(), stage, kind,
                                        chunk, sweep, ArrayRef(ranks));
}

void ProgramAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (getStage() && getKind()) {
    printer << "stage " << *getStage() << ' '
            << stringifyInstructionKind(*getKind());
    printChunkAndSweep(printer, getChunk(), getSweep());
    printer << ' ';
  }
  printer << "on ";
  printRankList(printer, getRanks());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// PartAttr
//===----------------------------------------------------------------------===//

LogicalResult PartAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t index,
                               ArrayRef<DenseI64ArrayAttr> ranges) {
  if (index < 0)
    return emitError() << "part_c1: " << index << " is negative";
  for (DenseI64ArrayAttr dimension : ranges) {
    int64_t last = 0;
    bool isEnd = false;
    for (int64_t bound : dimension.asArrayRef()) {
      if (bound < last)
        return emitError() << "part_c1: " << bound << " is below " << last
                           << (isEnd ? ", where its range begins"
                                     : ", where the range before it ends");
      last = bound;
      isEnd = !isEnd;
    }
    if (isEnd)
      return emitError() << "part_c1: the last range has no end";
  }
  return success();
}

Attribute PartAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t index;
  SmallVector<DenseI64ArrayAttr> ranges;
  if (parser.parseLess() || parser.parseInteger(index))
    return {};
  bool more = succeeded(parser.parseOptionalColon());
  while (more) {
    SmallVector<int64_t> bounds;
    auto parseRange = [&]() -> ParseResult {
      return failure(parser.parseInteger(bounds.emplace_back()) ||
                     parser.parseKeyword("to") ||
                     parser.parseInteger(bounds.emplace_back()));
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parseRange))
      return {};
    ranges.push_back(DenseI64ArrayAttr::get(parser.getContext(), bounds));
    more = succeeded(parser.parseOptionalKeyword("x"));
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<PartAttr>(loc, parser.getContext(), index,
                                     ArrayRef(ranges));
}

void PartAttr::print(AsmPrinter &printer) const {
  printer << '<' << getIndex();
  const char *separator = " : ";
  for (DenseI64ArrayAttr dimension : getRanges()) {
    printer << separator << '[';
    ArrayRef<int64_t> bounds = dimension.asArrayRef();
    for (size_t i = 0; i < bounds.size(); i += 2)
      printer << (i == 0 ? "" : ", ") << bounds[i] << " to " << bounds[i + 1];
    printer << ']';
    separator = " x ";
  }
  printer << '>';
}
