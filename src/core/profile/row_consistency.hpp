/// \file
/// Whether what a measurement says of itself can all be true.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "core/profile/measure.hpp"

namespace seqpoint::profile {

/// Checks the rows of a file against the points. `file` and `selection` have to outlive it.
class RowConsistency {
 public:
  RowConsistency(const ProfileTable& file, const select::Selection& selection);

  /// Throws InputError where the row names a point that there is not; where it has another dimension or phase than its
  /// point; and where its iteration is listed for other points alone. Of a group of lengths only the length counts: it
  /// may be measured at any iteration of it. A row that names no point is looked at where it has lengths
  /// and an iteration, and the file numbers iterations as the run does: most of its iterations that are listed for a
  /// point have that point's lengths. Others may be numbers of another epoch, or of a loop of its own.
  void require(const ProfileRow& row) const;

 private:
  const select::Point& point_of(const ProfileRow& row) const;
  void require_point(const ProfileRow& row) const;
  void require_iteration(const ProfileRow& row) const;
  /// The points that the row's iteration is listed for.
  auto listed(const ProfileRow& row) const { return by_iteration_.equal_range(*row.identity.iteration); }
  /// Whether one of them is the point that it names, or of its lengths.
  bool listed_for(const ProfileRow& row) const;
  [[noreturn]] void fail(const ProfileRow& row, std::string_view field, const std::string& text) const;

  const ProfileTable& file_;
  const select::Selection& selection_;
  std::map<std::string, const select::Point*, std::less<>> by_id_;
  /// Those that an iteration is listed for.
  std::multimap<std::uint64_t, const select::Point*> by_iteration_;
  bool numbered_as_run_ = false;
};

/// The first dimension of the kind in which a row is not of the point, as far as it says; nothing where it may be.
std::optional<trace::Dimension> contradiction(trace::SignatureKind kind, const trace::PartialSignature& row,
                                              const select::Point& point);

}  // namespace seqpoint::profile
