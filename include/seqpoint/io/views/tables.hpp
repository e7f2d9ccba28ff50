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
#include "seqpoint/select/selection.hpp"

namespace seqpoint::io::views {

/// Cells, row by row. The first row is the header; all rows are as wide.
struct TextTable {
  std::vector<std::vector<std::string>> rows;
  std::size_t left_columns = 1;       ///< so many columns are text, aligned left; the others are numbers
  std::vector<TextTable> below = {};  ///< others that follow it in text and Markdown
};

std::string as_text(const TextTable&);      ///< columns aligned, two blanks between them
std::string as_markdown(const TextTable&);  ///< `|` in cells escaped
std::string as_csv(const TextTable&);       ///< RFC 4180; text that a spreadsheet would run begins with an apostrophe

/// For people: rounded, with units.
TextTable projection_table(const project::Projection&);
TextTable evaluation_table(const evaluate::Evaluation&);
TextTable families_table(const evaluate::FamiliesEvaluation&);
TextTable points_table(const select::Selection&);
TextTable numbers_of_points_table(const std::vector<select::NumberOfPointsRecord>&);
TextTable inspection_table(std::span<const profile::StepProfile>);
TextTable breakdown_table(const project::Breakdown&);

/// For programs: every figure in full, one a row.
TextTable projection_rows(const project::Projection&);
TextTable evaluation_rows(const evaluate::Evaluation&);
TextTable families_rows(const evaluate::FamiliesEvaluation&);
/// Adds the break-down to `projection_rows`: the metric of a row is "category:GEMM", say.
void append_breakdown_rows(TextTable& projection, const project::Breakdown&);
TextTable inspection_rows(std::span<const profile::StepProfile>);

/// Four significant digits: "12.34 s", "3.209 min", "1.2 h".
std::string duration_text(double seconds);
/// `digits` significant digits, no exponent between 1e-4 and 1e9.
std::string number_text(double value, int digits = 4);
/// A share as "12.5 %".
std::string percent_text(double share, int digits = 3);

}  // namespace seqpoint::io::views
