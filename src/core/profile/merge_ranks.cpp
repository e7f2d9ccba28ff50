// Merges the profiles of several ranks: a step takes as long as the slowest of them.
#include "core/profile/measure.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "core/findings.hpp"

namespace seqpoint::profile {
namespace {

/// Sets `to` to the larger of both; a value that is not known counts as smaller.
template <class T>
void keep_largest(std::optional<T>& to, const std::optional<T>& other) {
  if (other && (!to || *other > *to)) to = other;
}

/// Merges another rank's step into `step`: the largest time of each kind, and names, labels and operations
/// of the one with the longer host time. A stub if both are, warm-up if either is.
void merge(ProfiledStep& step, const ProfiledStep& other) {
  // Takes name and labels from the longer one: ranks have lengths of their own, and the most work takes longest.
  if (step.labels.empty()) step.labels = other.labels;
  if (other.host_ns > step.host_ns) {
    step.key = other.key;
    if (!other.labels.empty()) step.labels = other.labels;
    step.operators = other.operators;
    step.kernels = other.kernels;
    step.gpu_ops = other.gpu_ops;
  }
  keep_largest(step.host_ns, other.host_ns);
  keep_largest(step.gpu_busy_ns, other.gpu_busy_ns);
  keep_largest(step.gpu_sum_ns, other.gpu_sum_ns);
  keep_largest(step.gpu_span_ns, other.gpu_span_ns);
  step.stub = step.stub && other.stub;
  step.warmup = step.warmup || other.warmup;
}

// --- tables ---------------------------------------------------------------------------------------------------------

/// Key that joins the rows of all ranks for one measurement: its subject and ordinal.
struct MeasurementKey {
  RowSubject subject;
  std::optional<std::uint64_t> iteration;
  bool warmup = false;
  std::size_t occurrence = 0;
  friend auto operator<=>(const MeasurementKey&, const MeasurementKey&) = default;
};

/// Merges the values of `table` at place `other` into those of `into` at `place`. Costs other than times add up; of
/// times and other values the larger counts. If one is NaN, the other counts. The tables have the same metrics.
void merge(ProfileTable& into, std::size_t place, const ProfileTable& table, std::size_t other) {
  for (std::size_t m = 0; m < table.metrics.size(); ++m) {
    double& value = into.values[m][place];
    const double theirs = table.values[m][other];
    if (std::isnan(value))
      value = theirs;
    else if (!std::isnan(theirs))
      value = table.role(m) == MetricRole::cost && !trace::is_time_metric(table.metrics[m]) ? value + theirs
                                                                                            : std::max(value, theirs);
  }
}

/// The metrics of all tables, each once, in the order of appearance: a rank may have measured a metric that others
/// lack, such as the loss.
std::vector<std::string> all_metrics(const std::vector<ProfileTable>& tables) {
  std::vector<std::string> all;
  for (const ProfileTable& table : tables)
    for (const std::string& metric : table.metrics)
      if (std::ranges::find(all, metric) == all.end()) all.push_back(metric);
  return all;
}

/// Moves `values`, one per element of `metrics`, into the order of `all`; `none` is the value of metrics that are
/// missing in `metrics`.
template <class Value>
std::vector<Value> in_order_of(const std::vector<std::string>& all, const std::vector<std::string>& metrics,
                               std::vector<Value>& values, const Value& none) {
  std::vector<Value> ordered(all.size(), none);
  for (std::size_t m = 0; m < values.size(); ++m)
    ordered[static_cast<std::size_t>(std::ranges::find(all, metrics[m]) - all.begin())] = std::move(values[m]);
  return ordered;
}

/// Gives all tables the same metrics in the same order; values that a table lacks are NaN. Roles are not changed.
void unite_metrics(std::vector<ProfileTable>& tables) {
  const std::vector<std::string> all = all_metrics(tables);
  for (ProfileTable& table : tables) {
    const std::vector<double> none(table.values.empty() ? 0 : table.values.front().size(), std::nan(""));
    table.values = in_order_of(all, table.metrics, table.values, none);
    table.metrics = all;
  }
}

/// Gives all tables the same metrics and roles: a metric has the first role other than unknown that a table gives.
void unite_roles(std::vector<ProfileTable>& tables) {
  std::map<std::string, MetricRole> known;
  for (const ProfileTable& table : tables)
    for (std::size_t m = 0; m < table.metrics.size(); ++m) {
      MetricRole& role = known.try_emplace(table.metrics[m], MetricRole::unknown).first->second;
      if (role == MetricRole::unknown) role = table.role(m);
    }
  unite_metrics(tables);
  for (ProfileTable& table : tables) {
    table.roles.clear();
    for (const std::string& metric : table.metrics) table.roles.push_back(known.at(metric));
  }
}

/// A step's iteration, else its name, with its ordinal among such steps of its rank: a name may occur several times,
/// once for each repeat of a point.
using NamedStep = std::pair<std::string, std::size_t>;

/// By rank and step, the key that joins the steps of all ranks for one step of the job: the iteration in their names
/// (`rank0 iter:3`), else the name, else, if ranks have lengths of their own, the position among equally many.
std::vector<std::vector<NamedStep>> common_names(const std::vector<StepProfile>& profiles) {
  std::vector<std::vector<NamedStep>> names, places;
  std::map<std::uint64_t, std::vector<NamedStep>> of_ranks;
  std::map<std::pair<std::uint64_t, std::string>, std::size_t> occurrences;
  bool iterations_are_known = false;
  for (const StepProfile& profile : profiles) {
    std::vector<NamedStep>& of_rank = of_ranks[*profile.rank];
    names.emplace_back();
    places.emplace_back();
    for (const ProfiledStep& step : profile.steps) {
      const std::optional<std::uint64_t> iteration = identity_in_name(step.key).iteration;
      iterations_are_known = iterations_are_known || iteration;
      const std::string name = iteration ? std::to_string(*iteration) : step.key;
      places.back().emplace_back("", of_rank.size());
      names.back().push_back(of_rank.emplace_back(name, occurrences[{*profile.rank, name}]++));
    }
  }
  for (auto& [rank, of_rank] : of_ranks) std::ranges::sort(of_rank);
  const auto same = [&](auto of) {
    const auto first = of(of_ranks.begin()->second);
    return std::ranges::all_of(of_ranks, [&](const auto& entry) { return of(entry.second) == first; });
  };
  const bool as_many = same([](const std::vector<NamedStep>& steps) { return steps.size(); });
  return iterations_are_known || !as_many || same([](const std::vector<NamedStep>& steps) { return steps; }) ? names
                                                                                                             : places;
}

/// The ranks that rows name; `by_all`: whether every row names one.
struct SaidRanks {
  std::set<std::uint64_t> ranks;
  bool by_all = true;
};

SaidRanks said_ranks(const std::vector<ProfileTable>& tables) {
  SaidRanks said;
  for (const ProfileTable& table : tables)
    for (const ProfileRow& row : table.rows) {
      const std::optional<std::uint64_t>& rank = table.origin(row).rank;
      said.by_all = said.by_all && rank;
      if (rank) said.ranks.insert(*rank);
    }
  return said;
}

/// Merges rows of one measurement into the first of them, in place: tables before the current one are complete.
class TableMerger {
 public:
  explicit TableMerger(std::vector<ProfileTable>& tables) : tables_(tables) {}

  /// Merges the rows of table `t` into rows of the same measurement that were taken before, and keeps only the others.
  /// Tables are taken in their order.
  void take(std::size_t t) {
    ProfileTable& own = tables_[t];
    std::deque<ProfileRow> kept;  // each measurement keeps the place of its first row
    for (const ProfileRow& row : own.rows) {
      MeasurementKey key{own.subject(row), row.iteration, row.warmup};
      Occurrences& before = occurrences_.try_emplace({*own.origin(row).rank, key}, Occurrences{0, t}).first->second;
      by_order_ = by_order_ || before.table != t;
      key.occurrence = before.count++;
      const auto [place, is_new] = merged_.try_emplace(std::move(key), Merged{t, kept.size(), 0});
      auto& [table, position, of_ranks] = place->second;
      of_ranks += std::ranges::all_of(own.values, [&](const auto& of) { return std::isnan(of[row.place]); }) ? 0 : 1;
      if (is_new)
        kept.push_back(row);
      else
        merge(tables_[table], (table == t ? kept : tables_[table].rows)[position].place, own, row.place);
    }
    own.rows = std::move(kept);
  }

  /// Notes for the user. `ranks`: the number of ranks. A single measurement that some rank lacks is a note.
  std::vector<std::string> notes(std::size_t ranks) const {
    std::vector<std::string> notes{fmt::format("{} ranks: a measurement's time is that of the slowest", ranks)};
    if (by_order_)
      notes.emplace_back(
          "a rank has several files of a point: the first of every rank are taken to be of one run of the "
          "job, and so on: give each rank's in the same order");
    const auto is_incomplete = [&](const auto& entry) { return entry.second.of_ranks < ranks; };
    if (std::ranges::count_if(merged_, is_incomplete) == 1)
      notes.push_back(
          fmt::format("1 of {} measurements is not of every rank; give the files of all ranks", merged_.size()));
    return notes;
  }

  /// Adds a finding if some of the `ranks` ranks lack two or more measurements; a rank without any value lacks it.
  void find_missing_ranks(std::size_t ranks, std::vector<Finding>& found) const {
    std::uint64_t missing = 0;
    std::pair<std::size_t, std::uint64_t> first{tables_.size(), 0};  // table and line of the first
    for (const auto& [key, merged] : merged_) {
      if (merged.of_ranks >= ranks) continue;
      ++missing;
      first = std::min(first, {merged.table, tables_[merged.table].rows[merged.row].line});
    }
    if (missing < 2) return;
    found.push_back({.kind = findings::kRanksMissing,
                     .place = {tables_[first.first].source, first.second},
                     .figures = {{"count", missing}, {"all", merged_.size()}, {"ranks", ranks}}});
  }

 private:
  struct Merged {
    std::size_t table, row, of_ranks;  ///< ranks that measured anything
  };
  struct Occurrences {
    std::size_t count = 0, table;
  };

  std::vector<ProfileTable>& tables_;
  std::map<std::pair<std::uint64_t, MeasurementKey>, Occurrences> occurrences_;
  std::map<MeasurementKey, Merged> merged_;
  bool by_order_ = false;  ///< whether steps are joined by position
};

/// Reports steps that some of the `ranks` ranks lack: a note for one step, because profilers start and stop at
/// different steps on each rank, a finding for two or more. `of_ranks`: by step, the number of ranks that have it.
void find_missing_ranks(const StepProfile& profile, const std::vector<std::size_t>& of_ranks, std::size_t ranks,
                        std::vector<std::string>& notes, std::vector<Finding>& found) {
  const auto is_missing = [&](std::size_t count) { return count < ranks; };
  const auto missing = static_cast<std::uint64_t>(std::ranges::count_if(of_ranks, is_missing));
  if (missing == 1) notes.push_back(fmt::format("1 of {} steps is not of every rank", of_ranks.size()));
  if (missing < 2) return;
  const auto first = static_cast<std::size_t>(std::ranges::find_if(of_ranks, is_missing) - of_ranks.begin());
  found.push_back({.kind = findings::kRanksMissing,
                   .place = {profile.source},
                   .figures = {{"count", missing}, {"all", of_ranks.size()}, {"ranks", ranks}},
                   .part = fmt::format("step \"{}\"", profile.steps[first].key)});
}

}  // namespace

std::vector<std::string> merge_ranks(std::vector<StepProfile>& profiles, std::vector<Finding>& found) {
  std::set<std::uint64_t> ranks;
  for (const StepProfile& profile : profiles) {
    if (!profile.rank) return {};
    ranks.insert(*profile.rank);
  }
  if (ranks.size() < 2) return {};
  StepProfile merged = profiles.front();
  merged.steps.clear();
  merged.unattributed_gpu_ops = 0;
  const std::vector<std::vector<NamedStep>> names = common_names(profiles);
  std::map<NamedStep, std::size_t> places;
  std::vector<std::size_t> of_ranks;  // ranks that have it, by merged step
  for (std::size_t p = 0; p < profiles.size(); ++p) {
    merged.unattributed_gpu_ops += profiles[p].unattributed_gpu_ops;
    for (std::size_t s = 0; s < profiles[p].steps.size(); ++s) {
      const auto [place, is_new] = places.try_emplace(names[p][s], merged.steps.size());
      if (is_new) {
        merged.steps.push_back(profiles[p].steps[s]);
        of_ranks.push_back(1);
      } else {
        merge(merged.steps[place->second], profiles[p].steps[s]);
        ++of_ranks[place->second];
      }
    }
  }
  profiles.clear();
  profiles.push_back(std::move(merged));
  std::vector<std::string> notes{
      fmt::format("profiles of {} ranks: every step is as long as the slowest rank's", ranks.size())};
  find_missing_ranks(profiles.front(), of_ranks, ranks.size(), notes, found);
  return notes;
}

std::vector<std::string> merge_ranks(std::vector<ProfileTable>& tables, std::vector<Finding>& found) {
  const SaidRanks said = said_ranks(tables);
  if (said.ranks.empty() || (said.ranks.size() == 1 && !said.by_all)) return {};
  if (said.ranks.size() == 1)
    return {
        fmt::format("all rows are of rank {}: a step of several ranks takes as long as the slowest; give the files "
                    "of all of them",
                    *said.ranks.begin())};
  if (!said.by_all)
    return {
        fmt::format("rows of {} ranks and rows that say no rank are together: each counts as a measurement of its own",
                    said.ranks.size())};
  unite_roles(tables);
  TableMerger merger(tables);
  for (std::size_t t = 0; t < tables.size(); ++t) merger.take(t);
  merger.find_missing_ranks(said.ranks.size(), found);
  std::erase_if(tables, [](const ProfileTable& table) { return table.rows.empty(); });
  return merger.notes(said.ranks.size());
}

}  // namespace seqpoint::profile
