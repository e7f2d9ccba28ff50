// The one list of formats.
#include <array>

#include "io/text/input_head.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/text/number.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {

std::span<const Reader> readers() {
  static const std::array kTable{
      // by their first bytes
      kMegatronIndex,
      kFairseqIndex,
      kNpy,
      // by the name of the file
      kKaldiUtt2numFrames,
      kKaldiSegments,
      kKaldiWavScp,
      kKaldiText,
      kEspnetSamples,
      kLjspeech,
      // JSON, by its keys
      kDeepspeechJson,
      kWenetList,
      kNemo,
      kNemoLhotse,
      kLhotseCuts,
      kLhotseRecordings,
      kLhotseFeatures,
      kLhotseSupervisions,
      kMooncake,
      kAlpaca,
      kShareGpt,
      kHuggingFace,
      kJsonl,
      kJson,
      // by the names in a header
      kTrace,
      kLengths,
      kAzure,
      kBurstGpt,
      kVidur,
      kMozilla,
      kCommonVoice,
      kClipDurations,
      kTsv,
      kCsv,
      // by what the first lines look like
      kFairseqTsv,
      kEspnetShape,
      kKaldiUtt2dur,
      kKeyed,
      kDeepspeechCsv,
      // by nothing but numbers, or by --tgt
      kList,
      kText,
  };
  return kTable;
}

const Reader& pick_reader(std::string_view format, const Probe& probe) {
  std::string known;
  for (const Reader& reader : readers()) {
    if (format.empty() ? reader.recognises(probe) : reader.name == format) return reader;
    known += (known.empty() ? "" : ", ") + std::string(reader.name);
  }
  if (!format.empty()) throw UsageError("there is no format '" + std::string(format) + "'", "one of: " + known);
  const std::string_view line = trim(first_line(probe.head));
  if (line.empty()) throw InputError({std::string(probe.path)}, "is empty", "check how it was made");
  constexpr std::size_t kShown = 60;
  throw InputError({std::string(probe.path), 1},
                   "is in no format that seqpoint recognises: \"" + std::string(line.substr(0, kShown)) + (line.size() > kShown ? "..." : "") + "\"",
                   "name the column with --length-field, or the format with --format, one of: " + known);
}

bool is_trace(Input& input, const std::string& format) {
  return format.empty() ? kTrace.recognises({input.name(), input.head(), "", false}) : format == kTrace.name;
}

}  // namespace seqpoint
