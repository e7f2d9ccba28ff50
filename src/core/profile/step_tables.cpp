// Steps of a profiler, and the rows that can be matched.
#include "core/profile/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "seqpoint/error.hpp"

namespace seqpoint::profile {

// --- Steps

namespace {

/// The median of the known host times in nanoseconds, rounded down; 0 if there are none.
std::int64_t median_host(const std::vector<ProfiledStep>& steps) {
  std::vector<std::int64_t> times;
  for (const ProfiledStep& step : steps)
    if (step.host_ns) times.push_back(*step.host_ns);
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  const std::size_t half = times.size() / 2;
  return times.size() % 2 == 1 ? times[half] : times[half - 1] + (times[half] - times[half - 1]) / 2;
}

}  // namespace

std::optional<std::int64_t> ProfiledStep::time(TimeKind kind) const {
  switch (kind) {
    case TimeKind::gpu_busy: return gpu_busy_ns;
    case TimeKind::gpu_sum: return gpu_sum_ns;
    case TimeKind::gpu_span: return gpu_span_ns;
    case TimeKind::host: break;
  }
  return host_ns;
}

bool StepProfile::has(TimeKind kind) const {
  return std::any_of(steps.begin(), steps.end(),
                     [kind](const ProfiledStep& step) { return step.time(kind).value_or(0) > 0; });
}

std::optional<TimeKind> StepProfile::first_kind() const {
  for (const auto& [name, kind] : kTimeKinds)
    if (has(kind)) return kind;
  return std::nullopt;
}

void mark_stubs(StepProfile& profile) {
  constexpr std::int64_t kShare = 20;  // 5 %
  const std::int64_t median = median_host(profile.steps);
  const bool devices = profile.has(TimeKind::gpu_sum);
  for (ProfiledStep& step : profile.steps) {
    const bool idle = step.gpu_ops.value_or(0) == 0 && step.weak_gpu_ops == 0;
    const bool may_be = devices || (&step == &profile.steps.back() && profile.steps.size() > 1);
    step.stub = idle && may_be && step.host_ns && *step.host_ns < median / kShare;
  }
}

void mark_warmup(StepProfile& profile, std::uint64_t count) {
  for (ProfiledStep& step : profile.steps) {
    if (count == 0) return;
    if (step.stub) continue;
    step.warmup = true;
    --count;
  }
}

// --- From steps to rows

namespace {

/// Whether the step, or a range in it, has the name that the companion gives to work that is not to be measured.
bool is_called_warmup(const ProfiledStep& step) {
  constexpr std::string_view kName = "warm-up";
  return step.key == kName || std::ranges::find(step.labels, kName) != step.labels.end();
}

/// The share of a step, 0 to 1, during which its device operations ran. A step lasts for the longer of its host range
/// and the span of its device operations, because a host range may end when its work is issued. Nothing without a host
/// time or without device work: there was none, or it was not recorded.
std::optional<double> device_busy_of(const ProfiledStep& step) {
  const std::int64_t lasted = std::max(step.host_ns.value_or(0), step.gpu_span_ns.value_or(0));
  if (step.gpu_busy_ns.value_or(0) <= 0 || !step.host_ns || lasted <= 0) return std::nullopt;
  return std::min(static_cast<double>(*step.gpu_busy_ns) / static_cast<double>(lasted), 1.0);
}

/// Appends a row for a step: its time of that kind in seconds (NaN if the step lacks it).
void add_row(ProfileTable& table, const ProfiledStep& step, const NameRules& rules, std::optional<TimeKind> time) {
  constexpr double kNsPerSecond = 1e9;
  std::vector<double> values;
  if (time) {
    const std::optional<std::int64_t> ns = step.time(*time);
    values.push_back(ns ? static_cast<double>(*ns) / kNsPerSecond : std::numeric_limits<double>::quiet_NaN());
  }
  const StepIdentity identity = rules.identity(step);
  ProfileRow& row = table.add({identity.point, identity.key, identity.phase, step.key}, values);
  row.iteration = identity.iteration;
  row.line = static_cast<std::uint32_t>(step.line);
  row.warmup = step.warmup || is_called_warmup(step);
  table.device_busy.push_back(device_busy_of(step).value_or(std::numeric_limits<double>::quiet_NaN()));
}

/// Whether an identity has a point, the length of the run's kind, or an iteration.
bool is_identified(const StepIdentity& identity, const trace::RunSummary& run) {
  return !identity.point.empty() || identity.length(run.kind) || identity.iteration;
}

struct TableRow {
  ProfileTable* table;
  ProfileRow* row;
};

/// The rows of all tables, in order, without the first `warmup` rows of each table and without rows marked as warm-up.
std::vector<TableRow> measured_rows(std::vector<ProfileTable>& tables, std::uint64_t warmup) {
  std::vector<TableRow> rows;
  for (ProfileTable& table : tables)
    for (std::size_t r = warmup; r < table.rows.size(); ++r)
      if (!table.rows[r].warmup) rows.push_back({&table, &table.rows[r]});
  return rows;
}

/// Assigns unidentified steps to the points in their order, each point's repeats together, and adds a note. Does
/// nothing unless the number of rows is a multiple of the points.
void match_by_order(const std::vector<TableRow>& rows, const select::Selection& selection,
                    std::vector<std::string>& notes) {
  const std::size_t points = selection.points.size();
  if (rows.empty() || rows.size() % points != 0) return;
  const std::size_t repeats = rows.size() / points;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    StepIdentity identity = rows[r].table->identity(*rows[r].row);
    identity.point = selection.points[r / repeats].id;
    rows[r].table->identify(*rows[r].row, identity);
  }
  notes.push_back("steps name no points: took the " + counted(rows.size(), "step") + " in the order of the " +
                  counted(points, "point") +
                  (repeats > 1 ? ", each " + std::to_string(repeats) + " times in a row" : "") +
                  "; if that is wrong, use `match` or `map`");
}

/// Gives a row the identity that the map has for position `place`; an empty one marks the row as warm-up. The row keeps
/// own lengths that the map lacks, so that they are compared with the point. Throws InputError if map and row name
/// different points.
void identify(const TableRow& at, StepIdentity identity, const StepMap& map, std::uint64_t place) {
  auto& [table, row] = at;
  const StepIdentity own = table->identity(*row);
  row->warmup = identity.empty();
  if (row->warmup) return table->identify(*row, identity);
  const std::string& name = table->subject(*row).name;
  if (!own.point.empty() && !identity.point.empty() && own.point != identity.point)
    throw InputError({map.source, 0, "index"},
                     fmt::format("{} is {}, but the {} there says {}", place, identity.point,
                                 name.empty() ? "row" : "step \"" + name + "\"", own.point),
                     "give the map of this profile, or none if step names say the point");
  for (const trace::Dimension d : trace::kDimensions)
    if (!identity.key[d]) identity.key[d] = own.key[d];
  table->identify(*row, identity);
}

/// Applies a map's positions to `rows`. If the map has exactly as many warm-up steps more than there are rows, the
/// profile lacks those steps, and they are skipped. Adds a note if the map's last position has no row.
void match_by_place(const std::vector<TableRow>& rows, const StepMap& map, std::vector<std::string>& notes) {
  const auto warmups = static_cast<std::size_t>(
      std::ranges::count_if(map.by_index, [](const auto& step) { return step.second.empty(); }));
  const bool measured_alone = warmups > 0 && rows.size() + warmups == map.by_index.size();
  std::uint64_t passed = 0;
  for (const auto& [place, identity] : map.by_index) {
    if (measured_alone && identity.empty())
      ++passed;
    else if (place - passed < rows.size())
      identify(rows[place - passed], identity, map, place);
  }
  if (!map.by_index.empty() && map.by_index.rbegin()->first - passed >= rows.size())
    notes.push_back(map.source + ": there is no step of index " + std::to_string(map.by_index.rbegin()->first) +
                    "; count from 0: " + counted(rows.size(), "step") + " were measured");
}

/// Sets `dimensions` and `has_iteration` of a table whose rows have identities of their own: to what all rows have that
/// are matched by shape.
void set_columns(ProfileTable& table, const trace::RunSummary& run) {
  table.dimensions = {trace::kDimensions.begin(), trace::kDimensions.end()};
  table.has_iteration = true;
  for (const ProfileRow& row : table.rows) {
    const RowSubject& subject = table.subject(row);
    if (!subject.point.empty() || !subject.key[trace::length_dimension(run.kind)]) continue;
    std::erase_if(table.dimensions, [&](trace::Dimension d) { return !subject.key[d]; });
    table.has_iteration = table.has_iteration && row.iteration;
  }
}

/// Adds a note if there are steps whose ranges name several iterations, for example with gradient accumulation, and
/// which therefore belong to none of them. Returns their number, without warm-up.
std::size_t note_ambiguous(const StepProfile& profile, const ProfileTable& table, const NameRules& rules,
                           std::vector<std::string>& notes) {
  std::size_t count = 0;
  const ProfiledStep* first = nullptr;
  for (const ProfileRow& row : table.rows) {
    const ProfiledStep& step = profile.steps[table.step_of_place[row.place]];
    if (!table.identity(row).empty() || row.warmup) continue;
    if (std::ranges::none_of(step.labels, [&](const std::string& label) { return rules.names_step(label); })) continue;
    ++count;
    if (first == nullptr) first = &step;
  }
  if (count > 0)
    notes.push_back(fmt::format("{}: {} left out; use `match`: ranges in '{}' name several iterations ('{}')",
                                profile.source, counted(count, "step"), first->key, fmt::join(first->labels, "', '")));
  return count;
}

/// Whether both have a point, an iteration or a dimension, and with different values.
bool contradict(const StepIdentity& a, const StepIdentity& b) {
  const auto differ = [](const auto& x, const auto& y) { return x && y && *x != *y; };
  return (!a.point.empty() && !b.point.empty() && a.point != b.point) || differ(a.iteration, b.iteration) ||
         std::ranges::any_of(trace::kDimensions, [&](trace::Dimension d) { return differ(a.key[d], b.key[d]); });
}

/// Adds a note, for the first such step, if ranges in it count different things (`iter:3`, `newton iter 0`): the first
/// is used, which may be the wrong one.
void note_other_counts(const StepProfile& profile, const ProfileTable& table, const NameRules& rules,
                       std::vector<std::string>& notes) {
  for (const ProfileRow& row : table.rows) {
    const ProfiledStep& step = profile.steps[table.step_of_place[row.place]];
    const StepIdentity identity = table.identity(row);
    if (row.warmup || identity.empty() || rules.names_step(step.key)) continue;
    const auto names = [&](const std::string& label) { return rules.names_step(label); };
    const auto contradicts = [&](const std::string& label) {
      ProfiledStep of_label;
      of_label.key = label;
      return contradict(rules.identity(of_label), identity);
    };
    const auto first = std::ranges::find_if(step.labels, names), other = std::ranges::find_if(step.labels, contradicts);
    if (other == step.labels.end()) continue;
    notes.push_back(
        fmt::format("{}: '{}' and '{}' in '{}' name different iterations: the first is taken; `match` can "
                    "say which counts",
                    profile.source, *first, *other, step.key));
    return;
  }
}

/// Adds a note, for the first such pair, if steps of one iteration have different names: they may be parts of it
/// (`forward iter:3`, `backward iter:3`).
void note_parts(const StepProfile& profile, const ProfileTable& table, const NameRules& rules,
                std::vector<std::string>& notes) {
  using Known = std::tuple<std::string, trace::PartialShape, std::optional<std::uint64_t>>;
  std::map<Known, const std::string*> names;
  for (const ProfileRow& row : table.rows) {
    const auto& [point, key, phase, name] = table.subject(row);
    if (row.warmup || table.identity(row).empty() || !rules.names_step(name)) continue;
    const auto [at, is_new] = names.try_emplace({point, key, row.iteration}, &name);
    if (is_new || without_digits(*at->second) == without_digits(name)) continue;
    notes.push_back(
        fmt::format("{}: '{}' and '{}' name the same iteration; each counts as all of it: `match` or `map` tells parts",
                    profile.source, *at->second, name));
    return;
  }
}

/// A row for each step that is not a stub.
ProfileTable table_of(const StepProfile& profile, const NameRules& rules, std::optional<TimeKind> time) {
  ProfileTable table;
  table.source = profile.source;
  table.key = ProfileTable::Key::per_row;
  if (time) {
    table.metrics.emplace_back("runtime_s");
    table.roles.push_back(MetricRole::cost);
  }
  for (std::size_t s = 0; s < profile.steps.size(); ++s) {
    if (profile.steps[s].stub) {
      ++table.stubs;
      continue;
    }
    add_row(table, profile.steps[s], rules, time);
    table.step_of_place.push_back(static_cast<std::uint32_t>(s));
  }
  return table;
}

/// `host, gpu-busy`: the kinds common to all profiles with a time; empty if there is none.
std::string common_kinds(std::span<const StepProfile> profiles) {
  std::string names;
  for (const Word<TimeKind>& word : kTimeKinds) {
    const auto has = [&](const StepProfile& profile) { return !profile.first_kind() || profile.has(word.value); };
    if (std::all_of(profiles.begin(), profiles.end(), has))
      names += (names.empty() ? "" : ", ") + std::string(word.name);
  }
  return names;
}

/// `host, gpu-busy`: the kinds that the profile has; "none" if it has none.
std::string kinds_of(const StepProfile& profile) {
  std::string names;
  for (const Word<TimeKind>& word : kTimeKinds)
    if (profile.has(word.value)) names += (names.empty() ? "" : ", ") + std::string(word.name);
  return names.empty() ? "none" : names;
}

}  // namespace

StepTables tables_of(std::span<const StepProfile> profiles, const select::Selection& selection, const NameRules& rules,
                     std::optional<TimeKind> time, std::uint64_t warmup) {
  StepTables out;
  std::size_t ambiguous = 0;  // steps with partial identities, which exclude assignment in the order of the points
  const bool names_alone = !rules.pattern && !rules.map;
  for (const StepProfile& profile : profiles) {
    out.tables.push_back(table_of(profile, rules, time));
    ambiguous += note_ambiguous(profile, out.tables.back(), rules, out.notes);
    note_other_counts(profile, out.tables.back(), rules, out.notes);
    note_parts(profile, out.tables.back(), rules, out.notes);
  }
  const std::vector<TableRow> rows = measured_rows(out.tables, warmup);
  if (rules.map) match_by_place(rows, *rules.map, out.notes);
  const bool nothing_known =
      names_alone && ambiguous == 0 && std::none_of(rows.begin(), rows.end(), [&](const TableRow& at) {
        return is_identified(at.table->identity(*at.row), selection.run);
      });
  if (nothing_known) match_by_order(rows, selection, out.notes);
  for (ProfileTable& table : out.tables) set_columns(table, selection.run);
  return out;
}

std::vector<std::string> identify_by_place(std::vector<ProfileTable>& tables, const StepMap& map,
                                           const trace::RunSummary& run, std::uint64_t warmup) {
  std::vector<std::string> notes;
  match_by_place(measured_rows(tables, warmup), map, notes);
  for (ProfileTable& table : tables) {
    if (table.key == ProfileTable::Key::point) continue;
    table.key = ProfileTable::Key::per_row;
    set_columns(table, run);
  }
  return notes;
}

std::optional<TimeKind> common_time_kind(std::span<const StepProfile> profiles, std::optional<TimeKind> asked) {
  const std::string common = common_kinds(profiles);
  const std::string hint =
      common.empty() ? "no kind of time is in all of them: project them one by one" : "`time_source` may be: " + common;
  std::optional<TimeKind> kind = asked;
  const StepProfile* first = nullptr;
  for (const StepProfile& profile : profiles) {
    const std::optional<TimeKind> own = profile.first_kind();
    if (asked && !profile.has(*asked))
      throw ParameterError(
          "time_source",
          fmt::format("{}: {} has no such time; it has: {}", name_of(*asked), profile.source, kinds_of(profile)), hint);
    if (!own || asked) continue;
    if (first != nullptr && own != kind)
      throw ParameterError("time_source",
                           fmt::format(": {} has {} times, {} has {} times: the two cannot be compared", first->source,
                                       name_of(*kind), profile.source, name_of(*own)),
                           hint);
    if (first == nullptr) first = &profile;
    kind = own;
  }
  return kind;
}

}  // namespace seqpoint::profile
