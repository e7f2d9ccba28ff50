// Shapes near to points: the search against a comparison with all, and first executions that follow one.
#include "core/select/near_shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "property/draw.hpp"
#include "seqpoint/measure.hpp"
#include "seqpoint/select.hpp"

namespace seqpoint::testing {
namespace {

using trace::Signature;

double distance(const Signature& a, const Signature& b) {
  const auto share = [](double x, double y) { return x == y ? 0 : std::abs(x - y) / std::max(x, y); };
  return share(a.src_len, b.src_len) + share(a.tgt_len, b.tgt_len) + share(a.batch_size, b.batch_size);
}

TEST(NearShapes, AreThoseOfAllThatDifferLeast) {
  for_seeds(200, [](Draw& draw) {
    const auto drawn = [&] { return Signature{1 + draw.below(30U), draw.below(4U) * 5, 8 * (1 + draw.below(2U))}; };
    std::vector<Signature> shapes(draw.below(40U));
    std::ranges::generate(shapes, drawn);
    const Signature to = drawn();
    const select::NearShapes near(shapes);
    const Signature* const found = near.nearest_to(to);
    ASSERT_EQ(found == nullptr, shapes.empty());
    if (found == nullptr) return;
    const Signature nearest =
        *std::ranges::min_element(shapes, {}, [&](const Signature& s) { return std::pair(distance(to, s), s); });
    EXPECT_NEAR(distance(to, *found), distance(to, nearest), 1e-12);
    if (distance(to, *found) == distance(to, nearest)) {
      EXPECT_EQ(*found, nearest);
    }
  });
}

/// Points of 20, 40 and 100; what else the run has is of 24, 38 and 90 in batches of 4, and of 41 in one of 2.
select::Selection points_with_near_shapes() {
  select::Selection selection;
  for (const std::uint32_t length : {20U, 24U, 38U, 40U, 90U, 100U})
    selection.run.histogram.push_back({{length, 0, 4}, 1});
  selection.run.histogram.push_back({{41, 0, 2}, 1});
  selection.run.iterations = 7;
  for (const std::uint32_t length : {20U, 40U, 100U})
    selection.points.push_back({"sp" + std::to_string(selection.points.size() + 1), {length, 0, 4}, {}, {0}, {}});
  return selection;
}

profile::ProfileRow row_of(std::uint32_t length, std::size_t session, bool warmup, bool first) {
  profile::ProfileRow row;
  row.values = {1};
  row.identity.key = trace::PartialSignature::of(trace::SignatureKind::padded, {length, 0, 4});
  row.origin.session = session;
  row.warmup = warmup;
  row.first = first;
  return row;
}

/// 38 is near to 40. What ran in another process, or runs later, does not count, nor does a point, however near.
TEST(NearShapes, BeforeAFirstExecutionAreThoseOfItsProcess) {
  profile::ProfileTable table;
  table.source = "p.csv";
  table.dimensions = {trace::Dimension::src_len};
  table.metrics = {"runtime_s"};
  for (const auto& [length, session, first] :
       {std::tuple(38U, 0, false), std::tuple(20U, 0, true), std::tuple(40U, 0, true), std::tuple(100U, 0, true),
        std::tuple(20U, 1, true), std::tuple(40U, 1, true), std::tuple(90U, 1, false), std::tuple(100U, 1, true),
        std::tuple(39U, 2, true), std::tuple(40U, 2, true)}) {
    table.rows.push_back(row_of(length, static_cast<std::size_t>(session), true, first));
    if (first) table.rows.push_back(row_of(length, static_cast<std::size_t>(session), false, false));
  }
  select::Selection selection = points_with_near_shapes();
  selection.run.histogram.push_back({{39, 0, 4}, 1});
  selection.points.push_back({"sp4", {39, 0, 4}, {}, {0}, {}});
  const profile::Measurements found = profile::match(std::vector{table}, selection, 0);
  std::vector<std::tuple<std::size_t, std::size_t, bool>> near;
  for (const profile::FirstExecution& first : found.first_executions)
    near.emplace_back(first.point, first.session, first.near);
  EXPECT_EQ(near, (decltype(near){{0, 0, false},
                                  {1, 0, true},
                                  {2, 0, false},
                                  {0, 1, false},
                                  {1, 1, false},
                                  {2, 1, true},
                                  {3, 2, false},
                                  {1, 2, false}}));
}

}  // namespace
}  // namespace seqpoint::testing
