/// \file
/// Stage 1: the length of every sample of a data set, and how a duration becomes a length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "seqpoint/lengths/front_end.hpp"

namespace seqpoint::lengths {

/// Sequence length of every sample, in dataset order: tokens for text, frames for speech. A value.
/// Four bytes per sample and side, because a data set can have 1e8 samples.
struct Lengths {
  std::vector<std::uint32_t> src = {};  ///< the only length, or that of the source side
  std::vector<std::uint32_t> tgt = {};  ///< empty, or the target side: as many as `src`
  std::vector<double> seconds = {};  ///< empty, or durations as the manifest has them: for samplers that look at those
  std::uint32_t tgt_symbols = 0;     ///< special symbols in every target length, added when text was read

  bool paired() const { return !tgt.empty(); }
  std::size_t size() const { return src.size(); }
  friend bool operator==(const Lengths&, const Lengths&) = default;
};

/// What the numbers of a manifest count. Durations and audio samples become frames; everything else is a
/// sequence length as it stands.
enum class LengthUnit { as_is, seconds, milliseconds, samples, frames, tokens, bytes };

/// `seconds|ms|samples|frames|tokens|bytes`; nothing for any other word.
std::optional<LengthUnit> length_unit(std::string_view name);
std::string_view name_of(LengthUnit unit);

/// The unit that a column's name states: `duration`, `seconds`: seconds; `duration_ms`: milliseconds; `*samples`;
/// `*frames`. Any other name: as_is.
LengthUnit unit_of_column(std::string_view column);

/// How audio samples become frames.
struct FrameRule {
  double sample_rate = 16000;         ///< Hz, > 0
  std::optional<double> frame_shift;  ///< seconds, > 0; nothing: the front end's own
  std::string front_end = "plain";    ///< a name of the table

  /// The rate, and samples per frame: sample_rate x frame_shift rounded as the front end rounds. Throws UsageError when
  /// that is below 1, for an unknown front end, and for a frame_shift where the front end has none.
  Framing framing() const;
};

/// Turns numbers of one unit into sequence lengths.
class LengthConverter {
 public:
  LengthConverter(LengthUnit unit, const FrameRule& rule);

  enum class Fault { none, negative, not_finite, fractional, too_large };

  /// Seconds become samples by rounding half to even (as Lhotse's compute_num_frames does), samples become the frames
  /// of the front end. `value` is unspecified unless the fault is none.
  struct Result {
    std::uint32_t value = 0;
    Fault fault = Fault::none;
  };
  Result operator()(double number) const;

  /// The same number as a duration; nothing where the unit is none of time or samples.
  std::optional<double> seconds(double number) const;

 private:
  LengthUnit unit_;
  const FrontEnd& front_end_;
  Framing framing_;
};

/// "is negative", "is not a whole number", ...; never called with `none`.
std::string_view describe(LengthConverter::Fault fault);

}  // namespace seqpoint::lengths
