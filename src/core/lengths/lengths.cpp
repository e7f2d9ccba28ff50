#include "core/lengths/lengths.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "seqpoint/error.hpp"

namespace seqpoint::lengths {
namespace {

constexpr double kLargest = std::numeric_limits<std::uint32_t>::max();
// Beyond this value a double no longer represents every whole number.
constexpr double kLargestExact = 9007199254740992.0;

}  // namespace

std::string_view name_of(LengthUnit unit) {
  return unit == LengthUnit::as_is ? "as it stands" : name_in(kLengthUnits, unit);
}

LengthUnit unit_of_column(std::string_view column) {
  // The last part of a dotted key is the number's name: "recording.num_samples".
  if (const auto dot = column.rfind('.'); dot != std::string_view::npos) column.remove_prefix(dot + 1);
  const auto ends_in = [column](std::string_view unit) { return column.ends_with(unit); };
  if (column == "duration" || column == "seconds" || column == "duration_s" || ends_in("_seconds") || ends_in("_sec"))
    return LengthUnit::seconds;
  if (column == "duration[ms]" || ends_in("_ms") || ends_in("_milliseconds")) return LengthUnit::milliseconds;
  if (column.ends_with("samples")) return LengthUnit::samples;
  if (column.ends_with("frames")) return LengthUnit::frames;
  return LengthUnit::as_is;
}

Framing FrameRule::framing() const {
  const FrontEnd& chosen = find_front_end(front_end);
  if (chosen.frame_shift == 0 && frame_shift)
    throw ParameterError("frame_shift", "has no use for `front_end` " + front_end,
                         "its network says how far its frames are apart");
  const double shift = frame_shift.value_or(chosen.frame_shift);
  if (frame_shift && *frame_shift >= 1)
    throw ParameterError("frame_shift", fmt::format("{:g}: frames are not {:g} s apart", *frame_shift, *frame_shift),
                         fmt::format("it is in seconds: {:g} ms are {:g}", *frame_shift, *frame_shift / 1000));
  // A larger hop is meaningless, and would not be exact as a double.
  const bool sane = sample_rate * shift < kLargest;
  const std::uint64_t hop = sane ? chosen.hop(sample_rate, shift) : 0;
  if (hop == 0)
    throw ParameterError("sample_rate", "x `frame_shift` must be at least one sample",
                         "for example `sample_rate` 16000 `frame_shift` 0.01");
  return {sample_rate, hop};
}

LengthConverter::LengthConverter(LengthUnit unit, const FrameRule& rule)
    : unit_(unit), front_end_(find_front_end(rule.front_end)), framing_(rule.framing()) {}

LengthConverter::Result LengthConverter::operator()(double number) const {
  if (!std::isfinite(number)) return {0, Fault::not_finite};
  if (number < 0) return {0, Fault::negative};
  bool to_frames = false;
  switch (unit_) {
    case LengthUnit::seconds:
      number = std::nearbyint(number * framing_.sample_rate);  // the default rounding mode: half to even
      to_frames = true;
      break;
    case LengthUnit::milliseconds:
      number = std::nearbyint(number * framing_.sample_rate / 1000.0);
      to_frames = true;
      break;
    case LengthUnit::samples: to_frames = true; [[fallthrough]];
    default: break;
  }
  if (number > kLargestExact) return {0, Fault::too_large};  // larger ones have no fraction
  auto length = static_cast<std::uint64_t>(number);
  if (number != static_cast<double>(length)) return {0, Fault::fractional};  // seconds were rounded
  if (to_frames) length = front_end_.frames(length, framing_);
  if (length > std::numeric_limits<std::uint32_t>::max()) return {0, Fault::too_large};
  return {static_cast<std::uint32_t>(length), Fault::none};
}

std::optional<double> LengthConverter::seconds(double number) const {
  switch (unit_) {
    case LengthUnit::seconds: return number;
    case LengthUnit::milliseconds: return number / 1000.0;
    case LengthUnit::samples: return number / framing_.sample_rate;
    default: return std::nullopt;
  }
}

std::string_view describe(LengthConverter::Fault fault) {
  switch (fault) {
    case LengthConverter::Fault::negative: return "is negative";
    case LengthConverter::Fault::not_finite: return "is not a finite number";
    case LengthConverter::Fault::fractional: return "is not a whole number";
    case LengthConverter::Fault::too_large: return "is too large for a length";
    case LengthConverter::Fault::none: break;
  }
  return "is fine";
}

}  // namespace seqpoint::lengths
