#include "core/lengths/lengths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "core/enum_names.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::lengths {

// --- Front ends

namespace {

/// How many windows of `width` fit into `length`, one every `step`; 0 if `length` is below `width`.
std::uint64_t windows(std::uint64_t length, std::uint64_t width, std::uint64_t step) {
  return length < width ? 0 : 1 + (length - width) / step;
}

/// rate (Hz) x shift (seconds) in audio samples, rounded half up. The two functions below differ in their rounding.
std::uint64_t rounded(double rate, double shift) { return static_cast<std::uint64_t>(std::floor(rate * shift + 0.5)); }
std::uint64_t truncated(double rate, double shift) { return static_cast<std::uint64_t>(rate * shift); }
/// Python's round(): the default rounding mode, half to even.
std::uint64_t rounded_to_even(double rate, double shift) {
  return static_cast<std::uint64_t>(std::nearbyint(rate * shift));
}

/// samples / hop, rounded down.
std::uint64_t plain(std::uint64_t samples, const Framing& f) { return samples / f.hop; }

/// 1 + samples / hop, rounded down: torch.stft and librosa.stft pad half of an even n_fft on either side.
std::uint64_t stft_center(std::uint64_t samples, const Framing& f) { return 1 + samples / f.hop; }

/// Windows of 25 ms that fit (snip_edges=true).
std::uint64_t kaldi(std::uint64_t samples, const Framing& f) {
  constexpr double kWindow = 0.025;  // seconds
  return windows(samples, truncated(f.sample_rate, kWindow), f.hop);
}

/// samples / hop, rounded half up: what Kaldi and Lhotse compute, each with its own hop.
std::uint64_t half_hop_rounded(std::uint64_t samples, const Framing& f) { return (samples + f.hop / 2) / f.hop; }

/// Frames of stft_center(), padded to a multiple of 16.
std::uint64_t nemo_padded(std::uint64_t samples, const Framing& f) {
  constexpr std::uint64_t kPadTo = 16;
  return (stft_center(samples, f) + kPadTo - 1) / kPadTo * kPadTo;
}

/// Frames of the centred spectrogram of deepspeech.pytorch, n_fft = int(rate x 0.02), which may be odd (22050 Hz).
std::uint64_t deepspeech_spectrogram(std::uint64_t samples, const Framing& f) {
  constexpr double kWindow = 0.02;  // seconds
  const std::uint64_t n_fft = truncated(f.sample_rate, kWindow);
  return windows(samples + n_fft / 2 * 2, n_fft, f.hop);
}

constexpr std::uint64_t kDeepspeechKernel = 11;

/// Frames after two convolutions over time of kernel 11 and strides 2 and 1; 0 if the frames are too few for one.
/// `first_pad` and `second_pad` are their paddings, in frames on either side.
std::uint64_t deepspeech_convolved(std::uint64_t frames, std::uint64_t first_pad, std::uint64_t second_pad) {
  if (frames == 0) return 0;
  const std::uint64_t first = windows(frames + 2 * first_pad, kDeepspeechKernel, 2);
  return first == 0 ? 0 : windows(first + 2 * second_pad, kDeepspeechKernel, 1);
}

/// deepspeech.pytorch 2.0 to 3.0: both convolutions pad 5 frames.
std::uint64_t deepspeech_v2(std::uint64_t samples, const Framing& f) {
  return deepspeech_convolved(deepspeech_spectrogram(samples, f), 5, 5);
}
/// deepspeech.pytorch 1.2: the first convolution pads 10 frames, the second none.
std::uint64_t deepspeech_v1(std::uint64_t samples, const Framing& f) {
  return deepspeech_convolved(deepspeech_spectrogram(samples, f), 10, 0);
}
/// MLPerf v0.5: convolutions without padding.
std::uint64_t mlperf_deepspeech(std::uint64_t samples, const Framing& f) {
  return deepspeech_convolved(deepspeech_spectrogram(samples, f), 0, 0);
}

/// Windows of 32 ms that fit, without padding.
std::uint64_t mozilla(std::uint64_t samples, const Framing& f) {
  constexpr double kWindow = 0.032;  // feature_win_len
  return windows(samples, truncated(f.sample_rate, kWindow), f.hop);
}

/// Kernel and stride of each convolution over the raw audio.
constexpr std::array<std::pair<std::uint64_t, std::uint64_t>, 7> kWav2vec2{
    {{10, 5}, {3, 2}, {3, 2}, {3, 2}, {3, 2}, {2, 2}, {2, 2}}};

/// Frames after all convolutions, which do not pad; 0 below 400 audio samples. Sample rate and hop have no effect.
std::uint64_t wav2vec2(std::uint64_t samples, const Framing&) {
  for (const auto& [kernel, stride] : kWav2vec2) samples = windows(samples, kernel, stride);
  return samples;
}

/// The product of all strides, 320; the arguments have no effect.
std::uint64_t wav2vec2_hop(double, double) {
  std::uint64_t hop = 1;
  for (const auto& layer : kWav2vec2) hop *= layer.second;
  return hop;
}

constexpr std::array kTable{
    FrontEnd{.name = "plain",
             .summary = "samples / hop, rounded down",
             .source = "no framework's: the length without edges",
             .hop = rounded,
             .frames = plain},
    FrontEnd{.name = "stft-center",
             .summary = "centred STFT of even n_fft: 1 + samples / hop; deepspeech.pytorch's spectrogram at 16 kHz",
             .source = "librosa.stft, torch.stft",
             .hop = truncated,
             .frames = stft_center},
    FrontEnd{.name = "kaldi",
             .summary = "windows of 25 ms that fit (snip_edges=true); also torchaudio's fbank and WeNet",
             .source = "kaldi src/feat/feature-window.cc, NumFrames",
             .hop = truncated,
             .frames = kaldi},
    FrontEnd{.name = "kaldi-no-snip",
             .summary = "samples / hop, rounded (snip_edges=false)",
             .source = "kaldi src/feat/feature-window.cc, NumFrames",
             .hop = truncated,
             .frames = half_hop_rounded},
    FrontEnd{.name = "lhotse",
             .summary = "samples / hop, rounded",
             .source = "lhotse/utils.py, compute_num_frames",
             .hop = rounded_to_even,
             .frames = half_hop_rounded},
    FrontEnd{.name = "nemo",
             .summary =
                 "valid frames of NeMo's mel spectrogram: samples / hop; older releases count one more, as stft-center",
             .source = "nemo asr/parts/preprocessing/features.py, get_seq_len",
             .hop = truncated,
             .frames = plain},
    FrontEnd{.name = "nemo-padded",
             .summary = "what NeMo's batches are padded to with pad_to 16; for another: stft-center and `pad_multiple`",
             .source = "nemo asr/parts/preprocessing/features.py, forward",
             .hop = truncated,
             .frames = nemo_padded},
    FrontEnd{.name = "deepspeech-pytorch",
             .summary = "deepspeech.pytorch 2.0 to 3.0, behind its convolutions: half the spectrogram, rounded up",
             .source = "deepspeech.pytorch model.py",
             .hop = truncated,
             .frames = deepspeech_v2},
    FrontEnd{.name = "deepspeech-pytorch-1.2",
             .summary = "deepspeech.pytorch 1.2, behind its convolutions",
             .source = "deepspeech.pytorch v1.2 model.py",
             .hop = truncated,
             .frames = deepspeech_v1},
    FrontEnd{.name = "mlperf-deepspeech",
             .summary = "MLPerf v0.5 speech recognition, behind its convolutions, which do not pad",
             .source = "mlperf/training speech_recognition/pytorch/model.py",
             .hop = truncated,
             .frames = mlperf_deepspeech},
    FrontEnd{.name = "mozilla",
             .summary = "windows of 32 ms that fit, one every 20 ms; also Coqui STT",
             .source = "tensorflow/core/kernels/spectrogram_op.cc",
             .frame_shift = 0.02,  // feature_win_step
             .hop = truncated,
             .frames = mozilla},
    FrontEnd{.name = "wav2vec2",
             .summary = "raw audio behind the convolutions of wav2vec 2.0 and HuBERT: samples / 320, about",
             .source = "fairseq data/audio/raw_audio_dataset.py, models/wav2vec/wav2vec2.py",
             .frame_shift = 0,
             .hop = wav2vec2_hop,
             .frames = wav2vec2},
};

}  // namespace

std::span<const FrontEnd> front_ends() { return kTable; }

const FrontEnd& find_front_end(std::string_view name) {
  for (const FrontEnd& front_end : kTable)
    if (front_end.name == name) return front_end;
  throw ParameterError("front_end", fmt::format(": unknown front end '{}'", name), names_hint(name, row_names(kTable)));
}

// --- Lengths

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

// --- Sorting rows by columns of lengths

namespace {

constexpr unsigned kDigitBits = 11;
constexpr std::uint32_t kDigits = 1U << kDigitBits;

/// Sorts `order` by one digit of the column, the kDigitBits bits from bit `shift` up; stable. `next` is scratch space
/// of the size of `order`.
template <class Position>
void sort_by_digit(std::span<const std::uint32_t> column, unsigned shift, std::vector<Position>& order,
                   std::vector<Position>& next) {
  const auto digit = [&](std::size_t i) { return column[i] >> shift & (kDigits - 1); };
  std::array<std::size_t, kDigits> begin{};
  for (std::size_t i = 0; i < column.size(); ++i) ++begin[digit(i)];
  std::exclusive_scan(begin.begin(), begin.end(), begin.begin(), std::size_t{0});
  for (const Position i : order) next[begin[digit(i)]++] = i;
  order.swap(next);
}

/// Sorts `order` by the column, which is not empty; stable. Digits above the highest bit in which values differ are
/// skipped. `next` is scratch space of the size of `order`.
template <class Position>
void sort_by(std::span<const std::uint32_t> column, std::vector<Position>& order, std::vector<Position>& next) {
  const auto [least, most] = std::minmax_element(column.begin(), column.end());
  for (unsigned shift = 0; shift < 32 && *least >> shift != *most >> shift; shift += kDigitBits)
    sort_by_digit(column, shift, order, next);
}

}  // namespace

std::vector<std::size_t> sorted_positions(std::span<const std::vector<std::uint32_t>> columns) {
  const std::size_t rows = columns.empty() ? 0 : columns.front().size();
  std::vector<std::size_t> order(rows), next(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The least significant column first: later sorts keep the order of ties.
  for (auto column = columns.rbegin(); rows > 0 && column != columns.rend(); ++column) sort_by(*column, order, next);
  return order;
}

std::vector<std::uint32_t> sorted_rows(std::span<const std::uint32_t> column) {
  std::vector<std::uint32_t> order(column.size()), next(column.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  if (!column.empty()) sort_by(column, order, next);
  return order;
}

}  // namespace seqpoint::lengths
