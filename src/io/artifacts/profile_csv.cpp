#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "core/profile/readings.hpp"
#include "io/artifacts/files.hpp"
#include "io/stream/input.hpp"
#include "io/text/csv_table.hpp"

namespace seqpoint::io::artifacts {
namespace {

[[noreturn]] void refuse_empty(const std::string& source) {
  throw InputError({source}, "has a header but no measurements");
}

/// The key by which rows are matched with points: the first of the columns point, src_len (shape), iteration and tokens
/// (shape) that the table has. Throws InputError if it has none.
profile::ProfileTable::Key key_of(text::CsvTable& table, const std::string& source) {
  if (table.find("point")) return profile::ProfileTable::Key::point;
  if (table.find("src_len")) return profile::ProfileTable::Key::shape;
  if (table.find("iteration")) return profile::ProfileTable::Key::iteration;
  if (table.find("tokens")) return profile::ProfileTable::Key::shape;
  if (!table.next()) refuse_empty(source);
  if (table.find("first_iteration"))
    throw InputError(
        {source}, "its times are of several iterations, whose lengths differ, or too coarse for one",
        "let the job log every iteration with its time, or record it: docs/companion.md; the companion's eta "
        "takes the log as it is");
  throw InputError({source, 1}, "no column says which point a row measures",
                   "add a column 'point' (sp1, sp2, ...), 'src_len' (and 'tgt_len', 'batch_size'), 'tokens' (and "
                   "'sq_tokens'), or 'iteration'");
}

/// Whether the column describes a row and is neither key nor measurement.
bool is_remark(std::string_view column) { return column == "warmup" || column == "repeat" || column == "phase"; }

/// The share of a step during which an accelerator worked, which shows the bottleneck.
constexpr auto kDeviceBusy = "device_busy";

/// Moves the column of device_busy into the table. Throws InputError for a value outside 0 to 1; NaN is allowed.
void read_device_busy(trace::Metric& column, profile::ProfileTable& table) {
  table.device_busy = std::move(column.values);
  for (const profile::ProfileRow& row : table.rows)
    if (const double share = table.device_busy[row.place]; share < 0 || share > 1)
      throw InputError({table.source, row.line, kDeviceBusy},
                       fmt::format("is {:.6g}, and not a share from 0 to 1", share),
                       "write 0.41 where the device is busy for 41 % of the step");
}

/// Units of times, with their number per second.
constexpr std::array<std::pair<std::string_view, double>, 13> kUnits{{{"s", 1},
                                                                      {"seconds", 1},
                                                                      {"ms", 1e3},
                                                                      {"msec", 1e3},
                                                                      {"milliseconds", 1e3},
                                                                      {"us", 1e6},
                                                                      {"usec", 1e6},
                                                                      {"microseconds", 1e6},
                                                                      {"ns", 1e9},
                                                                      {"nsec", 1e9},
                                                                      {"nanoseconds", 1e9},
                                                                      {"minutes", 1. / 60},
                                                                      {"mins", 1. / 60}}};

/// {"step_time", "ms"} for `Step time (ms)`: lower case, words separated by underscores, brackets removed. The second
/// is the last word, whatever it means; empty if there is only one.
std::pair<std::string, std::string> name_and_unit(std::string_view metric) {
  std::string plain;
  for (const char c : metric) {
    const bool apart = c == ' ' || c == '(' || c == '[' || c == '_';
    if (apart && !plain.empty() && plain.back() != '_') plain += '_';
    if (!apart && c != ')' && c != ']') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  const auto behind = plain.rfind('_');
  if (behind == std::string::npos) return {plain, ""};
  return {plain.substr(0, behind), plain.substr(behind + 1)};
}

/// Whether a column of that name without a unit can only be a time.
bool is_time_word(std::string_view name) {
  constexpr std::array<std::string_view, 9> kWords{"time",      "runtime",   "duration",       "latency",  "elapsed",
                                                   "step_time", "iter_time", "iteration_time", "wall_time"};
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
}

/// The number of the column's time units per second; renames a time in another unit (`latency_ms`, `step time (us)`) to
/// `NAME_s`. 1 for seconds and for columns that are not a time. Throws InputError for a time without a unit, and for
/// `runtime_min`, which may mean minutes or the minimum.
double seconds_scale(std::string& metric, const std::string& source) {
  const auto [name, unit] = name_and_unit(metric);
  if (is_time_word(unit.empty() ? name : name + "_" + unit) || (unit == "min" && is_time_word(name)))
    throw InputError({source, 1, metric}, unit == "min" ? "may be minutes, or the least time" : "has no unit",
                     fmt::format("name the column {0}_s, {0}_ms, {0}_us, {0}_ns or {0}_minutes",
                                 unit == "min" || unit.empty() ? name : name + "_" + unit));
  const auto found =
      std::find_if(kUnits.begin(), kUnits.end(), [&, &of = unit](const auto& u) { return u.first == of; });
  if (found == kUnits.end() || metric.ends_with("_per_" + unit) || metric == name + "_s") return 1;
  if (found->second == 1 && unit == "s" && !is_time_word(name)) return 1;
  metric = name + "_s";
  return found->second;
}

/// Throws InputError if two metrics have one name, because they are the same time in different units.
void require_one_of_each(const std::vector<std::string>& metrics, const std::string& source) {
  std::set<std::string> known;
  for (const std::string& metric : metrics)
    if (!known.insert(metric).second)
      throw InputError({source, 1, metric}, "is there in two units", "keep one of the columns");
}

/// The name of the column of ranks: the first of rank, global_rank and local_rank that the table has, or "rank" if it
/// has none. A local_rank is unique on one machine only.
std::string_view rank_column(const text::CsvTable& table) {
  for (const std::string_view name : {"rank", "global_rank", "local_rank"})
    if (table.find(name)) return name;
  return "rank";
}

/// The distinct values of a table.
template <class T>
class Distinct {
 public:
  explicit Distinct(std::vector<T>& all) : all_(all) { all.clear(); }

  /// The position of a value in `all`; a new value is added at the end.
  std::uint32_t position_of(T value) {
    if (!all_.empty() && all_[latest_] == value) return latest_;
    all_.push_back(std::move(value));
    const auto [at, is_new] = known_.insert(static_cast<std::uint32_t>(all_.size() - 1));
    if (!is_new) all_.pop_back();
    latest_ = *at;
    return latest_;
  }

 private:
  struct Less {
    const std::vector<T>& all;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return all[a] < all[b]; }
  };
  std::vector<T>& all_;
  std::set<std::uint32_t, Less> known_{Less{all_}};
  std::uint32_t latest_ = 0;
};

/// Reads rows without their metrics. Columns are looked up once.
class RowReader {
 public:
  RowReader(text::CsvTable& table, profile::ProfileTable& profile) : table_(table), profile_(profile) {
    for (const trace::Dimension d : trace::kDimensions) sizes_.push_back(table.find(trace::name_of(d)));
  }

  /// Adds the current row. A row with a text in column interrupted counts as warm-up.
  void read() {
    profile::ProfileRow row{.line = static_cast<std::uint32_t>(table_.line()),
                            .place = static_cast<std::uint32_t>(profile_.rows.size())};
    if (warmup_) row.warmup = table_.integer(*warmup_, 1) == 1;
    if (execution_) row.first = row.warmup && text_in(execution_) == "first";
    if (interrupted_) row.warmup = row.warmup || !text::trim(table_.field(*interrupted_)).empty();
    if (executions_) {
      row.executions = static_cast<std::uint32_t>(table_.integer(*executions_, UINT32_MAX));
      if (text::trim(table_.field(*executions_)) == "0")
        table_.problem(*executions_, "is 0: a row is the mean of one or more");
    }
    row.iteration = is_keyed_by(Key::iteration) ? table_.integer(*iteration_) : number_in(iteration_);
    row.subject = subject();
    row.origin = origin();
    if (const std::string recorder = text_in(recorder_); !recorder.empty()) recorders_.position_of(recorder);
    if (clock_) profile_.gpu_clock_mhz.push_back(text::parse_number(table_.field(*clock_)).value);
    profile_.rows.push_back(row);
  }

 private:
  using Key = profile::ProfileTable::Key;
  using Column = std::optional<std::size_t>;

  bool is_keyed_by(Key key) const { return profile_.key == key; }
  /// The cell without quotes and blanks around it; empty without the column.
  std::string text_in(Column column) const {
    return column ? std::string(text::trim(text::unquoted(table_.field(*column)))) : std::string();
  }
  /// The whole number in the cell; nothing without the column, or if the cell is anything else or above `most`.
  std::optional<std::uint64_t> number_in(Column column, std::uint64_t most = UINT64_MAX) const {
    return column ? table_.optional_integer(*column, most) : std::nullopt;
  }

  /// Position of the row's point, phase and dimensions among the distinct subjects. A cell that is not a number is an
  /// error in a column of the key, and counts as absent in other columns.
  std::uint32_t subject() {
    profile::RowSubject subject{.point = is_keyed_by(Key::point) ? text_in(point_) : "", .phase = number_in(phase_)};
    for (const trace::Dimension d : trace::kDimensions) {
      const Column column = sizes_[static_cast<std::size_t>(d)];
      const bool is_key = column && is_keyed_by(Key::shape) && d <= trace::Dimension::batch_size;
      const std::uint64_t most = trace::largest_value(d);
      subject.key[d] = is_key ? table_.integer(*column, most) : number_in(column, most);
    }
    return subjects_.position_of(std::move(subject));
  }

  /// Position of the row's host, device, configuration, rank and process among the distinct origins. A row without a
  /// process belongs to the process of the previous row, the first rows to process 0.
  std::uint32_t origin() {
    if (const std::string process = text_in(process_); !process.empty())
      now_ = processes_.try_emplace(process, profile::number_of_process(process).value_or(processes_.size()))
                 .first->second;
    return origins_.position_of({.host = text_in(host_),
                                 .device = text_in(device_),
                                 .config = text_in(config_),
                                 .rank = number_in(rank_),
                                 .process = now_});
  }

  text::CsvTable& table_;
  profile::ProfileTable& profile_;
  Column warmup_ = table_.find("warmup"), execution_ = table_.find("execution"),
         interrupted_ = table_.find("interrupted"), executions_ = table_.find("executions"),
         point_ = table_.find("point"), iteration_ = table_.find("iteration"), phase_ = table_.find("phase"),
         host_ = table_.find("host"), device_ = table_.find("device"), config_ = table_.find("config"),
         process_ = table_.find("session"), clock_ = table_.find("gpu_clock_mhz"),
         rank_ = table_.find(rank_column(table_)), recorder_ = table_.find("recorded_by");
  std::vector<Column> sizes_;  ///< by dimension
  Distinct<profile::RowSubject> subjects_{profile_.subjects};
  Distinct<profile::Origin> origins_{profile_.origins};
  Distinct<std::string> recorders_{profile_.recorders};
  std::map<std::string, std::size_t> processes_;
  std::size_t now_ = 0;
};

/// Whether iterations restart with each epoch, if a column has the epoch.
class IterationsByEpoch {
 public:
  explicit IterationsByEpoch(const text::CsvTable& table)
      : epoch_(table.find("epoch")), iteration_(table.find("iteration")) {}

  /// Checks the latest row: notices an iteration number that came in another epoch before. That is an error if rows are
  /// matched by their iteration.
  void check(text::CsvTable& table, const profile::ProfileTable& profile) {
    const profile::OptionalNumber number = profile.rows.back().iteration;
    const auto epoch = epoch_ ? table.optional_integer(*epoch_, UINT64_MAX) : std::nullopt;
    if (!number || !epoch) return;
    const std::uint64_t before = first_epoch_of(*number, *epoch);
    if (before == *epoch) return;
    begin_again_ = true;
    if (profile.key == profile::ProfileTable::Key::iteration)
      table.problem(*iteration_, fmt::format("{} is of epoch {}, and was of epoch {} before: iterations are numbered "
                                             "through all epochs",
                                             *number, *epoch, before));
  }

  /// After the last row. If iterations restart with each epoch, removes the iterations of all rows, with a note; else
  /// adds a note if the file looks like a later epoch that is numbered by itself.
  void finish(ProfileFile& file) const {
    if (!begin_again_) return note_later_epoch(file);
    file.table.has_iteration = false;
    for (profile::ProfileRow& row : file.table.rows) row.iteration.reset();
    file.notes.push_back(file.table.source + ": column 'iteration': begins again with each epoch, and is not used");
  }

 private:
  struct Span {
    std::uint64_t last, epoch;
  };

  /// The epoch in which the number came first; that is `epoch` if it is new.
  std::uint64_t first_epoch_of(std::uint64_t number, std::uint64_t epoch) {
    if (auto after = epochs_.upper_bound(number); after != epochs_.begin()) {
      Span& before = std::prev(after)->second;
      if (number == before.last + 1 && epoch == before.epoch) before.last = number;
      if (number <= before.last) return before.epoch;
    }
    epochs_.emplace(number, Span{number, epoch});
    return epoch;
  }

  /// Adds a note if iteration 0 or 1 is of a later epoch: a later epoch by itself, numbered from 0, looks like the
  /// first.
  void note_later_epoch(ProfileFile& file) const {
    if (epochs_.empty()) return;
    const std::uint64_t first = epochs_.begin()->first, epoch = epochs_.begin()->second.epoch;
    const bool alone = std::ranges::all_of(epochs_, [&](const auto& entry) { return entry.second.epoch == epoch; });
    if (first <= 1 && (epoch > 1 || (epoch == 1 && alone)))
      file.notes.push_back(fmt::format(
          "{}: iteration {} is of epoch {}: iterations are taken as numbered through all epochs, and those of a later "
          "epoch that is numbered by itself are not the run's",
          file.table.source, first, epoch));
  }

  std::optional<std::size_t> epoch_, iteration_;
  /// The first epoch of each iteration number, by the first of consecutive numbers of one epoch.
  std::map<std::uint64_t, Span> epochs_;
  bool begin_again_ = false;
};

/// Adds the columns of measurements to the table, times in seconds; the column of the busy share of a device is not one
/// of them. Throws InputError if there is no column of measurements, or two of one name.
void take_metrics(std::vector<trace::Metric> metrics, profile::ProfileTable& profile) {
  if (std::ranges::all_of(metrics, [](const auto& metric) { return metric.name == kDeviceBusy; }))
    throw InputError({profile.source, 1}, "has no column of measurements", "add one, such as 'runtime_s'");
  for (trace::Metric& metric : metrics) {
    if (is_remark(metric.name)) continue;
    if (metric.name == kDeviceBusy) {
      read_device_busy(metric, profile);
      continue;
    }
    profile.metrics.push_back(metric.name);
    const double per_second = seconds_scale(profile.metrics.back(), profile.source);
    profile.roles.push_back(profile::role_of_column(profile.metrics.back()));
    for (double& value : profile.values.emplace_back(std::move(metric.values))) value /= per_second;
  }
  require_one_of_each(profile.metrics, profile.source);
}

}  // namespace

ProfileFile read_profile(stream::Input input) {
  ProfileFile file;
  profile::ProfileTable& profile = file.table;
  profile.source = input.name();
  text::CsvTable table(input);
  profile.key = key_of(table, input.name());
  for (const trace::Dimension d : trace::kDimensions)
    if (table.find(trace::name_of(d))) profile.dimensions.insert(d);
  profile.has_iteration = table.find("iteration").has_value();
  text::MeasuredColumns measured(table);
  RowReader rows(table, profile);
  IterationsByEpoch iterations(table);
  const auto selection = table.find("selection"), stated = table.find("run_iterations");
  while (table.next()) {
    rows.read();
    iterations.check(table, profile);
    text::add_distinct(table, selection, profile.selections);
    text::add_distinct(table, stated, profile.run_iterations);
    measured.add_row(table);
  }
  std::vector<trace::Metric> metrics = measured.finish(table, input.name(), file.notes);
  table.problems().throw_if_any(
      metrics.empty()
          ? "correct these rows, or take them out"
          : "correct the profile, or leave the rows out: a point that is missing only costs measured weight");
  if (profile.rows.empty()) refuse_empty(input.name());
  iterations.finish(file);
  take_metrics(std::move(metrics), profile);
  if (const std::string_view ranks = rank_column(table); ranks != "rank")
    file.notes.push_back(
        fmt::format("{}: column '{}' is taken as the rank; rename it if it is not", input.name(), ranks));
  if (table.unterminated())
    file.notes.push_back(input.name() + ": the last line has no line end; check that the file is whole");
  file.record = manifests::record_of(input, "csv", profile.rows.size());
  return file;
}

}  // namespace seqpoint::io::artifacts
