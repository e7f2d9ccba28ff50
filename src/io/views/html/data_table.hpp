/// \file
/// The data of a chart, used for the table below it and for the data embedded in the page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "io/artifacts/json.hpp"

namespace seqpoint::io::views::html {

/// Nothing; a count; a number, rounded as artefacts are; a name.
using Cell = std::variant<std::monostate, std::uint64_t, double, std::string>;

struct DataTable {
  std::string id, caption;
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  ///< each as wide as `columns`
};

/// Nothing where there is no finite number.
Cell cell(double value);
Cell cell(const std::optional<double>& value);

/// As JSON has it: numbers in the very digits of artefacts.
artifacts::Json cell_json(const Cell& value);
/// As people see it: the same digits.
std::string cell_text(const Cell& value);

std::string table_html(const DataTable& table);
/// {"id", "caption", "columns", "rows"}
artifacts::Json table_json(const DataTable& table);

}  // namespace seqpoint::io::views::html
