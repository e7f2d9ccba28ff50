#include "core/profile/row_consistency.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "core/trace/phases.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::profile {

std::optional<trace::Dimension> contradiction(trace::SignatureKind kind, const trace::PartialSignature& row,
                                              const select::Point& point) {
  for (const trace::Dimension d : trace::dimensions_of(kind)) {
    if (row[d] && *row[d] != point.signature[d]) return d;
    if (point.length_group) break;  // the first dimension is the length
  }
  return std::nullopt;
}

RowConsistency::RowConsistency(const ProfileTable& file, const select::Selection& selection)
    : file_(file), selection_(selection) {
  for (const select::Point& point : selection.points) {
    by_id_.emplace(point.id, &point);
    for (const std::uint64_t iteration : point.iterations) by_iteration_.emplace(iteration, &point);
  }
  // Iterations numbered in another way occasionally match the list of the right point by chance, but seldom more often
  // than the lists of other points.
  std::size_t right = 0, wrong = 0;
  for (const ProfileRow& row : file.rows)
    if (row.identity.point.empty() && row.identity.length(selection.run.kind) && row.identity.iteration)
      if (const auto [first, end] = listed(row); first != end) ++(listed_for(row) ? right : wrong);
  numbered_as_run_ = right > wrong;
}

bool RowConsistency::listed_for(const ProfileRow& row) const {
  const auto [first, end] = listed(row);
  return std::any_of(first, end, [&](const auto& listed) {
    return row.identity.point.empty() ? !contradiction(selection_.run.kind, row.identity.key, *listed.second)
                                      : row.identity.point == listed.second->id;
  });
}

void RowConsistency::require(const ProfileRow& row) const {
  if (row.identity.point.empty()) {
    if (numbered_as_run_ && row.identity.length(selection_.run.kind) && row.identity.iteration) require_iteration(row);
    return;
  }
  require_point(row);
  if (row.identity.iteration) require_iteration(row);
}

const select::Point& RowConsistency::point_of(const ProfileRow& row) const {
  if (const auto found = by_id_.find(row.identity.point); found != by_id_.end()) return *found->second;
  fail(row, "point", fmt::format("the selection has no point \"{}\"", row.identity.point));
}

void RowConsistency::require_point(const ProfileRow& row) const {
  const select::Point& point = point_of(row);
  if (const auto d = contradiction(selection_.run.kind, row.identity.key, point))
    fail(
        row, trace::name_of(*d),
        fmt::format("{} contradicts the row's point: {} has {}", *row.identity.key[*d], point.id, point.signature[*d]));
  if (!selection_.run.phases.empty() && row.identity.phase && *row.identity.phase != point.phase)
    fail(row, "phase",
         fmt::format("{} contradicts the row's point: {} is of phase {}", *row.identity.phase, point.id, point.phase));
}

void RowConsistency::require_iteration(const ProfileRow& row) const {
  const StepIdentity& identity = row.identity;
  const std::uint64_t iteration = *identity.iteration;
  if (const std::uint64_t phase = trace::phase_of(selection_.run, iteration);
      !selection_.run.phases.empty() && identity.phase && *identity.phase != phase)
    fail(row, "phase",
         fmt::format("{} contradicts iteration {}, which is of phase {}", *identity.phase, iteration, phase));
  const auto [first, end] = listed(row);
  if (first == end || listed_for(row)) return;
  const std::string what = identity.point.empty() ? text_of(identity.key) : identity.point;
  fail(row, "iteration",
       fmt::format("{} contradicts the row's {} {}: it is an iteration of {} ({})", iteration,
                   identity.point.empty() ? "lengths," : "point", what, first->second->id,
                   text_of(selection_.run.kind, first->second->signature)));
}

void RowConsistency::fail(const ProfileRow& row, std::string_view field, const std::string& text) const {
  throw InputError({file_.source, row.line, std::string(field)},
                   row.name.empty() ? text : fmt::format("step \"{}\": {}", row.name, text),
                   "measure the points of this selection, or correct the row");
}

}  // namespace seqpoint::profile
