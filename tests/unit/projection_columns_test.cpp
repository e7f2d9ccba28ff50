// The columns of a projection that are keys of its JSON, and its schema.
#include "io/views/projection_columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "io/artifacts/schemas.hpp"

namespace seqpoint::testing {
namespace {

using io::views::JsonObject;

/// Checks that the description of an object has the columns that are its keys, required or not.
void expect_described(const nlohmann::json& description, JsonObject object) {
  for (const io::views::Column& column : io::views::projection_columns()) {
    if (column.json != object) continue;
    EXPECT_TRUE(description["properties"].contains(column.name)) << column.name << " is not in projection.json";
    const auto required = description["required"].get<std::set<std::string>>();
    EXPECT_EQ(required.contains(std::string(column.name)), column.is_required) << column.name;
  }
}

TEST(ProjectionColumns, TheSchemaDescribesThem) {
  const auto found = std::ranges::find(io::artifacts::schemas(), "projection", &io::artifacts::Schema::kind);
  const nlohmann::json all = nlohmann::json::parse(found->text), &parts = all["$defs"];
  expect_described(parts["configuration"], JsonObject::configuration);
  expect_described(parts["metric"], JsonObject::metric);
  expect_described(parts["configuration"]["properties"]["throughput"]["anyOf"][1], JsonObject::throughput);
}

TEST(ProjectionColumns, ThoseForPeopleHaveHeadings) {
  for (const io::views::Column* const column : io::views::columns_for_people())
    EXPECT_FALSE(column->heading.empty()) << column->name;
}

}  // namespace
}  // namespace seqpoint::testing
