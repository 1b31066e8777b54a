//===- TimelineTest.cpp - Tests of the page that shows a step -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "hetero/Simulator/Timeline.h"
#include "gtest/gtest.h"

using namespace hetero;
using namespace hetero::simulator;

static std::string write(const Timeline &timeline) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeTimeline(timeline, os);
  return text;
}

static size_t count(const std::string &text, const std::string &part) {
  size_t number = 0;
  for (size_t at = text.find(part); at != std::string::npos;
       at = text.find(part, at + 1))
    ++number;
  return number;
}

TEST(TimelineTest, classifiesInstructions) {
  EXPECT_EQ(classify("forward 3"), Activity::Forward);
  EXPECT_EQ(classify("recompute 3 chunk 1"), Activity::Forward);
  EXPECT_EQ(classify("weight_gradient 0"), Activity::Backward);
  EXPECT_EQ(classify("update"), Activity::Update);
  EXPECT_EQ(classify("send_gradient 2 to 1"), Activity::Communication);
  EXPECT_EQ(classify("reduce"), Activity::Communication);
  EXPECT_EQ(classify("wait"), Activity::Wait);
  EXPECT_EQ(classify("forwards"), Activity::Other);
  EXPECT_EQ(classify(""), Activity::Other);
}

TEST(TimelineTest, anEmptyPageIsAPage) {
  std::string text = write({"nothing", {}, {{"none", "", {}}}});
  EXPECT_EQ(text.rfind("<!DOCTYPE html>", 0), 0u);
  EXPECT_NE(text.find("</html>"), std::string::npos);
}

TEST(TimelineTest, placesSpans) {
  Timeline timeline;
  timeline.title = "a < b & \"c\"";
  TimelineSection &section = timeline.sections.emplace_back();
  TimelineLane &lane = section.lanes.emplace_back();
  lane.computation = {
      {Time(0), Time(1000000), Activity::Forward, "0", "forward 0"},
      {Time(3000000), Time(4000000), Activity::Wait, "", "wait"}};
  // The second begins before the first has ended: another row.
  lane.communication = {
      {Time(1000000), Time(3000000), Activity::Communication, "", "send <0>"},
      {Time(2000000), Time(4000000), Activity::Communication, "", "send 1"}};
  std::string text = write(timeline);
  EXPECT_NE(text.find("a &lt; b &amp; &quot;c&quot;"), std::string::npos);
  EXPECT_NE(text.find("<svg class=\"forward\" x=\"0.0000%\" y=\"26\" "
                      "width=\"25.0000%\" height=\"26\">"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("<svg class=\"communication\" x=\"25.0000%\" y=\"54\" "
                      "width=\"50.0000%\""),
            std::string::npos);
  EXPECT_NE(text.find("<svg class=\"communication\" x=\"50.0000%\" y=\"66\" "
                      "width=\"50.0000%\""),
            std::string::npos);
  EXPECT_NE(text.find("<title>send &lt;0&gt;\n1.00 µs to 3.00 µs (2.00 µs)"),
            std::string::npos);
  // Waiting is not work.
  EXPECT_EQ(getBusyShare(section, lane), 0.25);
  EXPECT_EQ(count(text, "class=\"memory\""), 1u); // In the legend.
  // Nothing comes from elsewhere.
  for (const char *word : {"http:", "https:", "<script", "@import", "url("})
    EXPECT_EQ(count(text, word), 0u) << word;
}

TEST(TimelineTest, drawsMemory) {
  TimelineLane lane;
  lane.computation = {{Time(0), Time(100), Activity::Forward, "", "forward"}};
  lane.memory = {{Time(0), Bytes(10)}, {Time(50), Bytes(20)}};
  lane.capacity = Bytes(40);
  Timeline timeline;
  timeline.sections.push_back({"", "", {lane}});
  std::string text = write(timeline);
  EXPECT_NE(text.find("M0 1000V750.0H50000.0V500.0H100000V1000Z"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("memory: peak 20 B of 40 B"), std::string::npos);
  EXPECT_EQ(count(text, "<line class=\"capacity\""), 1u);
  // Far above what is used it would only hide that.
  timeline.sections[0].lanes[0].capacity = Bytes(1000);
  EXPECT_EQ(count(write(timeline), "<line class=\"capacity\""), 0u);
}
