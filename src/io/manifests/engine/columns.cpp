#include "io/manifests/engine/columns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <span>

#include "io/text/foreign_files.hpp"

namespace seqpoint::io::manifests::engine {
namespace {

constexpr std::array<std::string_view, 3> kLengths{"length", "src_len", "src_tokens"};
/// Audio samples; without another sign of audio, they may be any numbers.
constexpr std::array<std::string_view, 3> kCounts{"samples", "num_samples", "n_samples"};
constexpr std::array<std::string_view, 7> kAudio{"num_frames",  "n_frames",     "frames", "duration",
                                                 "duration_ms", "duration[ms]", "seconds"};
/// If each row has its own sampling rate, numbers of samples do not have the run's rate; seconds need no rate.
constexpr std::array<std::string_view, 2> kRates{"sampling_rate", "sample_rate"};
/// The elements of `input_ids`, which a job pads, are counted; next to them `tokens` are words, and `seq_len` may be
/// the length of a part.
constexpr std::array<std::string_view, 10> kTokens{
    "num_tokens",    "input_ids",          "tokens",    "seq_len", "ContextTokens", "input_length", "input_tokens",
    "prompt_tokens", "num_prefill_tokens", "source_len"};
constexpr std::size_t kShownNames = 20;

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The first 20 names, and how many more there are.
std::string comma_separated(const std::vector<std::string>& names) {
  std::string list;
  for (std::size_t i = 0; i < std::min(kShownNames, names.size()); ++i) list += (i == 0 ? "" : ", ") + names[i];
  return list + (names.size() > kShownNames ? fmt::format(" and {} more", names.size() - kShownNames) : "");
}

/// Throws InputError unless exactly one of `names` is `asked`.
void require_named_column(const std::vector<std::string>& names, const std::string& asked, std::uint64_t line,
                          const RowSink& sink) {
  const auto times = std::count(names.begin(), names.end(), asked);
  if (times == 0)
    throw InputError({sink.file.path(), line, asked}, "there is no such column",
                     "the columns are: " + comma_separated(names));
  if (times > 1)
    throw InputError({sink.file.path(), line, asked}, fmt::format("there are {} columns of that name", times),
                     "rename all but one");
}

[[noreturn]] void refuse_unknown_columns(const std::vector<std::string>& names, std::uint64_t line,
                                         const RowSink& sink) {
  throw InputError({sink.file.path(), line}, "no column of lengths: " + comma_separated(names),
                   "name one: --length-field NAME; " + text_hint(sink.file.path()));
}

/// The usual names of columns of lengths that occur in `names`, most likely first: tokens are preferred to numbers of
/// samples unless there is a sign of audio.
std::vector<std::string> usual_columns(const std::vector<std::string>& names) {
  std::vector<std::string> known;
  const auto add = [&](std::span<const std::string_view> usual) {
    for (const std::string_view name : usual)
      if (contains(names, name)) known.emplace_back(name);
  };
  const auto has_one = [&](std::span<const std::string_view> usual) {
    return std::ranges::any_of(usual, [&](std::string_view name) { return contains(names, name); });
  };
  const bool counts_are_samples = has_one(kAudio) && !has_one(kRates);
  add(kLengths);
  if (counts_are_samples) add(kCounts);
  add(kAudio);
  add(kTokens);
  if (!counts_are_samples) add(kCounts);
  return known;
}

/// Whether a usual name is one of frames, durations or audio samples.
bool is_of_audio(std::string_view name) {
  return std::ranges::find(kAudio, name) != kAudio.end() || std::ranges::find(kCounts, name) != kCounts.end();
}

/// The column "tgt..." for a source column "src..."; empty if `src` has another name, or `names` lacks it.
std::string target_column_of(const std::string& src, const std::vector<std::string>& names) {
  if (!src.starts_with("src")) return {};
  const std::string tgt = "tgt" + src.substr(3);
  return contains(names, tgt) ? tgt : "";
}

/// Sets the sink's note about the choice if other columns have a usual name. If the chosen column is audio, others of
/// audio are not listed: they are the same lengths in other units.
void note_left_out(const std::vector<std::string>& names, const std::string& taken, RowSink& sink) {
  std::string others;
  for (const std::string& name : usual_columns(names))
    if (name != taken && !(is_of_audio(name) && is_of_audio(taken)))
      others += fmt::format("{}'{}'", others.empty() ? "" : ", ", name);
  if (!others.empty())
    sink.choice = fmt::format("'{}' is read, not {}: --length-field takes another column", taken, others);
}

/// The last part of a dotted key.
std::string_view last_part(std::string_view column) { return column.substr(column.rfind('.') + 1); }  // npos + 1 is 0

/// Whether a word in a column's name implies one number per row.
bool is_word_of_a_number(std::string_view word) {
  constexpr std::array<std::string_view, 17> kWords{"duration", "durations", "seconds", "secs",    "sec",  "ms",
                                                    "len",      "lens",      "length",  "lengths", "num",  "n",
                                                    "nb",       "count",     "counts",  "size",    "sizes"};
  return std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace

std::string text_hint(const std::string& path) {
  return text::with_path(
      "a tokenizer counts text: python3 -m seqpoint_companion lengths FILE --tokenizer NAME -o lengths.csv", path);
}

bool names_one_number(std::string_view column, bool asked) {
  std::string_view rest = last_part(column);
  if (rest == "samples" || rest == "frames") return !asked;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find_first_of("_- "));
    if (is_word_of_a_number(word)) return true;
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
  }
  return false;
}

void refuse_place(const std::string& column, const std::string& path) {
  constexpr std::array<std::string_view, 12> kPlaces{"start",      "end",      "begin",      "stop",
                                                     "start_time", "end_time", "start_sec",  "end_sec",
                                                     "offset",     "offsets",  "cu_seqlens", "indptr"};
  if (std::ranges::find(kPlaces, last_part(column)) == kPlaces.end()) return;
  throw InputError({path, 0, column}, "is where a sample begins or ends, not how long it is",
                   "write the differences into a column of their own, such as 'length'");
}

std::string usual_length_column(const std::vector<std::string>& names) {
  const std::vector<std::string> known = usual_columns(names);
  return known.empty() ? "" : known.front();
}

void choose_columns(const std::vector<std::string>& names, std::uint64_t line, RowSink& sink) {
  std::string src = sink.file.requested_field();
  std::string tgt = sink.file.requested_target_field();
  if (!src.empty()) refuse_place(src, sink.file.path());
  if (src.empty()) {
    src = usual_length_column(names);
    if (src.empty()) refuse_unknown_columns(names, line, sink);
    std::vector<std::string> others = names;
    if (const std::string of_target = target_column_of(src, names); sink.file.is_target() && !of_target.empty()) {
      std::erase(others, src);  // the other side of the pair
      src = of_target;
    }
    note_left_out(others, src, sink);
    if (tgt.empty() && sink.file.may_hold_both_sides()) tgt = target_column_of(src, names);
  }
  require_named_column(names, src, line, sink);
  if (!tgt.empty()) require_named_column(names, tgt, line, sink);
  sink.set_columns(src, tgt);
}

}  // namespace seqpoint::io::manifests::engine
