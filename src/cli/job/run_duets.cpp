#include <fmt/core.h>

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "cli/job/run_state.hpp"
#include "core/numbers.hpp"
#include "io/artifacts/files.hpp"
#include "io/stream/input.hpp"
#include "io/views/amounts.hpp"

namespace seqpoint::cli::job {
namespace {

namespace fs = std::filesystem;
using io::artifacts::JobStart;
using measuring::Duet;
using measuring::Pair;
using profile::Reading;

/// The measurements of a metric of a build; null: it has none.
struct OfBuild {
  const profile::Measurements& measurements;
  std::optional<std::size_t> metric(std::string_view name) const {
    const auto found = std::ranges::find(measurements.metrics, name);
    if (found == measurements.metrics.end()) return {};
    return static_cast<std::size_t>(found - measurements.metrics.begin());
  }
  std::optional<std::size_t> process(const std::string& path) const {
    const auto found = std::ranges::find(measurements.process_names, path);
    if (found == measurements.process_names.end()) return {};
    return static_cast<std::size_t>(found - measurements.process_names.begin());
  }
  /// The mean of a process's measurements of a metric at a point; nothing: it has none.
  std::optional<double> mean_at(std::size_t metric, std::size_t point, std::size_t process) const {
    std::vector<double> values;
    for (const Reading& reading : measurements.readings[metric][point])
      if (reading.process == process) values.push_back(reading.value);
    if (values.empty()) return {};
    return mean(values);
  }
};

/// The seconds that a batch waits for data, by consecutive batches of a process. `error`: the variance of the mean.
struct Wait {
  double seconds = 0, error = 0;
};

/// Nothing: the process ran no stretch, or its phases are not known.
std::optional<Wait> wait_in_a_row(const std::string& stretch) {
  constexpr std::size_t kFewest = 2;
  if (!fs::exists(stretch)) return {};
  const io::artifacts::TraceFile file = io::artifacts::read_trace(io::stream::Input::open(stretch));
  const trace::Metric* const wait = file.trace.find_metric("wait_s");
  if (wait == nullptr || wait->values.size() < kFewest) return {};
  const double usual = mean(wait->values), number = static_cast<double>(wait->values.size());
  double squares = 0;
  for (const double value : wait->values) squares += (value - usual) * (value - usual);
  return Wait{usual, squares / (number - 1) / number};
}

/// The two processes of a round.
struct Round {
  OfBuild base, other;
  std::size_t of_base = 0, of_other = 0;    ///< positions of the processes
  std::string base_profile, other_profile;  ///< paths
};

/// Seconds of an epoch by which the batches of a process wait longer in a row than at its points, where its loader
/// works ahead while the other process runs.
Wait unseen_wait(const OfBuild& build, std::size_t process, const std::string& profile,
                 const select::Selection& selection) {
  const std::optional<Wait> row = wait_in_a_row(io::artifacts::stretch_of(profile));
  const std::optional<std::size_t> metric = build.metric("wait_s");
  if (!row || !metric) return {};
  double seen = 0, weight = 0;
  for (std::size_t p = 0; p < selection.points.size(); ++p)
    if (const std::optional<double> wait = build.mean_at(*metric, p, process)) {
      seen += selection.points[p].weight.iterations() * *wait;
      weight += selection.points[p].weight.iterations();
    }
  if (weight == 0 || row->seconds <= seen / weight) return {};
  return {weight * (row->seconds - seen / weight), weight * weight * row->error};
}

/// What a round says; nothing: fewer than two points were measured in both processes.
std::optional<Duet> duet_of_round(const Round& round, const select::Selection& selection) {
  const std::optional<std::size_t> base = round.base.metric(measuring::kMetric),
                                   other = round.other.metric(measuring::kMetric);
  if (!base || !other) return {};
  std::vector<Pair> pairs;
  double base_s = 0, other_s = 0;
  for (std::size_t p = 0; p < selection.points.size(); ++p) {
    const std::optional<double> before = round.base.mean_at(*base, p, round.of_base),
                                after = round.other.mean_at(*other, p, round.of_other);
    if (!before || !after || !(*before > 0) || !(*after > 0)) continue;
    pairs.push_back({selection.points[p].weight.iterations(), *before, *after});
    base_s += pairs.back().weight * *before;
    other_s += pairs.back().weight * *after;
  }
  if (pairs.size() < 2) return {};
  const Wait of_base = unseen_wait(round.base, round.of_base, round.base_profile, selection),
             of_other = unseen_wait(round.other, round.of_other, round.other_profile, selection);
  const double variance =
      of_base.error / std::pow(base_s + of_base.seconds, 2) + of_other.error / std::pow(other_s + of_other.seconds, 2);
  return measuring::duet_of(pairs, {of_base.seconds, of_other.seconds, variance});
}

}  // namespace

bool takes_turns(const RunState& run) {
  const RunRequest& request = run.request;
  return request.duets && !run.duet_failed && run.members.size() == 2 && run.shared && request.parallel == 1 &&
         run.way == measuring::Way::points;
}

std::string make_duet(const RunState& run, std::uint64_t round) {
  std::string folder = run.folder.unfinished(fmt::format("duet-{}", round));
  std::error_code failed;
  fs::remove_all(folder, failed);
  fs::create_directory(folder, failed);
  constexpr mode_t kOwners = 0600;
  for (const char* const side : {"0", "1"})
    if (failed || ::mkfifo((folder + "/" + side).c_str(), kOwners) != 0) return "";
  return folder;
}

std::vector<Duet> duets_of(const RunState& run, const Projected& part) {
  std::vector<Duet> duets;
  if (run.members.size() != 2 || !run.shared || part.measured.configurations.size() != 2) return {};
  const OfBuild base{part.measured.configurations[0].measurements}, other{part.measured.configurations[1].measurements};
  const std::uint64_t rounds = std::min(run.members[0].processes, run.members[1].processes);
  for (std::uint64_t number = 1; number <= rounds; ++number) {
    const std::string one = run.profile_name(run.members[0], number), two = run.profile_name(run.members[1], number);
    const JobStart *const first = run.start_of(one), *const second = run.start_of(two);
    if (first == nullptr || second == nullptr || !first->in_duet || !second->in_duet) continue;
    const std::optional<std::size_t> of_base = base.process(run.folder.path(one)),
                                     of_other = other.process(run.folder.path(two));
    if (!of_base || !of_other) continue;
    const Round round{base, other, *of_base, *of_other, run.folder.path(one), run.folder.path(two)};
    if (const std::optional<Duet> duet = duet_of_round(round, part.inputs.selection)) duets.push_back(*duet);
  }
  return 2 * duets.size() > rounds ? duets : std::vector<Duet>();
}

std::string duet_text(const RunState& run, const Outcome& outcome) {
  if (outcome.duets.empty()) return "";
  const std::string &base = run.members[0].build.name, &other = run.members[1].build.name;
  const Duet& last = outcome.duets.back();
  return fmt::format("{} against {}, in turns: {:+.1f} % ± {:.2g} %", other, base, 100 * std::expm1(last.log_ratio),
                     100 * 2 * std::sqrt(last.variance));
}

}  // namespace seqpoint::cli::job
