//===- TimelineChart.cpp - The picture of one section ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TimelineChart.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/Format.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace hetero;
using namespace hetero::simulator;

// Pixels from top to bottom.
static constexpr int axisHeight = 26, laneGap = 14, computeHeight = 26,
                     rowHeight = 10, rowGap = 2, memoryHeight = 36;
/// Transfers at the same time have rows of their own, up to these.
static constexpr size_t maxRows = 4;
/// The unit of paths, which cannot be placed by percentages.
static constexpr double pathWidth = 100000, pathHeight = 1000;
/// Narrower spans would not be seen.
static constexpr double minPercent = 0.03;

std::string hetero::simulator::escape(StringRef text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      // Control characters are not allowed in a page.
      escaped += static_cast<unsigned char>(c) < 32 && c != '\n' ? ' ' : c;
    }
  }
  return escaped;
}

/// In the largest unit that keeps it at 1 or more.
static std::string formatScaled(double value,
                                ArrayRef<std::pair<double, const char *>> units,
                                const char *smallest) {
  for (auto [size, name] : units)
    if (value >= size) {
      value /= size;
      int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
      std::string text;
      raw_string_ostream(text) << format("%.*f %s", digits, value, name);
      return text;
    }
  std::string text;
  raw_string_ostream(text) << format("%.0f %s", value, smallest);
  return text;
}

std::string hetero::simulator::formatTime(Time time) {
  return formatScaled(
      time.count(), {{1e12, "s"}, {1e9, "ms"}, {1e6, "µs"}, {1e3, "ns"}}, "ps");
}

std::string hetero::simulator::formatBytes(Bytes bytes) {
  return formatScaled(
      bytes.count(),
      {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"}, {0x1p10, "KiB"}},
      "B");
}

Time hetero::simulator::getEnd(const TimelineSection &section) {
  Time end(1);
  for (const TimelineLane &lane : section.lanes)
    for (const auto *spans : {&lane.computation, &lane.communication})
      for (const TimelineSpan &span : *spans)
        end = std::max(end, span.end);
  return end;
}

double hetero::simulator::getBusyShare(const TimelineSection &section,
                                       const TimelineLane &lane) {
  Time busy(0);
  for (const TimelineSpan &span : lane.computation)
    if (span.activity != Activity::Wait)
      busy += span.end - span.start;
  return static_cast<double>(busy.count()) / getEnd(section).count();
}

namespace {
/// Where the parts of a lane lie.
struct LaneLayout {
  int top = 0;
  /// For each transfer its row.
  std::vector<size_t> rows;
  size_t numRows = 0;
  int memoryTop = 0;
  int bottom = 0;
};

/// Writes one section.
class Chart {
public:
  Chart(const TimelineSection &section, raw_ostream &os);
  void write();

private:
  LaneLayout layOut(const TimelineLane &lane, int top) const;
  void writeNames();
  void writeName(const TimelineLane &lane, const LaneLayout &layout);
  void writeAxis();
  void writeLane(const TimelineLane &lane, const LaneLayout &layout);
  void writeSpan(const TimelineSpan &span, int top, int height);
  void writeMemory(const TimelineLane &lane, int top);

  std::string percent(Time time) const;

  const TimelineSection &section;
  raw_ostream &os;
  const Time end;
  std::vector<LaneLayout> layouts;
  int height = axisHeight;
};
} // namespace

Chart::Chart(const TimelineSection &section, raw_ostream &os)
    : section(section), os(os), end(getEnd(section)) {
  for (const TimelineLane &lane : section.lanes) {
    layouts.push_back(layOut(lane, height));
    height = layouts.back().bottom + laneGap;
  }
}

LaneLayout Chart::layOut(const TimelineLane &lane, int top) const {
  LaneLayout layout;
  layout.top = top;
  // The first row that is free, in the order of beginnings.
  auto order = to_vector(seq<size_t>(lane.communication.size()));
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::make_pair(lane.communication[a].start, a) <
           std::make_pair(lane.communication[b].start, b);
  });
  std::vector<Time> ends;
  layout.rows.resize(order.size());
  for (size_t i : order) {
    const TimelineSpan &span = lane.communication[i];
    size_t row = 0;
    while (row < ends.size() && ends[row] > span.start)
      ++row;
    row = std::min(row, maxRows - 1);
    if (row == ends.size())
      ends.emplace_back(0);
    ends[row] = std::max(ends[row], span.end);
    layout.rows[i] = row;
  }
  layout.numRows = ends.size();
  layout.memoryTop =
      top + computeHeight + rowGap + int(layout.numRows) * (rowHeight + rowGap);
  layout.bottom =
      layout.memoryTop + (lane.memory.empty() ? 0 : rowGap + memoryHeight);
  return layout;
}

std::string Chart::percent(Time time) const {
  double share = 100.0 * time.count() / end.count();
  std::string text;
  raw_string_ostream(text) << format("%.4f%%", share);
  return text;
}

void Chart::write() {
  os << "<div class=\"chart\">\n";
  writeNames();
  os << "<div class=\"scroll\"><svg class=\"lanes\" height=\"" << height
     << "\" role=\"img\">\n";
  writeAxis();
  for (auto [lane, layout] : llvm::zip_equal(section.lanes, layouts))
    writeLane(lane, layout);
  os << "</svg></div>\n</div>\n";
}

void Chart::writeNames() {
  os << "<svg class=\"names\" width=\"200\" height=\"" << height << "\">\n";
  for (auto [lane, layout] : llvm::zip_equal(section.lanes, layouts))
    writeName(lane, layout);
  os << "</svg>\n";
}

void Chart::writeName(const TimelineLane &lane, const LaneLayout &layout) {
  os << "<text class=\"name\" x=\"0\" y=\"" << layout.top + 12 << "\">rank "
     << lane.rank << "</text><text class=\"note\" x=\"190\" y=\""
     << layout.top + 12 << "\" text-anchor=\"end\">"
     << format("%.0f", 100 * getBusyShare(section, lane)) << "% busy</text>\n";
  os << "<text class=\"note\" x=\"0\" y=\"" << layout.top + 26 << "\">"
     << escape(lane.note) << "</text>\n";
  if (lane.memory.empty())
    return;
  Bytes peak(0);
  for (const TimelineMemory &point : lane.memory)
    peak = std::max(peak, point.bytes);
  os << "<text class=\"note\" x=\"0\" y=\""
     << layout.memoryTop + rowGap + memoryHeight - 4 << "\">memory: peak "
     << formatBytes(peak);
  if (lane.capacity)
    os << " of " << formatBytes(*lane.capacity);
  os << "</text>\n";
}

/// A distance of 1, 2 or 5 times a power of ten, so that about `count` fit.
static double getTickDistance(double whole, double count) {
  double base = std::pow(10, std::floor(std::log10(whole / count)));
  for (double factor : {1.0, 2.0, 5.0})
    if (whole / (base * factor) <= count)
      return base * factor;
  return base * 10;
}

/// Without the zeros at the end: "20 ms", "1.5 s".
static std::string formatTick(double time) {
  std::string text = formatTime(Time::nearest(time));
  size_t unit = text.find(' '), end = unit;
  if (StringRef(text).take_front(unit).contains('.'))
    end = text.find_last_not_of('0', unit - 1) + 1;
  if (text[end - 1] == '.')
    --end;
  return text.erase(end, unit - end);
}

void Chart::writeAxis() {
  double distance = getTickDistance(end.count(), 10);
  for (int i = 0; i * distance <= end.count(); ++i) {
    std::string x = percent(Time::nearest(i * distance));
    os << "<line class=\"grid\" x1=\"" << x << "\" x2=\"" << x << "\" y1=\""
       << axisHeight - 8 << "\" y2=\"" << height << "\"/>";
    // The last one would be cut off at the right edge.
    if (i * distance > 0.96 * end.count())
      continue;
    os << "<text class=\"tick\" x=\"" << x << "\" dx=\"3\" y=\"12\">"
       << (i == 0 ? "0" : formatTick(i * distance)) << "</text>\n";
  }
}

void Chart::writeLane(const TimelineLane &lane, const LaneLayout &layout) {
  os << "<rect class=\"floor\" x=\"0\" y=\"" << layout.top
     << "\" width=\"100%\" height=\"" << computeHeight << "\"/>\n";
  for (const TimelineSpan &span : lane.computation)
    writeSpan(span, layout.top, computeHeight);
  for (auto [span, row] : llvm::zip_equal(lane.communication, layout.rows))
    writeSpan(span,
              layout.top + computeHeight + rowGap +
                  int(row) * (rowHeight + rowGap),
              rowHeight);
  if (!lane.memory.empty())
    writeMemory(lane, layout.memoryTop + rowGap);
}

/// A picture of its own cuts the label off at its end.
void Chart::writeSpan(const TimelineSpan &span, int top, int height) {
  Time length = std::max(span.end - span.start, Time(0));
  double width = std::max(100.0 * length.count() / end.count(), minPercent);
  os << "<svg class=\"" << stringify(span.activity) << "\" x=\""
     << percent(span.start) << "\" y=\"" << top << "\" width=\""
     << format("%.4f%%", width) << "\" height=\"" << height
     << "\"><rect width=\"100%\" height=\"100%\"/>";
  // Numbers stand in the middle; of words the beginning is to be seen.
  bool isWord = span.label.size() > 3;
  if (!span.label.empty() && height >= computeHeight)
    os << "<text x=\"" << (isWord ? "4" : "50%") << "\" y=\"" << height / 2 + 4
       << (isWord ? "\">" : "\" text-anchor=\"middle\">") << escape(span.label)
       << "</text>";
  os << "<title>" << escape(span.title) << "\n"
     << formatTime(span.start) << " to " << formatTime(span.end) << " ("
     << formatTime(length) << ")</title></svg>\n";
}

void Chart::writeMemory(const TimelineLane &lane, int top) {
  Bytes peak(0);
  for (const TimelineMemory &point : lane.memory)
    peak = std::max(peak, point.bytes);
  // The capacity is shown where it tells something.
  Bytes scale = std::max(peak, Bytes(1));
  bool showsCapacity = lane.capacity && lane.capacity->count() > 0 &&
                       lane.capacity->count() / 8 <= scale.count();
  if (showsCapacity)
    scale = std::max(scale, *lane.capacity);
  auto x = [&](Time time) {
    return format("%.1f", pathWidth * time.count() / end.count());
  };
  auto y = [&](Bytes bytes) {
    return format("%.1f",
                  pathHeight * (1 - double(bytes.count()) / scale.count()));
  };
  os << "<svg class=\"memory\" x=\"0\" y=\"" << top
     << "\" width=\"100%\" height=\"" << memoryHeight << "\" viewBox=\"0 0 "
     << int(pathWidth) << " " << int(pathHeight)
     << "\" preserveAspectRatio=\"none\"><path d=\"M0 " << int(pathHeight);
  Bytes last = lane.memory.front().bytes;
  os << "V" << y(last);
  for (auto [i, point] : llvm::enumerate(lane.memory)) {
    // Of several amounts at one time the last one stays.
    bool isReplaced =
        i + 1 < lane.memory.size() && lane.memory[i + 1].time == point.time;
    if (point.bytes == last || isReplaced)
      continue;
    os << "H" << x(point.time) << "V" << y(point.bytes);
    last = point.bytes;
  }
  os << "H" << int(pathWidth) << "V" << int(pathHeight) << "Z\"/>";
  if (showsCapacity)
    os << "<line class=\"capacity\" x1=\"0\" x2=\"" << int(pathWidth)
       << "\" y1=\"" << y(*lane.capacity) << "\" y2=\"" << y(*lane.capacity)
       << "\"/>";
  os << "<title>memory in use, at most " << formatBytes(peak);
  if (lane.capacity)
    os << " of " << formatBytes(*lane.capacity);
  os << "</title></svg>\n";
}

void hetero::simulator::writeChart(const TimelineSection &section,
                                   raw_ostream &os) {
  Chart(section, os).write();
}
