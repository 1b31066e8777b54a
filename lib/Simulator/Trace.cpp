//===- Trace.cpp - A simulation for a trace viewer ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Simulator/Trace.h"
#include "hetero/Simulator/Timeline.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

/// The rows of a stage; sends to stage s have the row firstSendRow + s.
static constexpr int64_t computeRow = 0, collectiveRow = 1, firstSendRow = 2;

/// Picoseconds as microseconds, exactly: a double would lose digits of what
/// comes late.
static std::string microseconds(Time time) {
  std::string digits = std::to_string(time.count() % 1000000);
  return std::to_string(time.count() / 1000000) + "." +
         std::string(6 - digits.size(), '0') + digits;
}

static void writeName(json::OStream &json, StringRef what, int64_t stage,
                      int64_t row, const Twine &name) {
  json.object([&] {
    json.attribute("ph", "M");
    json.attribute("name", what);
    json.attribute("pid", stage);
    json.attribute("tid", row);
    json.attributeObject("args", [&] { json.attribute("name", name.str()); });
  });
}

static void writeTime(json::OStream &json, StringRef key, Time time) {
  json.attributeBegin(key);
  json.rawValue(microseconds(time));
  json.attributeEnd();
}

static void writeInstruction(json::OStream &json, int64_t stage, int64_t row,
                             const Instruction &instruction, Span span) {
  std::string name = stringify(instruction);
  json.object([&] {
    json.attribute("ph", "X");
    json.attribute("name", name);
    json.attribute("cat", stringify(classify(name)));
    json.attribute("pid", stage);
    json.attribute("tid", row);
    writeTime(json, "ts", span.start);
    writeTime(json, "dur", span.end - span.start);
  });
}

static void writeStage(json::OStream &json, int64_t index,
                       const TraceStage &stage) {
  writeName(json, "process_name", index, 0, stage.name);
  std::vector<bool> named;
  auto nameRow = [&](int64_t row, const Twine &name) {
    if (row >= int64_t(named.size()))
      named.resize(row + 1);
    if (!named[row])
      writeName(json, "thread_name", index, row, name);
    named[row] = true;
  };
  for (auto [instruction, span] :
       zip_equal(stage.schedule->instructions, stage.spans)) {
    // What is received was drawn where it is sent.
    if (isRecv(instruction.kind) || span.end <= span.start)
      continue;
    int64_t row = isCompute(instruction.kind) ? computeRow : collectiveRow;
    if (isSend(instruction.kind)) {
      row = firstSendRow + *instruction.peer;
      nameRow(row, "to stage " + Twine(*instruction.peer));
    } else {
      nameRow(row, row == computeRow ? "compute" : "collectives");
    }
    writeInstruction(json, index, row, instruction, span);
  }
  for (const MemoryPoint &point : stage.memory)
    json.object([&] {
      json.attribute("ph", "C");
      json.attribute("name", "memory");
      json.attribute("pid", index);
      writeTime(json, "ts", point.time);
      json.attributeObject(
          "args", [&] { json.attribute("bytes", point.bytes.count()); });
    });
}

void hetero::simulator::writeTrace(const Trace &trace, raw_ostream &os) {
  json::OStream json(os);
  json.object([&] {
    json.attributeArray("traceEvents", [&] {
      for (auto [index, stage] : enumerate(trace.stages))
        writeStage(json, index, stage);
    });
    json.attribute("displayTimeUnit", "ms");
    json.attributeObject("otherData", [&] {
      for (const auto &[key, value] : trace.facts)
        json.attribute(key, value);
    });
  });
  os << '\n';
}
