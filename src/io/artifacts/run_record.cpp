#include "io/artifacts/run_record.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "io/artifacts/fields.hpp"
#include "io/artifacts/json.hpp"
#include "io/artifacts/schemas.hpp"
#include "io/stream/digest.hpp"
#include "io/text/escape.hpp"

namespace seqpoint::io::artifacts {

namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

/// Two hexadecimal digits for each byte.
std::string hex_of(std::string_view bytes) {
  std::string digits;
  for (const char c : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return digits;
}

bool is_hex(std::string_view digits) {
  return digits.size() % 2 == 0 && digits.find_first_not_of(kHexDigits) == std::string_view::npos;
}

/// The bytes of hex_of().
std::string bytes_of(std::string_view digits) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < digits.size(); at += 2)
    bytes += static_cast<char>(16 * kHexDigits.find(digits[at]) + kHexDigits.find(digits[at + 1]));
  return bytes;
}

}  // namespace

// The descriptions are not in an anonymous namespace: fields.hpp could not find them there.

void describe(auto& fields, Of<process::Gpu> auto& gpu) {
  fields.field("name", gpu.name);
  fields.field("slowed_by", gpu.slowed_by);
  fields.unless_empty("clock_mhz", gpu.clock_mhz);
  fields.unless_empty("power_limit_w", gpu.power_limit_w);
}

void describe(auto& fields, Of<process::Machine> auto& machine) {
  fields.field("cores", machine.cores);
  fields.field("gpus", machine.gpus);
  fields.unless_empty("load", machine.load);
  if (!machine.gpus.empty()) fields.field("programs_on_gpus", machine.programs_on_gpus);
}

void describe(auto& fields, Of<project::Stretch> auto& stretch) {
  fields.field("batches", stretch.batches);
  fields.rounded("predicted_s", stretch.predicted_s);
  fields.rounded("took_s", stretch.took_s);
  fields.ends("low_s", "high_s", stretch.expected);
}

void describe(auto& fields, Of<process::JobWarning> auto& warning) {
  fields.field("text", warning.text);
  fields.unless_empty("option", warning.option);
}

void describe(auto& fields, Of<JobStart> auto& start) {
  fields.field("build", start.build);
  fields.field("verb", start.verb);
  fields.unless_empty("process", start.process);
  fields.field("begun", start.begun);
  fields.rounded("seconds", start.seconds);
  fields.unless_empty("after_order", start.after_order);
  fields.field("batches", start.batches);
  fields.field("python", start.python);
  fields.field("output", start.output);
  fields.field("log", start.log);
  fields.rounded_unless_zero("ready_s", start.ready_s);
  fields.rounded_unless_zero("first_batch_s", start.first_batch_s);
  fields.rounded_unless_zero("mean_batch_s", start.mean_batch_s);
  fields.unless_empty("stated", start.stated);
  fields.unless_empty("of_pass", start.of_pass);
  fields.rounded_unless_zero("draws", start.draws);
  fields.unless_empty("another_draw", start.another_draw);
  fields.rounded_unless_zero("waited_s", start.waited_s);
  fields.unless_empty("in_duet", start.in_duet);
  fields.rounded_unless_zero("loader_s", start.loader_s);
  fields.unless_empty("parameters", start.parameters);
  fields.unless_empty("compilations", start.compilations);
  fields.unless_empty("loader", start.loader);
  fields.unless_empty("counted", start.counted);
  fields.unless_empty("untouched", start.untouched);
  fields.unless_empty("kept", start.kept);
  fields.unless_empty("changed", start.changed);
  fields.unless_empty("removed", start.removed);
  fields.unless_empty("staying", start.staying);
  fields.unless_empty("warnings", start.warnings);
  fields.unless_empty("first_trained", start.first_trained);
  fields.unless_empty("left_after", start.left_after);
  fields.field("environment", start.environment);
  fields.unless_empty("machine", start.machine);
  fields.unless_empty("stretch", start.stretch);
}

void describe(auto& fields, Of<RunCost> auto& cost) {
  fields.rounded("seconds", cost.seconds);
  fields.field("starts", cost.starts);
  fields.field("orders", cost.orders);
  fields.field("batches", cost.batches);
}

/// The words of a command. JSON cannot hold bytes that are no UTF-8: they are U+FFFD there, and `command_hex` has the
/// bytes of all words.
void describe_words(FieldWriter& fields, const std::vector<std::string>& words) {
  fields.field("command", words);
  if (std::ranges::all_of(words, text::is_utf8)) return;
  std::vector<std::string> digits;
  for (const std::string& word : words) digits.push_back(hex_of(word));
  fields.field("command_hex", digits);
}

void describe_words(FieldReader& fields, std::vector<std::string>& words) {
  fields.field("command", words);
  std::vector<std::string> digits;
  fields.unless_empty("command_hex", digits);
  if (digits.empty()) return;
  words.clear();
  for (const std::string& of_word : digits) words.push_back(bytes_of(of_word));
}

void describe(auto& fields, Of<Build> auto& build) {
  fields.field("name", build.name);
  describe_words(fields, build.words);
  fields.unless_empty("digest", build.digest);
}

void describe(auto& fields, Of<JobRequest> auto& request) {
  fields.field("builds", request.builds);
  fields.unless_empty("order", request.order);
  fields.unless_empty("points", request.points);
  fields.unless_empty("budget", request.budget);
  fields.unless_empty("max_error", request.max_error);
  fields.unless(std::uint64_t{1}, "epochs", request.epochs);
  fields.unless_empty("signature", request.signature);
  fields.unless_empty("loader", request.loader);
  fields.unless_empty("batches", request.batches);
  fields.word("by", project::kBreakdowns, request.by);
  fields.unless_empty("no_phases", request.no_phases);
}

void describe(auto& fields, Of<RegressionLimit> auto& limit) {
  fields.unless_empty("max_regression", limit.max_regression);
  fields.unless_empty("inconclusive_fails", limit.inconclusive_fails);
}

void describe(auto& fields, Of<measuring::Look> auto& look) {
  fields.field("processes", look.processes);
  fields.rounded("alpha", look.alpha);
}

void describe(auto& fields, Of<measuring::SaidPrice> auto& said) {
  fields.rounded("about_s", said.about_s);
  fields.rounded("most_s", said.most_s);
}

/// The object `request`: the limit is among what the user asked for.
void describe_request(auto& fields, Of<RunRecord> auto& record) {
  describe(fields, record.request);
  describe(fields, record.limit);
}

constexpr std::array<Word<measuring::Way>, 2> kWays{
    {{"points", measuring::Way::points}, {"epochs", measuring::Way::epochs}}};

/// All other keys of the document, but those that every kind has.
void describe_run(auto& fields, Of<RunRecord> auto& record) {
  fields.field("folder", record.place.folder);
  fields.field("variables", record.place.variables);
  fields.unless_empty("variable_digests", record.place.digests);
  fields.field("programs", record.place.programs);
  fields.field("starts", record.starts);
  fields.unless_empty("cost", record.cost);
  fields.field("files", record.files);
  fields.unless_empty("planned_processes", record.planned_processes);
  fields.word("way", kWays, record.way);
  fields.unless_empty("said", record.said);
  fields.unless_empty("looks", record.looks);
  fields.unless_empty("stopped", record.stopped);
}

std::string as_stored(const std::string& bytes) { return text::valid_utf8(bytes); }

std::string secret_digest(std::string_view text) {
  constexpr std::size_t kDigits = 8;
  return stream::short_digest(text).substr(0, kDigits);
}

JobRequest without_secrets(JobRequest request, const text::Secrets& secrets) {
  for (Build& build : request.builds) {
    std::vector<std::string> shown = secrets.hidden_in(build.words);
    if (shown != build.words) build.digest = secret_digest(fmt::format("{}", fmt::join(build.words, "\n")));
    build.words = std::move(shown);
  }
  return request;
}

bool is_build_name(std::string_view name) {
  const auto is_alphanumeric = [](unsigned char c) { return c < 0x80 && std::isalnum(c) != 0; };
  const auto fits = [&](char c) { return is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; };
  return !name.empty() && is_alphanumeric(name.front()) && std::ranges::all_of(name, fits);
}

namespace {

/// Whether the name is of a file in the folder of the run.
bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

/// The same, also of a trace in its folder.
bool is_kept_name(std::string_view name) {
  constexpr std::string_view kTraces = "traces/";
  return is_file_name(name.starts_with(kTraces) ? name.substr(kTraces.size()) : name);
}

constexpr auto kStrange = "is not a name that `seqpoint run` gives";

/// Throws InputError unless `command_hex`, where a build has it, has the bytes of each word of `command`.
void require_bytes(const JsonReader& reader) {
  const Json& builds = reader.root()["request"]["builds"];
  for (std::size_t b = 0; b < builds.size(); ++b) {
    const Json& digits = part(builds[b], "command_hex");
    const std::string path = fmt::format("request.builds[{}].command_hex", b);
    if (!digits.is_null() && digits.size() != builds[b]["command"].size())
      reader.fail(path, "has not as many words as command");
    for (std::size_t w = 0; w < digits.size(); ++w)
      if (!is_hex(digits[w].get<std::string>()))
        reader.fail(fmt::format("{}[{}]", path, w), "is not of two digits, 0 to 9 and a to f, for each byte");
  }
}

void require_names(const JobRequest& request, const JsonReader& reader) {
  for (std::size_t b = 0; b < request.builds.size(); ++b) {
    const std::string& name = request.builds[b].name;
    if (!is_build_name(name)) reader.fail(fmt::format("request.builds[{}].name", b), kStrange);
    if (std::ranges::count(request.builds, name, &Build::name) > 1)
      reader.fail(fmt::format("request.builds[{}].name", b), "is the name of two builds");
  }
}

/// Throws InputError for names that would lead out of the folder.
void require_names(const RunRecord& record, const JsonReader& reader) {
  require_names(record.request, reader);
  for (std::size_t s = 0; s < record.starts.size(); ++s) {
    const JobStart& start = record.starts[s];
    if (!is_file_name(start.output)) reader.fail(fmt::format("starts[{}].output", s), kStrange);
    if (!is_file_name(start.log)) reader.fail(fmt::format("starts[{}].log", s), kStrange);
  }
  for (const auto& [name, digest] : record.files)
    if (!is_kept_name(name) && name != as_stored(record.request.order)) reader.fail("files." + name, kStrange);
}

}  // namespace

std::string run_record_json(const RunRecord& record) {
  FieldWriter request, document;
  describe_request(request, record);
  document.json = {{"schema", schema_name("run")}, {"request", std::move(request.json)}};
  describe_run(document, record);
  document.json["provenance"] = provenance_json({});
  return json_text(document.json);
}

RunRecord read_run_record(stream::Input input) {
  const std::string source = input.name();
  const JsonReader reader(source, input.read_text(), "run");
  require_schema(reader, "run");
  require_bytes(reader);
  RunRecord record;
  FieldReader request(reader.root()["request"]), document(reader.root());
  describe_request(request, record);
  describe_run(document, record);
  require_names(record, reader);
  return record;
}

}  // namespace seqpoint::io::artifacts
