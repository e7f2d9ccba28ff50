#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/dataset_inputs.hpp"
#include "core/lengths/lengths.hpp"
#include "io/views/tables.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

/// How audio samples become frames: the front end, or for the first in the table the distance of frames in samples.
std::string frames_text(const lengths::FrameRule& frames) {
  if (frames.front_end != lengths::front_ends().front().name) return "front end " + frames.front_end;
  return "a frame every " + counted(frames.framing().hop, "sample");
}

/// Whether the lengths are times or numbers of audio samples.
bool is_audio(const io::manifests::InputRecord& input) {
  return input.unit == "seconds" || input.unit == "ms" || input.unit == "samples";
}

/// "read 12 samples from train.jsonl (jsonl, length 'duration' in seconds at 16000 Hz, a frame every 160 samples)".
std::string input_text(const io::manifests::InputRecord& input, const lengths::FrameRule& frames) {
  std::string text = fmt::format("read {} from {} ({}", counted(input.rows, "sample"), input.path, input.format);
  if (!input.fields.empty()) text += fmt::format(", length '{}'", input.fields);
  if (!input.unit.empty() && input.unit != lengths::name_of(lengths::LengthUnit::as_is)) text += " in " + input.unit;
  if (is_audio(input))
    text += fmt::format(
        " at {} Hz, {}",
        io::views::number_text(frames.sample_rate, std::max(1, 1 + static_cast<int>(std::log10(frames.sample_rate)))),
        frames_text(frames));
  return text + ")";
}

/// Prints one note per file for the first three files, and details for the others.
void report_inputs(const io::manifests::Dataset& dataset, const lengths::FrameRule& frames, Console& console) {
  constexpr std::size_t kMaxShown = 3;
  for (std::size_t i = 0; i < dataset.inputs.size(); ++i) {
    const std::string text = input_text(dataset.inputs[i], frames);
    i < kMaxShown ? console.note(text) : console.detail(text);
  }
  if (dataset.inputs.size() > kMaxShown)
    console.note(fmt::format("and {} (-v lists them): {} in all",
                             counted(dataset.inputs.size() - kMaxShown, "more file"),
                             counted(dataset.lengths.size(), "sample")));
}

/// Warns of given options that turn audio into frames if no input is audio: they have no effect.
void warn_of_frames_without_audio(const io::manifests::Dataset& dataset, const lengths::FrameRule& frames,
                                  Console& console) {
  if (std::any_of(dataset.inputs.begin(), dataset.inputs.end(), is_audio)) return;
  const lengths::FrameRule unchanged;
  const auto warn = [&](bool given, const char* option) {
    if (given)
      console.warn(std::string(option) + " changes nothing: no length here is a duration or a number of audio samples",
                   "leave it out, or name the unit of the lengths: --length-unit");
  };
  warn(frames.front_end != unchanged.front_end, "--front-end");
  warn(frames.sample_rate != unchanged.sample_rate, "--sample-rate");
  warn(frames.frame_shift.has_value(), "--frame-shift");
}

/// Prints notes "FILE: TEXT" as warnings. Notes with the same text are printed once, with the first file and the number
/// of the others.
void warn_of_notes(const std::vector<std::string>& notes, Console& console) {
  const auto about = [](const std::string& note) { return note.substr(std::min(note.find(": "), note.size())); };
  std::map<std::string, std::uint64_t> times;
  for (const std::string& note : notes) ++times[about(note)];
  for (const std::string& note : notes) {
    const std::uint64_t all = std::exchange(times[about(note)], 0);
    if (all > 0) console.warn(all == 1 ? note : note + fmt::format(" (and {})", counted(all - 1, "more file")));
  }
}

/// Reports how many rows were left out and why, samples of length 0, and the notes of the data set.
void report_accounting(const io::manifests::Dataset& dataset, Console& console) {
  const auto left_out = [&](std::uint64_t n, const char* why) {
    if (n > 0) console.note(fmt::format("left out {} of {}: {}", counted(n, "row"), grouped(dataset.rows), why));
  };
  left_out(dataset.missing, "no usable length (--skip-missing)");
  left_out(dataset.marked, "marked so in the manifest");
  left_out(dataset.too_short, "shorter than --min-length");
  left_out(dataset.too_long, "longer than --max-length");
  if (dataset.zeros > 0)
    console.warn(
        fmt::format("{} of {} with a length of 0, kept", counted(dataset.zeros, "sample"), dataset.lengths.size()),
        "--min-length 1 leaves out such samples");
  warn_of_notes(dataset.notes, console);
}

/// Prints a note about two files without named columns and with equally many rows: they may be meant as the sides of
/// pairs.
void report_two_sides(const io::manifests::Dataset& dataset, Console& console) {
  const auto& files = dataset.inputs;
  if (files.size() == 2 && files[0].rows == files[1].rows && files[0].fields.empty() && files[1].fields.empty())
    console.note(fmt::format("{} and {} are read one after the other; give the target side of pairs with --tgt",
                             files[0].path, files[1].path));
}

/// Warns of files with equal content, because duplicate samples change every figure. `targets`: pairs were read.
void warn_of_copies(const io::manifests::Dataset& dataset, bool targets, Console& console) {
  std::map<std::string_view, const io::manifests::InputRecord*> by_digest;
  for (const io::manifests::InputRecord& input : dataset.inputs) {
    const auto [known, is_new] = by_digest.emplace(input.digest, &input);
    if (is_new) continue;
    const std::string& first = known->second->path;
    console.warn(fmt::format("{} is {}: its samples {}", input.path,
                             first == input.path ? "given again" : "the same as " + first,
                             targets ? "are there twice, or are their own targets" : "count twice"),
                 "give each file once");
  }
}

/// Warns if more than half of the recordings last longer than an hour: a batch of them does not fit a device, so the
/// unit may be wrong.
void warn_of_hours(const io::manifests::Dataset& dataset, const lengths::FrameRule& frames, Console& console) {
  const auto audio = std::find_if(dataset.inputs.begin(), dataset.inputs.end(), is_audio);
  if (audio == dataset.inputs.end()) return;
  const lengths::Framing framing = frames.framing();
  const double frames_an_hour = 3600 * framing.sample_rate / static_cast<double>(framing.hop);
  const std::vector<std::uint32_t>& lengths = dataset.lengths.src;
  const auto longer =
      std::count_if(lengths.begin(), lengths.end(), [&](std::uint32_t n) { return n > frames_an_hour; });
  if (2 * static_cast<std::size_t>(longer) <= lengths.size()) return;
  const double all = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  console.warn(
      fmt::format("{}: {} of {} last longer than an hour, {} h in all, if their unit is {}", audio->path, longer,
                  counted(lengths.size(), "recording"), io::views::number_text(all / frames_an_hour, 3), audio->unit),
      "name the unit of the lengths: --length-unit");
}

/// Warns if the longest sample is 1000 times as long as the median or more: that may be a wrong unit.
void warn_of_longest(const std::vector<std::uint32_t>& lengths, const std::string& path, Console& console) {
  constexpr std::uint32_t kMuch = 1000;
  std::uint32_t longest = 0;
  for (const std::uint32_t length : lengths) longest = std::max(longest, length);
  const std::uint32_t much = longest / kMuch;
  if (much == 0) return;
  const auto long_ones = std::ranges::count_if(lengths, [=](std::uint32_t length) { return length >= much; });
  if (2 * static_cast<std::size_t>(long_ones) > lengths.size()) return;
  console.warn(fmt::format("{}: the longest sample has a length of {}, over 1000x the median", path, longest),
               "--max-length leaves out such samples");
}

}  // namespace

void report_dataset(const io::manifests::Dataset& dataset, bool targets, const lengths::FrameRule& frames,
                    Console& console) {
  report_inputs(dataset, frames, console);
  if (!targets) report_two_sides(dataset, console);
  warn_of_frames_without_audio(dataset, frames, console);
  report_accounting(dataset, console);
  warn_of_copies(dataset, targets, console);
  warn_of_hours(dataset, frames, console);
  warn_of_longest(dataset.lengths.src, dataset.inputs.front().path, console);
  warn_of_longest(dataset.lengths.tgt, dataset.inputs.back().path, console);
}

void report_assumptions(const DatasetOptions& o, Console& console) {
  const batching::BatchPolicy& policy = o.batching;
  const batching::Sampler& sampler = batching::find_sampler(policy.sampler);
  if (!o.names_sampler) console.note("no --sampler: batches are in file order, unshuffled (`seqpoint list samplers`)");
  const auto is_seed = [](const auto& option) { return option.first.find("seed") != std::string::npos; };
  if (sampler.takes_seed && !policy.seed && std::ranges::none_of(policy.options.all(), is_seed))
    console.note(fmt::format("--sampler {}: no --seed: using seed 0", policy.sampler));
  const std::string assumed = sampler.assumes(policy);
  if (!assumed.empty()) console.note(fmt::format("--sampler {}: {}", policy.sampler, assumed));
  if (policy.resume_at > 0)
    console.note(fmt::format("--resume-at {}: numbered from 0 after the checkpoint; {}", policy.resume_at,
                             batching::find_sampler(policy.sampler).resuming.about));
}

}  // namespace seqpoint::cli::options
