/// \file
/// How long every sample is, and how a front end makes frames of a recording.
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

// --- Front ends of speech recognisers: how many frames a recording of so many audio samples becomes.  No front end
// gives a longer recording fewer frames. So a batch's longest recording has the most frames, and a front end that
// pads a batch may be applied to each recording.

/// How a recording is cut into frames.
struct Framing {
  double sample_rate = 16000;  ///< Hz
  std::uint64_t hop = 160;     ///< audio samples from a frame to the next, >= 1
};

/// One front end: a row of the table. Pure functions.
struct FrontEnd {
  std::string_view name;     ///< as FrameRule::front_end names it, and `--front-end`
  std::string_view summary;  ///< one line
  std::string_view source;   ///< where its rule is written
  double frame_shift;        ///< seconds, where the user says nothing; 0: fixed by the network, in samples
  /// The hop, in audio samples, of `sample_rate` (Hz) x `frame_shift` (seconds), rounded as the front end rounds.
  std::uint64_t (*hop)(double sample_rate, double frame_shift);
  /// How many frames a recording of so many audio samples (of one channel) becomes; 0 where it is too short for one.
  std::uint64_t (*frames)(std::uint64_t samples, const Framing&);
};

/// Every front end, in the order in which `seqpoint list formats` lists them; the first, "plain", is the default.
std::span<const FrontEnd> front_ends();

/// The front end of that name. Throws ParameterError that lists the front ends there are.
const FrontEnd& find_front_end(std::string_view name);

// --- Stage 1: the length of every sample of a data set, and how a duration becomes a length.

/// Sequence length of every sample of a data set, in dataset order: tokens for text, frames for speech. A value. Four
/// bytes per sample and side, because a data set can have 1e8 samples.
struct Lengths {
  std::vector<std::uint32_t> src = {};  ///< the only length, or that of the source side
  std::vector<std::uint32_t> tgt = {};  ///< empty, or the target side: as many as `src`
  /// Empty, or the duration of every sample in seconds, as the manifest has it. For samplers that look at durations and
  /// not at frames.
  std::vector<double> seconds = {};
  /// Samples up to the end of each manifest that they were read from; empty: they are of one. For samplers that blend.
  std::vector<std::uint64_t> manifest_ends = {};
  std::uint32_t tgt_symbols = 0;  ///< special symbols in every target length, added when text was read

  bool paired() const { return !tgt.empty(); }     ///< whether samples have a source and a target side
  std::size_t size() const { return src.size(); }  ///< samples
  friend bool operator==(const Lengths&, const Lengths&) = default;  ///< member by member
};

/// What the numbers of a manifest count. Durations and audio samples become frames; everything else is a sequence
/// length as it stands.
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

/// The unit that a column's name states: `duration`, `seconds`: seconds; `duration_ms`, `duration[ms]`: milliseconds;
/// `*samples`;
/// `*frames`. Any other name: as_is.
LengthUnit unit_of_column(std::string_view column);

/// How audio samples become frames.
struct FrameRule {
  double sample_rate = 16000;         ///< Hz, > 0
  std::optional<double> frame_shift;  ///< seconds, > 0; nothing: the front end's own
  std::string front_end = "plain";    ///< a name of the table

  /// The rate, and the hop: sample_rate x frame_shift, rounded as the front end rounds. Throws ParameterError when the
  /// hop is below one audio sample, for an unknown front end, for a frame_shift of a second or more, and for one where
  /// the front end has its own (wav2vec2).
  Framing framing() const;
};

/// Turns numbers of one unit into sequence lengths.
class LengthConverter {
 public:
  /// For numbers of that unit. Throws as FrameRule::framing().
  LengthConverter(LengthUnit unit, const FrameRule& rule);

  /// Why a number is no length: below 0, infinite or NaN, with a fraction where the unit has none, above 2^32 - 1.
  enum class Fault { none, negative, not_finite, fractional, too_large };

  /// A sequence length, or why there is none.
  struct Result {
    std::uint32_t value = 0;    ///< the length; unspecified unless the fault is none
    Fault fault = Fault::none;  ///< what is wrong with the number
  };
  /// A number of the unit as a sequence length. Seconds become audio samples by rounding half to even (as Lhotse's
  /// compute_num_frames does), audio samples become the frames of the front end. Throws nothing.
  Result operator()(double number) const;

  /// The same number as a duration in seconds; nothing where the unit is none of time or audio samples.
  std::optional<double> seconds(double number) const;

 private:
  LengthUnit unit_;
  const FrontEnd& front_end_;
  Framing framing_;
};

/// What a message says of a number: "is negative", "is not a whole number", ... Not for Fault::none.
std::string_view describe(LengthConverter::Fault fault);

}  // namespace seqpoint::lengths
