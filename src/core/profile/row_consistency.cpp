#include "core/profile/row_consistency.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/trace/phases.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::profile {

std::optional<trace::Dimension> contradiction(trace::ShapeKind kind, const trace::PartialShape& row,
                                              const select::Point& point) {
  for (const trace::Dimension d : trace::dimensions_of(kind)) {
    if (row[d] && *row[d] != point.shape[d]) return d;
    if (point.length_group) break;  // the first dimension is the length
  }
  return std::nullopt;
}

bool lists_all_iterations(const select::Point& point, const trace::RunSummary& run) {
  if (run.loaded > 0) return false;
  std::uint64_t occurrences = 0;
  for (const auto& [shape, count] : run.histogram) occurrences += point.matches(shape) ? count : 0;
  return point.iterations.size() >= occurrences;
}

namespace {

/// Whether the column counts the rows of the file, as a loop does.
bool counts_rows(const ProfileTable& file) {
  for (std::size_t r = 0; r < file.rows.size(); ++r)
    if (!file.rows[r].iteration || *file.rows[r].iteration != *file.rows[0].iteration + r) return false;
  return true;
}

}  // namespace

RowConsistency::RowConsistency(const ProfileTable& file, const select::Selection& selection)
    : file_(file), selection_(selection) {
  for (const select::Point& point : selection.points) {
    by_id_.emplace(point.id, &point);
    for (const std::uint64_t iteration : point.iterations) {
      by_iteration_.emplace(iteration, &point);
      numbered_from_zero_ = numbered_from_zero_ && iteration < selection.run.iterations;
    }
    if (lists_all_iterations(point, selection.run)) listed_whole_.insert(&point);
  }
  for (const RowSubject& subject : file.subjects) occurs_where_listed_.push_back(occurs_where_listed(subject.key));
  // Iterations numbered in another way occasionally match the list of the right point by chance, but seldom more often
  // than the lists of other points.
  std::size_t right = 0, wrong = 0, unlisted = 0, points_right = 0, points_wrong = 0;
  for (const ProfileRow& row : file.rows) {
    if (is_by_lengths(row)) {
      if (listed_for(row))
        ++right;
      else if (const auto [first, end] = listed(row); first != end || cannot_occur(row))
        ++wrong;
      else
        ++unlisted;
    }
    if (is_measured_point(row)) ++(listed_for(row) ? points_right : points_wrong);
  }
  const bool is_of_points = right + wrong > unlisted && !counts_rows(file);
  numbered_as_run_ = right > wrong || is_of_points;
  points_numbered_as_run_ = points_right > points_wrong;
}

bool RowConsistency::is_measured_point(const ProfileRow& row) const {
  return row.iteration && !row.warmup && !file_.subject(row).point.empty();
}

bool RowConsistency::is_by_lengths(const ProfileRow& row) const {
  const RowSubject& subject = file_.subject(row);
  return row.iteration && subject.point.empty() && subject.key[trace::length_dimension(selection_.run.kind)];
}

bool RowConsistency::listed_for(const ProfileRow& row) const {
  const RowSubject& subject = file_.subject(row);
  const auto [first, end] = listed(row);
  return std::any_of(first, end, [&](const auto& listed) {
    return subject.point.empty() ? !contradiction(selection_.run.kind, subject.key, *listed.second)
                                 : subject.point == listed.second->id;
  });
}

bool RowConsistency::cannot_occur(const ProfileRow& row) const {
  if (!occurs_where_listed_[row.subject] || listed_for(row)) return false;
  return !numbered_from_zero_ || *row.iteration < selection_.run.iterations;
}

bool RowConsistency::occurs_where_listed(const trace::PartialShape& key) const {
  const bool is_whole = key.whole(selection_.run.kind).has_value();
  bool any = false;
  for (const select::Point& point : selection_.points) {
    if (!(point.length_group || is_whole) || contradiction(selection_.run.kind, key, point)) continue;
    if (!listed_whole_.contains(&point)) return false;
    any = true;
  }
  return any;
}

void RowConsistency::require(const ProfileRow& row) const {
  if (file_.subject(row).point.empty()) {
    if (!numbered_as_run_ || !is_by_lengths(row)) return;
    require_iteration(row);
    if (cannot_occur(row))
      fail(row, "iteration",
           fmt::format("{} contradicts the row's lengths, {}, which occur at other iterations only", *row.iteration,
                       text_of(file_.subject(row).key)));
    return;
  }
  require_point(row);
  if (row.iteration) require_iteration(row);
  if (!points_numbered_as_run_ || !is_measured_point(row)) return;
  if (numbered_from_zero_ && *row.iteration >= selection_.run.iterations)
    fail(row, "iteration",
         fmt::format("{} is not in the run, whose iterations are 0 to {}", *row.iteration,
                     selection_.run.iterations - 1));
  require_occurrence(row);
}

const select::Point& RowConsistency::point_of(const ProfileRow& row) const {
  const std::string& id = file_.subject(row).point;
  if (const auto found = by_id_.find(id); found != by_id_.end()) return *found->second;
  fail(row, "point", fmt::format("the selection has no point \"{}\"", id));
}

void RowConsistency::require_point(const ProfileRow& row) const {
  const select::Point& point = point_of(row);
  const RowSubject& subject = file_.subject(row);
  if (const auto d = contradiction(selection_.run.kind, subject.key, point))
    fail(row, trace::name_of(*d),
         fmt::format("{} contradicts the row's point: {} has {}", *subject.key[*d], point.id, point.shape[*d]));
  if (!selection_.run.phases.empty() && subject.phase && *subject.phase != point.phase)
    fail(row, "phase",
         fmt::format("{} contradicts the row's point: {} is of phase {}", *subject.phase, point.id, point.phase));
}

void RowConsistency::require_iteration(const ProfileRow& row) const {
  const RowSubject& subject = file_.subject(row);
  const std::uint64_t iteration = *row.iteration;
  if (const std::uint64_t phase = trace::phase_of(selection_.run, iteration);
      !selection_.run.phases.empty() && subject.phase && *subject.phase != phase)
    fail(row, "phase",
         fmt::format("{} contradicts iteration {}, which is of phase {}", *subject.phase, iteration, phase));
  const auto [first, end] = listed(row);
  if (first == end || listed_for(row)) return;
  const std::string what = subject.point.empty() ? text_of(subject.key) : subject.point;
  fail(row, "iteration",
       fmt::format("{} contradicts the row's {} {}: it is an iteration of {} ({})", iteration,
                   subject.point.empty() ? "lengths," : "point", what, first->second->id,
                   text_of(selection_.run.kind, first->second->shape)));
}

void RowConsistency::require_occurrence(const ProfileRow& row) const {
  const select::Point& point = point_of(row);
  if (!listed_whole_.contains(&point) || listed_for(row)) return;
  fail(row, "iteration",
       fmt::format("{} contradicts the row's point {}, which occurs at {} only", *row.iteration, point.id,
                   fmt::join(point.iterations, ", ")));
}

void RowConsistency::fail(const ProfileRow& row, std::string_view field, const std::string& text) const {
  const std::string& step = file_.subject(row).name;
  throw InputError({file_.source, row.line, std::string(field)},
                   step.empty() ? text : fmt::format("step \"{}\": {}", step, text),
                   "measure the points of this selection, or correct the row; leave out the column iteration if it "
                   "counts something else");
}

}  // namespace seqpoint::profile
