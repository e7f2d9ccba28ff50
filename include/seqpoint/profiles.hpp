/// \file
/// Stage 5: measurements, and which of them belong to which SeqPoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "seqpoint/selection.hpp"

namespace seqpoint {

/// One measured iteration of a profile.
struct ProfileRow {
  std::string point;                       ///< used where the profile has a point column
  std::optional<std::uint32_t> src_len, tgt_len, batch_size;
  std::optional<std::uint64_t> tokens{}, sq_tokens{};  ///< what points of a run without padding go by
  std::optional<std::uint64_t> iteration;
  std::vector<double> values;  ///< one a metric; NaN: not measured
  std::uint64_t line = 0;
};

/// A profile as it stands in one file.
struct ProfileTable {
  enum class Key { point, signature, iteration };

  std::string source;
  Key key = Key::signature;
  bool has_tgt_len = false, has_batch_size = false, has_sq_tokens = false, has_iteration = false;
  std::vector<std::string> metrics;
  std::vector<ProfileRow> rows;
};

/// The measurements of one configuration, sorted to the points. `values[m][p]` holds the repeats of metric m at point p.
struct Measurements {
  std::vector<std::string> metrics;
  std::vector<std::vector<std::vector<double>>> values;
  std::uint64_t rows = 0;                ///< read, warm-up left out
  std::uint64_t matched_rows = 0;
  std::uint64_t warmup_rows = 0;         ///< left out
  std::vector<std::string> unmatched;    ///< the first few rows that belong to no point, as `file:line (key)`
};

/// Sorts the rows of one configuration's profiles to the points: by point id, by signature, or by iteration, as each file's
/// key says. Of a run without padding the signature is tokens and sq_tokens; a row that lacks its run's signature goes by
/// its iteration. Of a run that is cut into phases, a row with an iteration belongs to the phase that holds it. The first `warmup` rows of every file are left out. Throws InputError where a file lacks a signature column
/// that it takes to tell two points apart, and where no row matches any point.
Measurements match(std::span<const ProfileTable> files, const Selection& selection, std::uint64_t warmup = 0);

}  // namespace seqpoint
