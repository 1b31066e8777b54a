//===- HeteroClusterAttrs.cpp - Attributes of a cluster -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AsmDirectives.h"
#include "hetero/Dialect/Hetero/HeteroAttrs.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace hetero;

//===----------------------------------------------------------------------===//
// PeakAttr
//===----------------------------------------------------------------------===//

LogicalResult PeakAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<Type> types, ArrayRef<int64_t> speeds) {
  if (types.empty() || types.size() != speeds.size())
    return emitError() << "peak_c1: " << types.size() << " element types with "
                       << speeds.size()
                       << " speeds; there must be as many, at least one";
  llvm::SmallPtrSet<Type, 8> seen;
  for (auto [type, speed] : llvm::zip_equal(types, speeds)) {
    if (!isa<ComplexType>(type) && !type.isIntOrFloat())
      return emitError() << "peak_c2: " << type
                         << " is not an element type that is computed with";
    if (!seen.insert(type).second)
      return emitError() << "peak_c1: " << type << " is given twice";
    if (speed <= 0)
      return emitError() << "peak_c3: the speed of " << type
                         << " must be positive";
  }
  return success();
}

Attribute PeakAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  SmallVector<int64_t> speeds;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return failure(
            parser.parseType(types.emplace_back()) || parser.parseColon() ||
            parseAmount(parser, speeds.emplace_back(), Dimension::Speed));
      }))
    return {};
  return parser.getChecked<PeakAttr>(loc, parser.getContext(), ArrayRef(types),
                                     ArrayRef(speeds));
}

void PeakAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(
      llvm::zip_equal(getTypes(), getSpeeds()), printer, [&](auto entry) {
        printer << std::get<0>(entry) << ": "
                << writeQuantity(Dimension::Speed, std::get<1>(entry));
      });
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Points of two amounts: <1 MB: 250 us, 64 MB: 13 ms>
//===----------------------------------------------------------------------===//

static ParseResult parsePoints(AsmParser &parser, Dimension first,
                               SmallVectorImpl<int64_t> &from, Dimension second,
                               SmallVectorImpl<int64_t> &to) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
    return failure(parseAmount(parser, from.emplace_back(), first) ||
                   parser.parseColon() ||
                   parseAmount(parser, to.emplace_back(), second));
  });
}

static void printPoints(AsmPrinter &printer, Dimension first,
                        ArrayRef<int64_t> from, Dimension second,
                        ArrayRef<int64_t> to) {
  printer << '<';
  llvm::interleaveComma(llvm::zip_equal(from, to), printer, [&](auto point) {
    printer << writeQuantity(first, std::get<0>(point)) << ": "
            << writeQuantity(second, std::get<1>(point));
  });
  printer << '>';
}

//===----------------------------------------------------------------------===//
// CurveAttr
//===----------------------------------------------------------------------===//

LogicalResult CurveAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> work,
                                ArrayRef<int64_t> shares) {
  if (work.empty() || work.size() != shares.size())
    return emitError() << "curve_c1: " << work.size()
                       << " amounts of work with " << shares.size()
                       << " shares; there must be as many, at least one";
  for (size_t i = 0; i < work.size(); ++i) {
    if (i > 0 && work[i] <= work[i - 1])
      return emitError() << "curve_c1: the work of point " << i << " ("
                         << writeQuantity(Dimension::Work, work[i])
                         << ") must exceed that of the one before ("
                         << writeQuantity(Dimension::Work, work[i - 1]) << ")";
    if (shares[i] <= 0 || shares[i] > 1000000)
      return emitError() << "curve_c2: the share "
                         << writeQuantity(Dimension::Share, shares[i])
                         << " must be positive and at most 1";
  }
  return success();
}

Attribute CurveAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> work, shares;
  if (parsePoints(parser, Dimension::Work, work, Dimension::Share, shares))
    return {};
  return parser.getChecked<CurveAttr>(loc, parser.getContext(), ArrayRef(work),
                                      ArrayRef(shares));
}

void CurveAttr::print(AsmPrinter &printer) const {
  printPoints(printer, Dimension::Work, getWork(), Dimension::Share,
              getShares());
}

//===----------------------------------------------------------------------===//
// TimesAttr
//===----------------------------------------------------------------------===//

LogicalResult TimesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                ArrayRef<int64_t> bytes,
                                ArrayRef<int64_t> times) {
  if (bytes.empty() || bytes.size() != times.size())
    return emitError() << "times_c1: " << bytes.size() << " amounts with "
                       << times.size()
                       << " times; there must be as many, at least one";
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && bytes[i] <= bytes[i - 1])
      return emitError() << "times_c1: the bytes of point " << i << " ("
                         << writeQuantity(Dimension::Bytes, bytes[i])
                         << ") must exceed those of the one before ("
                         << writeQuantity(Dimension::Bytes, bytes[i - 1])
                         << ")";
    if (bytes[i] < 0 || times[i] < 0)
      return emitError() << "quantity_c1: the amount "
                         << std::min(bytes[i], times[i]) << " is negative";
  }
  return success();
}

Attribute TimesAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> bytes, times;
  if (parsePoints(parser, Dimension::Bytes, bytes, Dimension::Time, times))
    return {};
  return parser.getChecked<TimesAttr>(loc, parser.getContext(), ArrayRef(bytes),
                                      ArrayRef(times));
}

void TimesAttr::print(AsmPrinter &printer) const {
  printPoints(printer, Dimension::Bytes, getBytes(), Dimension::Time,
              getTimes());
}

//===----------------------------------------------------------------------===//
// LayerTimesAttr
//===----------------------------------------------------------------------===//

LogicalResult
LayerTimesAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       ArrayRef<int64_t> samples, ArrayRef<int64_t> forward,
                       ArrayRef<int64_t> backward) {
  if (samples.empty() || samples.size() != forward.size() ||
      samples.size() != backward.size())
    return emitError() << "layer_times_c1: " << samples.size()
                       << " numbers of samples with " << forward.size()
                       << " and " << backward.size()
                       << " times; there must be as many, at least one";
  int64_t before = 0;
  for (auto [number, first, second] :
       llvm::zip_equal(samples, forward, backward)) {
    if (number <= before)
      return emitError() << "layer_times_c1: times for " << number
                         << " samples follow those for " << before
                         << "; the numbers must be positive and ascend";
    if (first < 0 || second < 0)
      return emitError() << "quantity_c1: the amount "
                         << std::min(first, second) << " is negative";
    before = number;
  }
  return success();
}

Attribute LayerTimesAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> samples, forward, backward;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return failure(
            parser.parseInteger(samples.emplace_back()) ||
            parser.parseColon() ||
            parseAmount(parser, forward.emplace_back(), Dimension::Time) ||
            parser.parsePlus() ||
            parseAmount(parser, backward.emplace_back(), Dimension::Time));
      }))
    return {};
  return parser.getChecked<LayerTimesAttr>(loc, parser.getContext(),
                                           ArrayRef(samples), ArrayRef(forward),
                                           ArrayRef(backward));
}

void LayerTimesAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(
      llvm::zip_equal(getSamples(), getForward(), getBackward()), printer,
      [&](auto point) {
        auto [samples, forward, backward] = point;
        printer << samples << ": " << writeQuantity(Dimension::Time, forward)
                << " + " << writeQuantity(Dimension::Time, backward);
      });
  printer << '>';
}

//===----------------------------------------------------------------------===//
// LinkAttr
//===----------------------------------------------------------------------===//

LogicalResult LinkAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               LinkKind, int64_t bandwidth, int64_t latency,
                               bool) {
  if (bandwidth <= 0)
    return emitError() << "link_attr_c1: the bandwidth must be positive";
  if (latency < 0)
    return emitError() << "quantity_c1: the amount " << latency
                       << " is negative";
  return success();
}

Attribute LinkAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  bool shared = succeeded(parser.parseOptionalKeyword("shared"));
  FailureOr<LinkKind> kind = FieldParser<LinkKind>::parse(parser);
  int64_t bandwidth = 0, latency = 0;
  if (failed(kind) || parser.parseComma() ||
      parseAmount(parser, bandwidth, Dimension::Bandwidth) ||
      parser.parseComma() || parseAmount(parser, latency, Dimension::Time) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<LinkAttr>(loc, parser.getContext(), *kind, bandwidth,
                                     latency, shared);
}

void LinkAttr::print(AsmPrinter &printer) const {
  printer << '<' << (getShared() ? "shared " : "")
          << stringifyLinkKind(getKind()) << ", "
          << writeQuantity(Dimension::Bandwidth, getBandwidth()) << ", "
          << writeQuantity(Dimension::Time, getLatency()) << '>';
}

//===----------------------------------------------------------------------===//
// ResourceAttr
//===----------------------------------------------------------------------===//

LogicalResult ResourceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ResourceKind, std::optional<int64_t> stage,
                                   std::optional<int64_t> device,
                                   FlatSymbolRefAttr symbol) {
  if (stage.has_value() + device.has_value() + (symbol != nullptr) != 1)
    return emitError()
           << "a resource is of one stage, one device or one symbol";
  if (int64_t number = stage ? *stage : device.value_or(0); number < 0)
    return emitError() << "resource_c1: " << (stage ? "stage " : "device ")
                       << number << " does not exist";
  return success();
}

Attribute ResourceAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  FailureOr<ResourceKind> kind = FieldParser<ResourceKind>::parse(parser);
  if (failed(kind) || parser.parseKeyword("of"))
    return {};
  std::optional<int64_t> stage, device;
  FlatSymbolRefAttr symbol;
  if (succeeded(parser.parseOptionalKeyword("stage"))) {
    if (parser.parseInteger(stage.emplace()))
      return {};
  } else if (succeeded(parser.parseOptionalKeyword("device"))) {
    if (parser.parseInteger(device.emplace()))
      return {};
  } else {
    StringAttr name;
    if (failed(parser.parseOptionalSymbolName(name)))
      return parser.emitError(parser.getCurrentLocation())
                 << "expected 'stage', 'device' or a symbol",
             nullptr;
    symbol = FlatSymbolRefAttr::get(name);
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<ResourceAttr>(loc, parser.getContext(), *kind, stage,
                                         device, symbol);
}

void ResourceAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyResourceKind(getKind()) << " of ";
  if (getStage())
    printer << "stage " << *getStage();
  else if (getDevice())
    printer << "device " << *getDevice();
  else
    printer << getSymbol();
  printer << '>';
}
