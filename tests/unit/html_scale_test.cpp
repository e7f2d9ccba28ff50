// Scales, ticks and the writer of SVG: what charts are made of.
#include <gtest/gtest.h>

#include <cmath>

#include "io/views/html/plot.hpp"
#include "io/views/html/svg.hpp"

namespace seqpoint::io::views::html {
namespace {

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> all;
  for (const Tick& tick : ticks) all.push_back(tick.label);
  return all;
}

TEST(HtmlScale, StepsAreOneTwoOrFiveTimesAPowerOfTen) {
  for (double span = 1e-7; span < 1e9; span *= 1.7)
    for (int most = 2; most <= 12; ++most) {
      const double step = nice_step(span, most);
      const double mantissa = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
      EXPECT_TRUE(std::abs(mantissa - 1) < 1e-9 || std::abs(mantissa - 2) < 1e-9 || std::abs(mantissa - 5) < 1e-9)
          << span << " " << most;
      EXPECT_LE(span / step, most * (1 + 1e-9));        // no more parts than asked for
      EXPECT_GT(span / step, most / 2.5 * (1 - 1e-9));  // and the next finer step would have been too many
    }
}

TEST(HtmlScale, TicksAreRoundAndInside) {
  const Scale scale(0.13, 0.94, 0, 100);
  EXPECT_EQ(labels(scale.ticks(5)), (std::vector<std::string>{"0.2", "0.4", "0.6", "0.8"}));
  EXPECT_EQ(labels(Scale(-3, 3, 0, 1).ticks(6)), (std::vector<std::string>{"-3", "-2", "-1", "0", "1", "2", "3"}));
  EXPECT_EQ(labels(Scale(0, 0.0004, 0, 1).ticks(4)),
            (std::vector<std::string>{"0.0000", "0.0001", "0.0002", "0.0003", "0.0004"}));
}

TEST(HtmlScale, CountsHaveWholeTicks) {
  EXPECT_EQ(labels(Scale(0, 3, 0, 1).ticks(12, 1)), (std::vector<std::string>{"0", "1", "2", "3"}));
  EXPECT_EQ(labels(Scale(0, 0.4, 0, 1).ticks(4, 1)), (std::vector<std::string>{"0"}));
}

TEST(HtmlScale, LongNumbersAreGroupedOrGetAUnit) {
  EXPECT_EQ(labels(Scale(0, 20000, 0, 1).ticks(2)), (std::vector<std::string>{"0", "10,000", "20,000"}));
  EXPECT_EQ(labels(Scale(0, 1e6, 0, 1).ticks(2)), (std::vector<std::string>{"0.0 M", "0.5 M", "1.0 M"}));
  EXPECT_EQ(labels(Scale(0, 400000, 0, 1).ticks(2)), (std::vector<std::string>{"0 k", "200 k", "400 k"}));
  EXPECT_EQ(axis_label(-1234.5, 0.5, 2000), "-1,234.5");
  EXPECT_EQ(axis_label(-123, 1, 200), "-123");
}

TEST(HtmlScale, TimesHaveTheUnitOfTheirText) {
  EXPECT_STREQ(time_unit(7200).name, "h");
  EXPECT_STREQ(time_unit(7199).name, "min");
  EXPECT_STREQ(time_unit(179).name, "s");
  EXPECT_STREQ(time_unit(0.99).name, "ms");
  EXPECT_STREQ(time_unit(1e-5).name, "ms");
  EXPECT_EQ(time_unit(180).seconds, 60);
}

TEST(HtmlScale, GoesFromEndToEndEitherWay) {
  const Scale up(10, 20, 100, 300), down(10, 20, 300, 100);
  EXPECT_DOUBLE_EQ(up(10), 100);
  EXPECT_DOUBLE_EQ(up(20), 300);
  EXPECT_DOUBLE_EQ(up(12.5), 150);
  EXPECT_DOUBLE_EQ(down(12.5), 250);
  EXPECT_DOUBLE_EQ(up(25), 400);  // straight on
}

TEST(HtmlScale, ARangeWithoutExtentIsWidened) {
  const Scale one(4, 4, 0, 100), zero(0, 0, 0, 100);
  EXPECT_DOUBLE_EQ(one(4), 50);
  EXPECT_DOUBLE_EQ(zero(0), 50);
  EXPECT_FALSE(one.ticks(4).empty());
}

TEST(HtmlScale, LogarithmicTicks) {
  const Scale scale(0.5, 20, 0, 100, Scale::Kind::logarithmic);
  EXPECT_EQ(labels(scale.ticks(8)), (std::vector<std::string>{"0.5", "1", "2", "5", "10", "20"}));
  EXPECT_EQ(labels(scale.ticks(3)), (std::vector<std::string>{"1", "10"}));
  EXPECT_NEAR(scale(std::sqrt(0.5 * 20)), 50, 1e-9);
}

TEST(HtmlSvg, PlacesAreTenthsOfAPixel) {
  EXPECT_EQ(pixels(12), "12");
  EXPECT_EQ(pixels(12.34), "12.3");
  EXPECT_EQ(pixels(-0.25), "-0.3");
  EXPECT_EQ(pixels(-0.04), "0");
  EXPECT_EQ(pixels(-7.96), "-8");
}

TEST(HtmlSvg, NamesStayText) {
  Svg svg(10, 10, "a\"><script>");
  svg.text(1, 2, Anchor::end, "label", "<b>&\"");
  svg.rect(0, 0, 1, 1, "bar", "</title><script>");
  EXPECT_EQ(svg.finish(),
            "<svg viewBox=\"0 0 10 10\" role=\"group\" aria-label=\"a&quot;&gt;&lt;script&gt;\">"
            "<text x=\"1\" y=\"2\" class=\"label\" text-anchor=\"end\">&lt;b&gt;&amp;&quot;</text>"
            "<rect class=\"bar\" x=\"0\" y=\"0\" width=\"1\" "
            "height=\"1\"><title>&lt;/title&gt;&lt;script&gt;</title></rect>\n</svg>\n");
}

TEST(HtmlSvg, NamesAreCutBetweenCharacters) {
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("longer", 5), "long…");
  EXPECT_EQ(shortened("日本語の名前", 4), "日本語…");
  EXPECT_EQ(shortened("a\xff"
                      "bc",
                      3),
            "a\uFFFD…");
}

std::size_t occurrences_in(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

std::string plot_of(std::size_t discs) {
  Svg svg(kPictureWidth, 200, "discs at one place");
  Plot plot(svg, Plot::kHead, 160, {.name = "x", .low = 0, .high = 10}, {.name = "y", .low = 0, .high = 10});
  for (std::size_t d = 0; d < discs; ++d) plot.add({.x = 5, .y = 5, .label = "a label", .tip = "what it is"});
  plot.finish();
  return svg.finish();
}

TEST(HtmlPlot, LabelsWithoutRoomAreLeftOutAndDiscsAreNot) {
  EXPECT_EQ(occurrences_in(plot_of(1), ">a label<"), 1U);
  EXPECT_EQ(occurrences_in(plot_of(3), ">a label<"), 3U);  // side by side, above, below
  EXPECT_LT(occurrences_in(plot_of(40), ">a label<"), 20U);
  EXPECT_EQ(occurrences_in(plot_of(40), "class=\"disc\""), 40U);
}

TEST(HtmlPlot, ALegendGoesOnInTheNextRow) {
  const Legend one({"v1", "v2"}), many(std::vector<std::string>(30, "a configuration"));
  EXPECT_LT(one.height(), many.height());
  Svg svg(kPictureWidth, many.height(), "names");
  many.draw(svg);
  EXPECT_EQ(occurrences_in(svg.finish(), ">a configuration<"), 30U);
}

}  // namespace
}  // namespace seqpoint::io::views::html
