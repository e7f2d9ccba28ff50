// Rows of a panel: dots inside of the axis are circles, outliers beyond it are arrows at its ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "io/views/html/row_panel.hpp"

namespace seqpoint::io::views::html {
namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// The picture of a value of 10, whose axis is about 8 to 12, with a dot below it.
std::string picture_with(const Dot& dot) {
  RowPanel panel{.title = "s", .from_zero = false};
  panel.rows.push_back({.name = "v1", .figure = "", .values = {{0, 10, project::Interval{8, 12}, ""}}, .dots = {dot}});
  return draw_panel(panel, "picture", Legend({"v1"}));
}

/// The numbers of "Mx yLx yLx yZ" in the path of an outlier: the first and the second x.
std::pair<double, double> back_and_tip(const std::string& svg) {
  const std::size_t path = svg.find("d=\"M", svg.find("class=\"outlier")) + 4;
  return {std::stod(svg.substr(path)), std::stod(svg.substr(svg.find('L', path) + 1))};
}

TEST(HtmlRows, ADotOnTheAxisIsACircle) {
  EXPECT_EQ(count(picture_with({.series = 0, .value = 9, .tip = "", .is_outlier = true}), "<circle class=\"outlier"),
            1u);
}

TEST(HtmlRows, AnOutlierBeyondTheAxisIsAnArrowThatPointsThere) {
  const std::string above = picture_with({.series = 0, .value = 40, .tip = "", .is_outlier = true}),
                    below = picture_with({.series = 0, .value = 1, .tip = "", .is_outlier = true});
  for (const std::string& svg : {above, below}) EXPECT_EQ(count(svg, "<circle class=\"outlier"), 0u);
  EXPECT_GT(back_and_tip(above).second, back_and_tip(above).first);
  EXPECT_LT(back_and_tip(below).second, back_and_tip(below).first);
  EXPECT_GT(back_and_tip(above).first, back_and_tip(below).first);
}

TEST(HtmlRows, TheAxisCoversADotThatIsNoOutlier) {
  EXPECT_EQ(count(picture_with({.series = 0, .value = 40, .tip = ""}), "<circle class=\"process"), 1u);
}

}  // namespace
}  // namespace seqpoint::io::views::html
