//===- Timeline.cpp - A page that shows what happens when -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Simulator/Timeline.h"
#include "TimelineChart.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

StringRef hetero::simulator::stringify(Activity activity) {
  static constexpr StringLiteral names[] = {
      "forward", "backward", "update", "communication", "wait", "other"};
  return names[int(activity)];
}

Activity hetero::simulator::classify(StringRef instruction) {
  StringRef kind = instruction.split(' ').first;
  if (kind.starts_with("send") || kind.starts_with("recv"))
    return Activity::Communication;
  return StringSwitch<Activity>(kind)
      .Cases({"forward", "recompute", "prepare"}, Activity::Forward)
      .Cases({"backward", "input_gradient", "weight_gradient"},
             Activity::Backward)
      .Case("update", Activity::Update)
      .Cases({"gather", "reduce"}, Activity::Communication)
      .Case("wait", Activity::Wait)
      .Default(Activity::Other);
}

/// Colours that people with any eyes can tell apart, on white. Widths of the
/// pictures are the zoom.
static constexpr const char *style = R"(
body { margin: 24px 32px; background: #fff; color: #1b1f24;
  font: 14px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 22px; margin: 0 0 10px; }
h2 { font-size: 16px; margin: 26px 0 2px; }
p { margin: 2px 0 8px; color: #57606a; }
table { border-collapse: collapse; margin: 0 0 12px; }
td { padding: 1px 22px 1px 0; vertical-align: top; }
td:first-child { color: #57606a; }
.legend span { display: inline-block; margin-right: 20px; }
.legend i { display: inline-block; width: 14px; height: 12px;
  margin-right: 6px; border-radius: 2px; vertical-align: -1px; }
label.zoom { margin-left: 3px; margin-right: 12px; }
.chart { display: flex; }
.names { flex: none; }
.scroll { flex: 1; min-width: 0; overflow-x: auto; }
.lanes { width: 100%; display: block; }
#z4:checked ~ .chart .lanes { width: 400%; }
#z16:checked ~ .chart .lanes { width: 1600%; }
#z64:checked ~ .chart .lanes { width: 6400%; }
text { font-size: 12px; fill: #1b1f24; }
text.name { font-weight: 600; font-size: 13px; }
text.note { fill: #57606a; font-size: 11px; }
text.tick { fill: #57606a; font-size: 11px; }
.grid { stroke: #e3e7eb; }
.floor { fill: #f6f8fa; }
.scroll svg svg > rect { stroke: #fff; stroke-width: 0.6; }
.forward rect, i.forward { fill: #3a78c3; background: #3a78c3; }
.backward rect, i.backward { fill: #e8912d; background: #e8912d; }
.update rect, i.update { fill: #2f9e6e; background: #2f9e6e; }
.communication rect, i.communication { fill: #8d5fb0; background: #8d5fb0; }
.wait rect, i.wait { fill: #d5dae0; background: #d5dae0; }
.other rect, i.other { fill: #8a939d; background: #8a939d; }
i.memory { background: #d9e6f5; border: 1px solid #3a78c3; }
i.limit { height: 0; border-top: 2px dashed #c0392b; vertical-align: 4px; }
.forward text, .update text, .communication text, .other text { fill: #fff; }
.memory path { fill: #d9e6f5; stroke: #3a78c3; stroke-width: 1.2;
  vector-effect: non-scaling-stroke; }
.capacity { stroke: #c0392b; stroke-width: 1.4; stroke-dasharray: 5 4;
  vector-effect: non-scaling-stroke; }
svg svg:hover > rect { stroke: #1b1f24; stroke-width: 2; }
)";

static void writeLegend(raw_ostream &os) {
  os << "<div class=\"legend\">";
  for (Activity activity :
       {Activity::Forward, Activity::Backward, Activity::Update,
        Activity::Communication, Activity::Wait, Activity::Other})
    os << "<span><i class=\"" << stringify(activity) << "\"></i>"
       << stringify(activity) << "</span>";
  os << "<span><i class=\"memory\"></i>memory in use</span><span><i "
        "class=\"limit\"></i>memory of the device</span></div>\n";
}

static void writeFacts(const Timeline &timeline, raw_ostream &os) {
  if (timeline.facts.empty())
    return;
  os << "<table>\n";
  for (const auto &[name, value] : timeline.facts)
    os << "<tr><td>" << escape(name) << "</td><td>" << escape(value)
       << "</td></tr>\n";
  os << "</table>\n";
}

void hetero::simulator::writeTimeline(const Timeline &timeline,
                                      raw_ostream &os) {
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" "
        "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n<title>"
     << escape(timeline.title) << "</title>\n<style>" << style
     << "</style>\n</head>\n<body>\n<h1>" << escape(timeline.title)
     << "</h1>\n";
  writeFacts(timeline, os);
  writeLegend(os);
  os << "<p></p>\n<label>width</label>\n";
  for (const char *zoom : {"1", "4", "16", "64"})
    os << "<input type=\"radio\" name=\"zoom\" id=\"z" << zoom << "\""
       << (StringRef(zoom) == "1" ? " checked" : "")
       << "><label class=\"zoom\" for=\"z" << zoom << "\">" << zoom
       << "×</label>\n";
  for (const TimelineSection &section : timeline.sections) {
    os << "<h2>" << escape(section.title) << "</h2>\n<p>"
       << escape(section.remark) << "</p>\n";
    writeChart(section, os);
  }
  os << "</body>\n</html>\n";
}
