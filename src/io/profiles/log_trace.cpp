// What a job's log tells of its run: how many tokens its iterations had, and how long they took.
#include <fmt/core.h>

#include "io/profiles/formats/formats.hpp"
#include "io/profiles/profile_input.hpp"
#include "io/text/csv_table.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles {
namespace {

using Steps = std::vector<const profile::ProfiledStep*>;

/// Those whose tokens are known, ascending.
Steps steps_with_tokens(const profile::StepProfile& profile) {
  Steps steps;
  for (const profile::ProfiledStep& step : profile.steps) {
    const profile::StepIdentity& identity = step.identity;
    if (!identity.iteration || !identity.key.tokens || !step.host_ns) continue;
    while (!steps.empty() && *steps.back()->identity.iteration >= *identity.iteration) steps.pop_back();
    steps.push_back(&step);
  }
  return steps;
}

artifacts::TraceFile trace_of_log(StepProfileFile file) {
  const profile::StepProfile& profile = file.profile;
  const Steps steps = steps_with_tokens(profile);
  if (steps.empty())
    throw InputError(
        {profile.source},
        profile.of_log ? "does not say how many tokens an iteration had, and so is no run to choose from"
                       : "is neither a trace nor a job's log",
        "`seqpoint scan` lists the iterations of a run from its data set; `seqpoint eta` and `seqpoint project` take "
        "the log beside that");
  artifacts::TraceFile out{.trace = {}, .record = std::move(file.record), .notes = {}};
  trace::Trace& trace = out.trace;
  trace.kind = trace::SignatureKind::varlen;
  trace.statistics.push_back({"runtime_s", {}});
  constexpr double kNsPerSecond = 1e9;
  for (const profile::ProfiledStep* const step : steps) {
    const std::uint64_t tokens = *step->identity.key.tokens;
    trace.signatures.push_back({.tokens = static_cast<std::uint32_t>(tokens)});
    trace.tokens.push_back(tokens);
    trace.samples.push_back(1);
    trace.epoch.push_back(*step->identity.iteration / profile.iterations_per_epoch.value_or(UINT64_MAX));
    trace.statistics.front().values.push_back(static_cast<double>(*step->host_ns) / kNsPerSecond);
  }
  out.notes = profile.notes;
  out.notes.push_back(
      fmt::format("{}: the run is the {} that the log tells, counted from 0; an iteration has the tokens that its time "
                  "and rate make, "
                  "and is one sample: the log does not say of how many sequences it was",
                  profile.source, counted(steps.size(), "iteration")));
  return out;
}

}  // namespace

bool is_log(stream::Input& input) {
  return formats::kTrainingLog.recognises({.path = input.name(), .head = input.head()});
}

artifacts::TraceFile read_trace_or_log(stream::Input input, std::optional<std::uint32_t> batch_size,
                                       trace::BatchLayout layout, bool rows) {
  const bool table = text::header_fields(input.head(), text::dialect_of(input.head())).size() > 1;
  if (table && !is_log(input)) return artifacts::read_trace(std::move(input), batch_size, layout, rows);
  const std::string text = input.read_all();  // what a job prints first may be longer than the head
  stream::Input again = stream::Input::from_memory(input.name(), text);
  if (!formats::kTrainingLog.recognises({.path = input.name(), .head = text}))
    return artifacts::read_trace(std::move(again), batch_size, layout, rows);
  artifacts::TraceFile file = trace_of_log(read_step_profile(std::move(again)));
  file.record.digest = input.digest();
  return file;
}

}  // namespace seqpoint::io::profiles
