/// \file
/// Checks that the fields of a measurement do not contradict each other.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// Checks the rows of a file against the points. `file` and `selection` have to outlive it.
class RowConsistency {
 public:
  /// Finds out from all rows whether the file numbers iterations like the run, which require() needs to know.
  RowConsistency(const ProfileTable& file, const select::Selection& selection);

  /// Throws InputError if the row names an unknown point; if it has another dimension or phase than its point; if its
  /// iteration is listed for other points only; and if a measured point lists all of its iterations, but not this one,
  /// or the run lacks it, in a file whose other rows mostly have iterations of their points. For a group of lengths
  /// only the length counts: it may be measured at any iteration of the group. A row that names no point is checked in
  /// the same way if it has lengths and an iteration, and the file numbers iterations like the run: most of its
  /// iterations that are listed for a point have that point's lengths, or most of its iterations are those of points,
  /// as in a plan. Other files may number the iterations of another epoch, or of a loop of their own. Iterations beyond
  /// the run are those of a log that goes on, and pass beside lengths.
  void require(const ProfileRow& row) const;

 private:
  /// The point that the row names. Throws InputError if there is none of that name.
  const select::Point& point_of(const ProfileRow& row) const;
  /// Throws InputError if the row names an unknown point, or one of another dimension or phase.
  void require_point(const ProfileRow& row) const;
  /// Throws InputError if the row's iteration is in another phase than the row, or is listed for other points only. An
  /// iteration that no point lists passes.
  void require_iteration(const ProfileRow& row) const;
  /// Throws InputError if the row's point lists all of its iterations, and the row's iteration is none of them.
  void require_occurrence(const ProfileRow& row) const;
  /// The points that the row's iteration is listed for. The row has an iteration.
  auto listed(const ProfileRow& row) const { return by_iteration_.equal_range(*row.iteration); }
  /// Whether all points that the row's lengths may mean list all of their iterations, and none lists the row's. False
  /// for an iteration beyond the run, and without such a point. The row names no point, but an iteration.
  bool cannot_occur(const ProfileRow& row) const;
  /// Whether all points that these lengths may mean list all of their iterations; false without such a point.
  bool occurs_where_listed(const trace::PartialShape& key) const;
  /// Whether the row names no point, but its length and an iteration.
  bool is_by_lengths(const ProfileRow& row) const;
  /// Whether the row names a point and an iteration, and is not marked as warm-up.
  bool is_measured_point(const ProfileRow& row) const;
  /// Whether the row's iteration, which it has, is listed for the point that the row names or, if it names none, for a
  /// point whose lengths the row does not contradict.
  bool listed_for(const ProfileRow& row) const;
  /// Throws InputError at a field of the row; `text` is the problem.
  [[noreturn]] void fail(const ProfileRow& row, std::string_view field, const std::string& text) const;

  const ProfileTable& file_;
  const select::Selection& selection_;
  std::map<std::string, const select::Point*, std::less<>> by_id_;
  /// The points that an iteration is listed for.
  std::multimap<std::uint64_t, const select::Point*> by_iteration_;
  std::set<const select::Point*> listed_whole_;  ///< points that list all of their iterations
  std::vector<bool> occurs_where_listed_;        ///< by subject of the file
  bool numbered_from_zero_ = true;               ///< the run; a trace may have numbers of its own
  bool numbered_as_run_ = false;                 ///< rows by lengths
  bool points_numbered_as_run_ = false;          ///< rows by point
};

/// The first dimension of the kind in which a row has another value than the point; nothing if there is none. Parts
/// that the row lacks do not count. For a point with a length group only the length counts.
std::optional<trace::Dimension> contradiction(trace::ShapeKind kind, const trace::PartialShape& row,
                                              const select::Point& point);

/// Whether a point lists all iterations of its shape or length group: points of frequent shapes list the first few, and
/// those of a run whose lengths are known in part may lack any.
bool lists_all_iterations(const select::Point& point, const trace::RunSummary& run);

}  // namespace seqpoint::profile
