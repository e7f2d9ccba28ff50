#include "io/artifacts/selection_digest.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/batching/batches.hpp"
#include "io/stream/digest.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::artifacts {
namespace {

/// Options that determine the batches, besides the sampler. Reading options are covered by the histogram, options of
/// the selection by the points.
constexpr std::array<std::string_view, 11> kBatchOptions{
    "sampler-version", "batch-size",        "seed",      "epoch",        "epochs", "drop-last",
    "world-size",      "grad-accumulation", "resume-at", "pad-multiple", "shape"};

/// " 3:abc": a text prefixed by its length in bytes, so that no text can look like two.
std::string counted_text(std::string_view text) { return fmt::format(" {}:{}", text.size(), text); }

/// Adds a line for a sampler, and one for each of its own options except files: their content is among the inputs, and
/// their paths may vary. A sampler that does not exist, in a file that was edited, is a line as it is.
void add_sampler(std::vector<std::string>& lines, const std::string& text) try {
  const batching::SamplerChoice choice = batching::parse_sampler(text);
  lines.push_back("option sampler" + counted_text(choice.sampler->name));
  for (const OptionSpec& spec : choice.sampler->options)
    if (const auto value = choice.options.text(spec.name); value && spec.kind != OptionSpec::Kind::file)
      lines.push_back(fmt::format("option {}{}", spec.name, counted_text(*value)));
} catch (const ParameterError&) {
  lines.push_back("option sampler" + counted_text(text));
}

/// The options that determine the batches, sorted, and the digests of the inputs in order. A trace after the first
/// input is left out: it is a calibration, which is not part of the run.
std::string origin_text(const Provenance& provenance) {
  std::vector<std::string> lines;
  for (const auto& [name, values] : provenance.options) {
    if (name == "sampler" && values.size() == 1) add_sampler(lines, values.front());
    if (std::ranges::find(kBatchOptions, name) == kBatchOptions.end()) continue;
    std::string& line = lines.emplace_back("option " + name);
    for (const std::string& value : values) line += counted_text(value);
  }
  std::sort(lines.begin(), lines.end());
  for (std::size_t i = 0; i < provenance.inputs.size(); ++i)
    if (i == 0 || provenance.inputs[i].format != "trace") lines.push_back("input " + provenance.inputs[i].digest);
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

/// The names of the dimensions, then a line per shape: its dimensions and its number of iterations.
std::string histogram_text(const trace::RunSummary& run) {
  std::string text = "signature";
  for (const trace::Dimension d : trace::dimensions_of(run.kind)) text += fmt::format(" {}", trace::name_of(d));
  text += '\n';
  for (const trace::ShapeCount& entry : run.histogram) {
    for (const trace::Dimension d : trace::dimensions_of(run.kind)) text += fmt::format("{} ", entry.shape[d]);
    text += fmt::format("{}\n", entry.count);
  }
  return text;
}

std::string run_text(const trace::RunSummary& run) {
  return fmt::format("iterations {}\n{}samples {}\nepochs {}\ntokens {}\npadded_tokens {}\n{}", run.iterations,
                     run.loaded > 0 ? fmt::format("loaded {}\n", run.loaded) : "", run.samples, run.epochs,
                     run.tokens ? std::to_string(*run.tokens) : "-", run.padded_tokens, histogram_text(run));
}

/// A line per point: id, phase, shape and weight. The length replaces the shape if the point represents a group.
std::string points_text(const select::Selection& selection) {
  std::string text;
  for (const select::Point& point : selection.points) {
    // For a group its length: rows of any shape of that length measure it.
    trace::PartialShape parts;
    if (point.length_group)
      parts[trace::length_dimension(selection.run.kind)] = point.length_group;
    else
      parts = trace::PartialShape::of(selection.run.kind, point.shape);
    text += fmt::format("point{} phase {} {} weight {}\n", counted_text(point.id), point.phase,
                        text_of(parts, "=", " "), point.weight.millionths);
  }
  return text;
}

/// The digest of the run in "RUN-POINTS".
std::string_view run_part(std::string_view digest) { return digest.substr(0, digest.find('-')); }

/// Whether the document has a digest. Without one, throws InputError if this program made the document; else adds a
/// note.
bool has_digest(const JsonReader& reader, std::vector<std::string>& notes) {
  if (reader.root().contains("digest")) return true;
  if (const std::string maker = own_maker(reader); !maker.empty())
    reader.fail("digest", fmt::format("is missing, but {} wrote it", maker));
  notes.push_back(reader.source() + " has no digest (another program wrote it); not checked for changes");
  return false;
}

/// How two different selections differ: in the points or in the run.
std::string difference(std::string_view theirs, std::string_view ours) {
  return same_run(theirs, ours) ? "other points of the same run" : "points of another run";
}

/// Throws InputError at the first line whose digest is another selection's. `made`: what was done for it, for the
/// message.
void require_same_rows(const std::string& source, const std::vector<std::pair<std::string, std::uint64_t>>& digests,
                       const select::Selection& selection, const char* made) {
  for (const auto& [digest, line] : digests)
    if (digest != selection.digest && !(selection.counted_first && digest == selection.counted_first->measured_for))
      throw InputError(
          {source, line, "selection"},
          fmt::format("is {}, not {}: {} for {}", digest, selection.digest, made, difference(digest, selection.digest)),
          "give the points that were planned, or plan and measure again");
}

}  // namespace

std::string selection_digest(const select::Selection& selection, const Provenance& provenance) {
  return stream::short_digest(run_text(selection.run) + origin_text(provenance)) + "-" +
         stream::short_digest(points_text(selection));
}

std::string run_digest(const trace::RunSummary& run) { return stream::short_digest(histogram_text(run)); }

bool same_run(std::string_view digest, std::string_view other) { return run_part(digest) == run_part(other); }

std::string checked_digest(const select::Selection& selection, const JsonReader& reader,
                           std::vector<std::string>& notes) {
  const bool origin_known = reader.root().contains("provenance");
  std::string digest = selection_digest(selection, origin_known ? read_provenance(reader) : Provenance{});
  if (!has_digest(reader, notes)) return digest;
  const std::string stated = reader.root()["digest"];
  if (stated != digest)
    reader.fail("digest", fmt::format("is not that of the {} in this file, which was changed after it was written",
                                      same_run(stated, digest) ? "points" : "run"));
  return digest;
}

std::string content_digest(const Json& document) {
  nlohmann::json sorted = nlohmann::json::parse(json_text(document));  // with numbers as readers parse them
  sorted.erase("digest");
  sorted.erase("provenance");
  return stream::short_digest(json_text(sorted));
}

void check_content(const JsonReader& reader, std::vector<std::string>& notes) {
  if (has_digest(reader, notes) && reader.root()["digest"] != content_digest(reader.root()))
    reader.fail("digest", "is not that of the content of this file, which was changed after it was written");
}

void require_same_selection(const profile::ProfileTable& table, const select::Selection& selection) {
  require_same_rows(table.source, table.selections, selection, "measured");
}

void require_same_iterations(const profile::ProfileTable& table, std::uint64_t iterations) {
  for (const auto& [stated, line] : table.run_iterations)
    if (stated != std::to_string(iterations))
      throw InputError(
          {table.source, line, "run_iterations"},
          fmt::format("the log states {} iterations, and the run of the points has {}", stated, iterations),
          "give the run that is logged, all epochs of it; a pattern without the group 'of' compares nothing");
}

void require_same_selection(const profile::StepMap& map, const select::Selection& selection) {
  require_same_rows(map.source, map.selections, selection, "planned");
}

}  // namespace seqpoint::io::artifacts
