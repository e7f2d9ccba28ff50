/// \file
/// Front ends of speech recognisers: how many frames a recording of so many audio samples becomes.
///
/// No front end gives a longer recording fewer frames. So a batch's longest recording has the most frames, and a front
/// end that pads a batch may be applied to each recording.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace seqpoint::lengths {

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

/// Every front end, in the order in which `seqpoint formats` lists them; the first, "plain", is the default.
std::span<const FrontEnd> front_ends();

/// The front end of that name. Throws ParameterError that lists the front ends there are.
const FrontEnd& find_front_end(std::string_view name);

}  // namespace seqpoint::lengths
