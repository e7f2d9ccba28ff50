#include "core/lengths/lengths.hpp"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "core/enum_names.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::lengths {
namespace {

constexpr double kDefaultFrameShift = 0.01;  // seconds
constexpr double kMozillaFrameShift = 0.02;  // feature_win_step

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
             .frame_shift = kDefaultFrameShift,
             .hop = rounded,
             .frames = plain},
    FrontEnd{.name = "stft-center",
             .summary = "centred STFT of even n_fft: 1 + samples / hop; deepspeech.pytorch's spectrogram at 16 kHz",
             .source = "librosa.stft, torch.stft",
             .frame_shift = kDefaultFrameShift,
             .hop = truncated,
             .frames = stft_center},
    FrontEnd{.name = "kaldi",
             .summary = "windows of 25 ms that fit (snip_edges=true); also torchaudio's fbank and WeNet",
             .source = "kaldi src/feat/feature-window.cc, NumFrames",
             .frame_shift = kDefaultFrameShift,
             .hop = truncated,
             .frames = kaldi},
    FrontEnd{.name = "kaldi-no-snip",
             .summary = "samples / hop, rounded (snip_edges=false)",
             .source = "kaldi src/feat/feature-window.cc, NumFrames",
             .frame_shift = kDefaultFrameShift,
             .hop = truncated,
             .frames = half_hop_rounded},
    FrontEnd{.name = "lhotse",
             .summary = "samples / hop, rounded",
             .source = "lhotse/utils.py, compute_num_frames",
             .frame_shift = kDefaultFrameShift,
             .hop = rounded_to_even,
             .frames = half_hop_rounded},
    FrontEnd{.name = "nemo",
             .summary =
                 "valid frames of NeMo's mel spectrogram: samples / hop; older releases count one more, as stft-center",
             .source = "nemo asr/parts/preprocessing/features.py, get_seq_len",
             .frame_shift = kDefaultFrameShift,
             .hop = truncated,
             .frames = plain},
    FrontEnd{.name = "nemo-padded",
             .summary = "what NeMo's batches are padded to with pad_to 16; for another: stft-center and `pad_multiple`",
             .source = "nemo asr/parts/preprocessing/features.py, forward",
             .frame_shift = kDefaultFrameShift,
             .hop = truncated,
             .frames = nemo_padded},
    FrontEnd{.name = "deepspeech-pytorch",
             .summary = "deepspeech.pytorch 2.0 to 3.0, behind its convolutions: half the spectrogram, rounded up",
             .source = "deepspeech.pytorch model.py",
             .frame_shift = kDefaultFrameShift,
             .hop = truncated,
             .frames = deepspeech_v2},
    FrontEnd{.name = "deepspeech-pytorch-1.2",
             .summary = "deepspeech.pytorch 1.2, behind its convolutions",
             .source = "deepspeech.pytorch v1.2 model.py",
             .frame_shift = kDefaultFrameShift,
             .hop = truncated,
             .frames = deepspeech_v1},
    FrontEnd{.name = "mlperf-deepspeech",
             .summary = "MLPerf v0.5 speech recognition, behind its convolutions, which do not pad",
             .source = "mlperf/training speech_recognition/pytorch/model.py",
             .frame_shift = kDefaultFrameShift,
             .hop = truncated,
             .frames = mlperf_deepspeech},
    FrontEnd{.name = "mozilla",
             .summary = "windows of 32 ms that fit, one every 20 ms; also Coqui STT",
             .source = "tensorflow/core/kernels/spectrogram_op.cc",
             .frame_shift = kMozillaFrameShift,
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

}  // namespace seqpoint::lengths
