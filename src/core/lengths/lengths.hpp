/// \file
/// The length of every sample, and how a front end converts a recording to frames.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"

namespace seqpoint::lengths {

// --- Front ends of speech recognisers: how many frames a recording with a number of audio samples becomes.
//
// Every front end is monotone: a longer recording never has fewer frames. So a batch's longest recording has the most
// frames, and a front end that pads a batch may be applied to each recording.

/// How a recording is cut into frames.
struct Framing {
  double sample_rate = 16000;  ///< Hz
  std::uint64_t hop = 160;     ///< audio samples from a frame to the next, >= 1
};

/// One front end: a row of the table. Pure functions.
struct FrontEnd {
  std::string_view name;      ///< the value of FrameRule::front_end and `--front-end`
  std::string_view summary;   ///< one line
  std::string_view source;    ///< where its rule is published
  double frame_shift = 0.01;  ///< seconds, the default; 0: fixed by the network, in samples
  /// The hop, in audio samples, of `sample_rate` (Hz) x `frame_shift` (seconds), rounded as the front end rounds.
  std::uint64_t (*hop)(double sample_rate, double frame_shift);
  /// How many frames a recording with so many audio samples (of one channel) becomes; 0 if it is too short for one.
  std::uint64_t (*frames)(std::uint64_t samples, const Framing&);
};

/// Every front end, in the order in which `seqpoint list formats` lists them; the first, "plain", is the default.
std::span<const FrontEnd> front_ends();

/// The front end of that name. Throws a ParameterError that lists all front ends.
const FrontEnd& find_front_end(std::string_view name);

// --- Stage 1: the length of every sample of a data set, and how a duration becomes a length.

/// Sequence length of every sample of a data set, in dataset order: tokens for text, frames for speech. A value. Four
/// bytes per sample and side, because a data set can have 1e8 samples.
struct Lengths {
  std::vector<std::uint32_t> src = {};  ///< the only length, or that of the source side
  std::vector<std::uint32_t> tgt = {};  ///< empty, or the target side: as many as `src`
  /// Empty, or the duration of every sample in seconds, as in the manifest. For samplers that use durations instead of
  /// frames.
  std::vector<double> seconds = {};
  /// The number of samples up to the end of each manifest; empty: there is one manifest. For samplers that blend.
  std::vector<std::uint64_t> manifest_ends = {};

  bool paired() const { return !tgt.empty(); }     ///< whether samples have a source and a target side
  std::size_t size() const { return src.size(); }  ///< samples
  friend bool operator==(const Lengths&, const Lengths&) = default;  ///< member by member
};

/// The unit of a manifest's numbers. Durations and audio samples become frames; everything else is a sequence length
/// already.
enum class LengthUnit { as_is, seconds, milliseconds, samples, frames, tokens, bytes };

/// The words of units; LengthUnit::as_is has none.
inline constexpr std::array<Word<LengthUnit>, 6> kLengthUnits{{{"seconds", LengthUnit::seconds},
                                                               {"ms", LengthUnit::milliseconds},
                                                               {"samples", LengthUnit::samples},
                                                               {"frames", LengthUnit::frames},
                                                               {"tokens", LengthUnit::tokens},
                                                               {"bytes", LengthUnit::bytes}}};
/// The word of a unit; "as it stands" for LengthUnit::as_is.
std::string_view name_of(LengthUnit unit);

/// The unit that the name of a column, or the last part of a dotted key, states: `duration`, `duration_s`, `seconds`,
/// `*_seconds`, `*_sec`: seconds; `*_ms`, `*_milliseconds`, `duration[ms]`: milliseconds; `*samples`; `*frames`. Any
/// other name: as_is. Case matters.
LengthUnit unit_of_column(std::string_view column);

/// How audio samples become frames.
struct FrameRule {
  double sample_rate = 16000;         ///< Hz, > 0
  std::optional<double> frame_shift;  ///< seconds, > 0; nothing: the front end's own
  std::string front_end = "plain";    ///< a name of the table

  /// The rate, and the hop: sample_rate x frame_shift, rounded as the front end rounds. Throws ParameterError if the
  /// hop is below one audio sample or 2^32 - 1 or more, for an unknown front end, for a frame_shift of a second or
  /// more, and for any frame_shift if the front end has its own (wav2vec2).
  Framing framing() const;
};

/// Converts numbers of one unit into sequence lengths.
class LengthConverter {
 public:
  /// For numbers in that unit. Throws as FrameRule::framing().
  LengthConverter(LengthUnit unit, const FrameRule& rule);

  /// Why a number is not a length: below 0, infinite or NaN, with a fraction if the unit has none, too large. Too large
  /// is a length above 2^32 - 1, or a number (for a time: of audio samples) above 2^53.
  enum class Fault { none, negative, not_finite, fractional, too_large };

  /// A sequence length, or the reason why there is none.
  struct Result {
    std::uint32_t value = 0;    ///< the length; unspecified unless the fault is none
    Fault fault = Fault::none;  ///< what is wrong with the number
  };
  /// Converts a number in the unit to a sequence length. Times become audio samples by rounding half to even (as
  /// Lhotse's compute_num_frames does), audio samples become the frames of the front end. Numbers of any other unit are
  /// lengths already; only times may have a fraction. Does not throw.
  Result operator()(double number) const;

  /// The same number as a duration in seconds; nothing if the unit is neither a time nor audio samples. Not checked.
  std::optional<double> seconds(double number) const;

 private:
  LengthUnit unit_;
  const FrontEnd& front_end_;
  Framing framing_;
};

/// The message text for a fault: "is negative", "is not a whole number", ...; "is fine" for Fault::none.
std::string_view describe(LengthConverter::Fault fault);

// --- Sorting rows by columns of lengths

/// Positions 0, 1, ... of the rows, ascending by the first column, then by the second, and so on; equal rows keep their
/// order. Columns have one size; without columns there are no rows. Radix sort: linear, with few rounds if the values
/// are small.
std::vector<std::size_t> sorted_positions(std::span<const std::vector<std::uint32_t>> columns);

/// The same for one column of fewer than 2^32 rows, with positions of 32 bits.
std::vector<std::uint32_t> sorted_rows(std::span<const std::uint32_t> column);

}  // namespace seqpoint::lengths
