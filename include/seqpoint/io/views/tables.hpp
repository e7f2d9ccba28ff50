/// \file
/// Findings as people and other programs read them: one table of cells, written as text, CSV or Markdown.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "seqpoint/evaluate/evaluation.hpp"
#include "seqpoint/evaluate/families.hpp"
#include "seqpoint/profile/steps.hpp"
#include "seqpoint/project/projection.hpp"
#include "seqpoint/project/ranking.hpp"
#include "seqpoint/select/selection.hpp"

namespace seqpoint::io::views {

/// Cells, row by row. The first row is the header; all rows are as wide.
struct TextTable {
  std::vector<std::vector<std::string>> rows;  ///< UTF-8, as they are; what is escaped follows from the form
  std::size_t left_columns = 1;                ///< so many columns are text, aligned left; the others are numbers
  std::vector<TextTable> below = {};           ///< others that follow it in text and Markdown
};

std::string as_text(const TextTable&);      ///< columns aligned, two blanks between them
std::string as_markdown(const TextTable&);  ///< `|` in cells escaped
std::string as_csv(const TextTable&);       ///< RFC 4180; text that a spreadsheet would run begins with an apostrophe

/// A projection for people: rounded, with units. A row a metric of a configuration.
TextTable projection_table(const project::Projection&);
/// A ranking for people: a table a configuration.
TextTable ranking_table(const project::Ranking&);
/// An evaluation for people: a row a method and number of points.
TextTable evaluation_table(const evaluate::Evaluation&);
/// An evaluation by cost functions for people.
TextTable families_table(const evaluate::FamiliesEvaluation&);
/// The points of a selection for people: keys, weights, shares and repeats.
TextTable points_table(const select::Selection&);
/// The numbers of points that a method considered, with their expected errors, for people.
TextTable numbers_of_points_table(const std::vector<select::NumberOfPointsRecord>&);
/// The steps of profiles for people.
TextTable inspection_table(std::span<const profile::StepProfile>);
/// A break-down for people.
TextTable breakdown_table(const project::Breakdown&);

/// A projection for programs: every figure in full, one a row.
TextTable projection_rows(const project::Projection&);
/// A ranking for programs: every figure in full.
TextTable ranking_rows(const project::Ranking&);
/// An evaluation for programs: every figure in full.
TextTable evaluation_rows(const evaluate::Evaluation&);
/// An evaluation by cost functions for programs: every figure in full.
TextTable families_rows(const evaluate::FamiliesEvaluation&);
/// Adds the break-down to `projection_rows`: the metric of a row is "category:GEMM", say.
void append_breakdown_rows(TextTable& projection, const project::Breakdown&);
/// The steps of profiles for programs: every figure in full.
TextTable inspection_rows(std::span<const profile::StepProfile>);

/// A time in seconds, with four significant digits and a unit: "12.34 s", "3.209 min", "1.2 h".
std::string duration_text(double seconds);
/// A number with `digits` significant digits, without an exponent between 1e-4 and 1e9.
std::string number_text(double value, int digits = 4);
/// "12.3 times fewer", or "no fewer" where `ratio` is at most 1.
std::string fewer_text(double ratio);
/// A share as a percentage with `digits` significant digits: 0.125 is "12.5 %".
std::string percent_text(double share, int digits = 3);

}  // namespace seqpoint::io::views
