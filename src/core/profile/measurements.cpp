#include "core/profile/measure.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/numbers.hpp"
#include "core/profile/readings.hpp"
#include "core/trace/trace.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::profile {
namespace {

constexpr std::size_t kMaxUnmatchedListed = 5;

/// The first dimension of the kind in which a row has another value than the point; nothing if there is none. Parts
/// that the row lacks do not count. For a point with a length group only the length counts.
std::optional<trace::Dimension> contradiction(trace::ShapeKind kind, const trace::PartialShape& row,
                                              const select::Point& point) {
  for (const trace::Dimension d : trace::dimensions_of(kind)) {
    if (row[d] && *row[d] != point.shape[d]) return d;
    if (point.length_group) break;  // the first dimension is the length
  }
  return std::nullopt;
}

/// The column by which two points can be distinguished: the first dimension in which their shapes differ, else
/// `iteration`.
std::string_view missing_column(const trace::Shape& a, const trace::Shape& b) {
  for (const trace::Dimension d : trace::kDimensions)
    if (a[d] != b[d]) return trace::name_of(d);
  return "iteration";
}

/// For a file whose rows are matched by shape: throws InputError if two points differ only in columns that the file
/// lacks. The length always counts as a column; of a point with a length group nothing else of the shape does.
void require_distinguishing_columns(const ProfileTable& file, const select::Selection& selection) {
  const auto projected = [&](const select::Point& point) {
    const trace::Dimension length = trace::length_dimension(selection.run.kind);
    trace::PartialShape seen;
    for (const trace::Dimension d : trace::dimensions_of(selection.run.kind))
      if (d == length || (file.dimensions.contains(d) && !point.length_group)) seen[d] = point.shape[d];
    return seen;
  };
  std::map<std::pair<trace::PartialShape, std::uint64_t>, const select::Point*> seen;
  for (const select::Point& point : selection.points) {
    const auto [other, is_new] =
        seen.emplace(std::pair(projected(point), file.has_iteration ? point.phase : 0), &point);
    if (is_new || (other->second->shape == point.shape && other->second->phase == point.phase)) continue;
    throw InputError(
        {file.source, 1}, other->second->id + " and " + point.id + " differ only in a column that this profile lacks",
        "add a column '" + std::string(missing_column(other->second->shape, point.shape)) + "', or a column 'point'");
  }
}

/// How a row is matched: by the point if all rows of the file are, or if the row of a per_row file names one; else by
/// the shape if it has the length of the run's kind, else by the iteration; per_row: it has none of them.
ProfileTable::Key key_of(const ProfileTable& file, const ProfileRow& row, const trace::RunSummary& run) {
  if (file.key == ProfileTable::Key::point) return file.key;
  const RowSubject& subject = file.subject(row);
  if (file.key == ProfileTable::Key::per_row && !subject.point.empty()) return ProfileTable::Key::point;
  if (subject.key[trace::length_dimension(run.kind)]) return ProfileTable::Key::shape;
  return row.iteration ? ProfileTable::Key::iteration : ProfileTable::Key::per_row;
}

/// Finds the points of a row.
class PointFinder {
 public:
  /// Throws InputError if rows are matched by shape and the file lacks a column that distinguishes points or phases.
  PointFinder(const ProfileTable& file, const select::Selection& selection)
      : file_(file), run_(selection.run), points_(selection.points) {
    const auto by_shape = [&](const ProfileRow& row) { return key_of(file_, row, run_) == ProfileTable::Key::shape; };
    if (std::any_of(file.rows.begin(), file.rows.end(), by_shape)) require_distinguishing_columns(file, selection);
    require_phases();
    for (std::size_t p = 0; p < points_.size(); ++p) {
      by_id_[points_[p].id] = p;
      by_length_.emplace(points_[p].shape.length(), p);
      for (const std::uint64_t iteration : points_[p].iterations) by_iteration_.emplace(iteration, p);
    }
  }

  /// The positions of a row's points in the selection; empty if it belongs to none.
  std::vector<std::size_t> of(const ProfileRow& row) const {
    std::vector<std::size_t> found;
    const ProfileTable::Key key = key_of(file_, row, run_);
    if (key == ProfileTable::Key::point) {
      if (const auto at = by_id_.find(file_.subject(row).point); at != by_id_.end()) found.push_back(at->second);
    } else if (key == ProfileTable::Key::iteration) {
      for (auto [at, end] = by_iteration_.equal_range(*row.iteration); at != end; ++at) found.push_back(at->second);
    } else if (key == ProfileTable::Key::shape) {
      const std::uint64_t length = *file_.subject(row).key[trace::length_dimension(run_.kind)];
      for (auto [at, end] = by_length_.equal_range(length); at != end; ++at)
        if (matches(row, points_[at->second])) found.push_back(at->second);
    }
    return found;
  }

  /// Padded tokens of a row: from its own fields, else from its point; nothing if neither has them.
  std::optional<std::uint64_t> tokens(const ProfileRow& row, const std::vector<std::size_t>& points) const {
    if (const auto whole = file_.subject(row).key.whole(run_.kind)) return whole->padded_tokens();
    return points.empty() ? std::nullopt : std::optional(points_[points.front()].shape.padded_tokens());
  }

 private:
  /// Whether a row that is matched by shape has the phase and, as far as known, the shape of the point.
  bool matches(const ProfileRow& row, const select::Point& point) const {
    // In a run with phases a row without a readable iteration belongs to no phase, and matches nothing.
    if (!run_.phases.empty() && phase_of(row) != point.phase) return false;
    return !contradiction(run_.kind, file_.subject(row).key, point);
  }

  /// The phase of the row's iteration, else the phase that the row names; nothing if it has neither.
  std::optional<std::uint64_t> phase_of(const ProfileRow& row) const {
    return row.iteration ? std::optional(trace::phase_of(run_, *row.iteration)) : file_.subject(row).phase;
  }

  /// Throws InputError for a row that is matched by shape, if the run has phases and the row names neither phase nor
  /// iteration: the same lengths cost a different amount in another phase.
  void require_phases() const {
    for (const ProfileRow& row : file_.rows)
      if (!run_.phases.empty() && !file_.has_iteration && !file_.subject(row).phase &&
          key_of(file_, row, run_) == ProfileTable::Key::shape)
        throw InputError({file_.source, row.line},
                         "says its lengths alone, and the points are of several phases of the run",
                         "add a column 'iteration', or a column 'point'");
  }

  const ProfileTable& file_;
  const trace::RunSummary& run_;
  const std::vector<select::Point>& points_;
  std::map<std::string, std::size_t, std::less<>> by_id_;
  std::multimap<std::uint64_t, std::size_t> by_length_;  ///< by the length of their kind
  std::multimap<std::uint64_t, std::size_t> by_iteration_;
};

/// Whether the column counts the rows of the file, as a loop does.
bool counts_rows(const ProfileTable& file) {
  for (std::size_t r = 0; r < file.rows.size(); ++r)
    if (!file.rows[r].iteration || *file.rows[r].iteration != *file.rows[0].iteration + r) return false;
  return true;
}

/// Checks the rows of a file against the points. `file` and `selection` have to outlive it.
class RowConsistency {
 public:
  /// Finds out from all rows whether the file numbers iterations like the run, which require() needs to know.
  RowConsistency(const ProfileTable& file, const select::Selection& selection) : file_(file), selection_(selection) {
    for (const select::Point& point : selection.points) {
      by_id_.emplace(point.id, &point);
      for (const std::uint64_t iteration : point.iterations) {
        by_iteration_.emplace(iteration, &point);
        numbered_from_zero_ = numbered_from_zero_ && iteration < selection.run.iterations;
      }
      if (lists_all_iterations(point, selection.run)) listed_whole_.insert(&point);
    }
    for (const RowSubject& subject : file.subjects) occurs_where_listed_.push_back(occurs_where_listed(subject.key));
    // Iterations numbered in another way occasionally match the list of the right point by chance, but seldom more
    // often than the lists of other points.
    std::size_t right = 0, wrong = 0, unlisted = 0, points_right = 0, points_wrong = 0;
    for (const ProfileRow& row : file.rows) {
      if (is_by_lengths(row)) {
        if (listed_for(row))
          ++right;
        else if (const auto [first, end] = listed(row); first != end || cannot_occur(row))
          ++wrong;
        else
          ++unlisted;
      }
      if (is_measured_point(row)) ++(listed_for(row) ? points_right : points_wrong);
    }
    const bool is_of_points = right + wrong > unlisted && !counts_rows(file);
    numbered_as_run_ = right > wrong || is_of_points;
    points_numbered_as_run_ = points_right > points_wrong;
  }

  /// Throws InputError if the row names an unknown point; if it has another dimension or phase than its point; if its
  /// iteration is listed for other points only; and if a measured point lists all of its iterations, but not this one,
  /// or the run lacks it, in a file whose other rows mostly have iterations of their points. For a group of lengths
  /// only the length counts: it may be measured at any iteration of the group. A row that names no point is checked in
  /// the same way if it has lengths and an iteration, and the file numbers iterations like the run: most of its
  /// iterations that are listed for a point have that point's lengths, or most of its iterations are those of points,
  /// as in a plan. Other files may number the iterations of another epoch, or of a loop of their own. Iterations beyond
  /// the run are those of a log that goes on, and pass beside lengths.
  void require(const ProfileRow& row) const {
    if (file_.subject(row).point.empty()) {
      if (!numbered_as_run_ || !is_by_lengths(row)) return;
      require_iteration(row);
      if (cannot_occur(row))
        fail(row, "iteration",
             fmt::format("{} contradicts the row's lengths, {}, which occur at other iterations only", *row.iteration,
                         text_of(file_.subject(row).key)));
      return;
    }
    require_point(row);
    if (row.iteration) require_iteration(row);
    if (!points_numbered_as_run_ || !is_measured_point(row)) return;
    if (numbered_from_zero_ && *row.iteration >= selection_.run.iterations)
      fail(row, "iteration",
           fmt::format("{} is not in the run, whose iterations are 0 to {}", *row.iteration,
                       selection_.run.iterations - 1));
    require_occurrence(row);
  }

 private:
  using PointsByIteration = std::multimap<std::uint64_t, const select::Point*>;

  /// The point that the row names. Throws InputError if there is none of that name.
  const select::Point& point_of(const ProfileRow& row) const {
    const std::string& id = file_.subject(row).point;
    if (const auto found = by_id_.find(id); found != by_id_.end()) return *found->second;
    fail(row, "point", fmt::format("the selection has no point \"{}\"", id));
  }

  /// Throws InputError if the row names an unknown point, or one of another dimension or phase.
  void require_point(const ProfileRow& row) const {
    const select::Point& point = point_of(row);
    const RowSubject& subject = file_.subject(row);
    if (const auto d = contradiction(selection_.run.kind, subject.key, point))
      fail(row, trace::name_of(*d),
           fmt::format("{} contradicts the row's point: {} has {}", *subject.key[*d], point.id, point.shape[*d]));
    if (!selection_.run.phases.empty() && subject.phase && *subject.phase != point.phase)
      fail(row, "phase",
           fmt::format("{} contradicts the row's point: {} is of part {}", *subject.phase, point.id, point.phase));
  }

  /// Throws InputError if the row's iteration is in another phase than the row, or is listed for other points only. An
  /// iteration that no point lists passes.
  void require_iteration(const ProfileRow& row) const {
    const RowSubject& subject = file_.subject(row);
    const std::uint64_t iteration = *row.iteration;
    if (const std::uint64_t phase = trace::phase_of(selection_.run, iteration);
        !selection_.run.phases.empty() && subject.phase && *subject.phase != phase)
      fail(row, "phase",
           fmt::format("{} contradicts iteration {}, which is of part {}", *subject.phase, iteration, phase));
    const auto [first, end] = listed(row);
    if (first == end || listed_for(row)) return;
    const std::string what = subject.point.empty() ? text_of(subject.key) : subject.point;
    fail(row, "iteration",
         fmt::format("{} contradicts the row's {} {}: it is an iteration of {} ({})", iteration,
                     subject.point.empty() ? "lengths," : "point", what, first->second->id,
                     text_of(selection_.run.kind, first->second->shape)));
  }

  /// Throws InputError if the row's point lists all of its iterations, and the row's iteration is none of them.
  void require_occurrence(const ProfileRow& row) const {
    const select::Point& point = point_of(row);
    if (!listed_whole_.contains(&point) || listed_for(row)) return;
    fail(row, "iteration",
         fmt::format("{} contradicts the row's point {}, which occurs at {} only", *row.iteration, point.id,
                     fmt::join(point.iterations, ", ")));
  }

  /// The points that the row's iteration is listed for. The row has an iteration.
  std::pair<PointsByIteration::const_iterator, PointsByIteration::const_iterator> listed(const ProfileRow& row) const {
    return by_iteration_.equal_range(*row.iteration);
  }

  /// Whether all points that the row's lengths may mean list all of their iterations, and none lists the row's. False
  /// for an iteration beyond the run, and without such a point. The row names no point, but an iteration.
  bool cannot_occur(const ProfileRow& row) const {
    if (!occurs_where_listed_[row.subject] || listed_for(row)) return false;
    return !numbered_from_zero_ || *row.iteration < selection_.run.iterations;
  }

  /// Whether all points that these lengths may mean list all of their iterations; false without such a point.
  bool occurs_where_listed(const trace::PartialShape& key) const {
    const bool is_whole = key.whole(selection_.run.kind).has_value();
    bool any = false;
    for (const select::Point& point : selection_.points) {
      if (!(point.length_group || is_whole) || contradiction(selection_.run.kind, key, point)) continue;
      if (!listed_whole_.contains(&point)) return false;
      any = true;
    }
    return any;
  }

  /// Whether the row names no point, but its length and an iteration.
  bool is_by_lengths(const ProfileRow& row) const {
    const RowSubject& subject = file_.subject(row);
    return row.iteration && subject.point.empty() && subject.key[trace::length_dimension(selection_.run.kind)];
  }

  /// Whether the row names a point and an iteration, and is not marked as warm-up.
  bool is_measured_point(const ProfileRow& row) const {
    return row.iteration && !row.warmup && !file_.subject(row).point.empty();
  }

  /// Whether the row's iteration, which it has, is listed for the point that the row names or, if it names none, for a
  /// point whose lengths the row does not contradict.
  bool listed_for(const ProfileRow& row) const {
    const RowSubject& subject = file_.subject(row);
    const auto [first, end] = listed(row);
    return std::any_of(first, end, [&](const auto& listed) {
      return subject.point.empty() ? !contradiction(selection_.run.kind, subject.key, *listed.second)
                                   : subject.point == listed.second->id;
    });
  }

  /// Throws InputError at a field of the row; `text` is the problem.
  [[noreturn]] void fail(const ProfileRow& row, std::string_view field, const std::string& text) const {
    const std::string& step = file_.subject(row).name;
    throw InputError({file_.source, row.line, std::string(field)},
                     step.empty() ? text : fmt::format("step \"{}\": {}", step, text),
                     "measure the points of this selection, or correct the row; leave out the column iteration if it "
                     "counts something else");
  }

  const ProfileTable& file_;
  const select::Selection& selection_;
  std::map<std::string, const select::Point*, std::less<>> by_id_;
  PointsByIteration by_iteration_;               ///< the points that an iteration is listed for
  std::set<const select::Point*> listed_whole_;  ///< points that list all of their iterations
  std::vector<bool> occurs_where_listed_;        ///< by subject of the file
  bool numbered_from_zero_ = true;               ///< the run; a trace may have numbers of its own
  bool numbered_as_run_ = false;                 ///< rows by lengths
  bool points_numbered_as_run_ = false;          ///< rows by point
};

/// Throws InputError if a value of the row cannot be a measurement (trace::is_measurable()); NaN passes. Tables are
/// checked cell by cell when they are read; this check is for numbers of other formats and of conversions.
void require_measurable(const ProfileTable& file, const ProfileRow& row) {
  for (std::size_t m = 0; m < file.metrics.size(); ++m)
    if (const double value = file.value(row, m); !std::isnan(value) && !trace::is_measurable(value))
      throw InputError({file.source, row.line, file.metrics[m]},
                       fmt::format("{:.3g} of {}{}", value, name_of(file, row), trace::kNotMeasurable),
                       "write it in another unit, or leave the metric out");
}

/// `file:line (name)`, without the line if the format has none.
std::string place_text(const ProfileTable& file, const ProfileRow& row) {
  return file.source + (row.line > 0 ? ":" + std::to_string(row.line) : "") + " (" + name_of(file, row) + ")";
}

/// The position of a metric in `found.metrics`; adds a new metric, with readings for that many points. A role other
/// than unknown that one of the files gives applies to all.
std::size_t metric_index(Measurements& found, const std::string& metric, MetricRole role, std::size_t points) {
  const auto at = std::find(found.metrics.begin(), found.metrics.end(), metric);
  const auto index = static_cast<std::size_t>(at - found.metrics.begin());
  if (at != found.metrics.end()) {
    if (found.roles[index] == MetricRole::unknown) found.roles[index] = role;
    return index;
  }
  found.metrics.push_back(metric);
  found.roles.push_back(role);
  found.readings.emplace_back(points);
  return index;
}

using ProcessPositions = std::map<ProcessKey, std::size_t>;

/// The position of the row's process in `found.process_names`. A new process is added by the name of its file; further
/// ones of the same file as `file:line` of their first row.
std::size_t process_of(Measurements& found, ProcessPositions& known, const ProfileTable& file, const ProfileRow& row) {
  const auto [place, is_new] = known.try_emplace(process_key(file, row), found.process_names.size());
  if (is_new) {
    const bool first = std::ranges::find(found.process_names, file.source) == found.process_names.end();
    if (first && place->first.first != nullptr) ++found.files_as_processes;
    found.process_names.push_back(first ? file.source : file.source + ":" + std::to_string(row.line));
  }
  return place->second;
}

/// Adds the row's values as first executions of its points, without values that cannot be measurements. `metrics`: by
/// the file's metric, its position in `found.metrics`.
void add_first(const ProfileTable& file, const ProfileRow& row, const std::vector<std::size_t>& points,
               const std::vector<std::size_t>& metrics, std::size_t process, Measurements& found) {
  for (const std::size_t p : points)
    for (std::size_t m = 0; m < metrics.size(); ++m)
      if (const double value = file.value(row, m); trace::is_measurable(value))
        found.first_executions.push_back({metrics[m], p, process, value, row.executions});
}

/// The mean of ProfileTable::device_busy over all rows that have it, including warm-up; nothing if none has.
std::optional<double> device_busy_of(std::span<const ProfileTable> files) {
  std::vector<double> shares;
  for (const ProfileTable& file : files)
    for (const ProfileRow& row : file.rows)
      if (!file.device_busy.empty() && !std::isnan(file.device_busy[row.place]))
        shares.push_back(file.device_busy[row.place]);
  return shares.empty() ? std::nullopt : std::optional(mean(shares));
}

/// Adds the rows of `file`, the one at position `f`, to `found`. The first `warmup` rows and rows marked as warm-up are
/// only counted; marked ones may be first executions, which count as measurements if they do for the selection. Throws
/// InputError as match() for a file or row that is wrong.
void add_file(Measurements& found, ProcessPositions& processes, std::size_t f, const ProfileTable& file,
              const select::Selection& selection, std::uint64_t warmup) {
  const PointFinder finder(file, selection);
  const RowConsistency consistency(file, selection);
  std::vector<std::size_t> metric;
  for (std::size_t m = 0; m < file.metrics.size(); ++m)
    metric.push_back(metric_index(found, file.metrics[m], file.role(m), selection.points.size()));
  found.stubs += file.stubs;
  for (std::size_t r = 0; r < file.rows.size(); ++r) {
    const ProfileRow& row = file.rows[r];
    const bool counts = row.first && selection.counted_first, left_out = r < warmup || (row.warmup && !counts);
    ++(left_out ? found.warmup_rows : found.rows);
    found.executions += row.executions;
    if (left_out) found.warmup_executions += row.executions;
    if (row.first) ++found.first_rows;
    const std::vector<std::size_t> points = finder.of(row);
    const std::optional<std::uint64_t> tokens = finder.tokens(row, points);
    found.padded_tokens =
        found.padded_tokens && tokens ? std::optional(*found.padded_tokens + *tokens * row.executions) : std::nullopt;
    if (row.first && !counts && r >= warmup)
      add_first(file, row, points, metric, process_of(found, processes, file, row), found);
    if (left_out) continue;
    consistency.require(row);
    require_measurable(file, row);
    if (!points.empty())
      ++found.matched_rows;
    else if (found.unmatched.size() < kMaxUnmatchedListed)
      found.unmatched.push_back(place_text(file, row));
    const std::size_t process = process_of(found, processes, file, row);
    for (const std::size_t p : points) {
      found.source_rows[p].emplace_back(f, r);
      for (std::size_t m = 0; m < metric.size(); ++m)
        if (const double value = file.value(row, m); !std::isnan(value))
          found.readings[metric[m]][p].emplace_back(value, row.iteration, process);
    }
  }
}

/// "the points have src_len 131 to 400, batch_size 64"; without batch sizes if shapes have none.
std::string shapes_text(const select::Selection& selection) {
  const std::vector<select::Point>& points = selection.points;
  const std::string lengths =
      fmt::format("the points have {} {} to {}", trace::name_of(trace::length_dimension(selection.run.kind)),
                  points.front().shape.length(), points.back().shape.length());
  std::vector<std::uint32_t> sizes;
  for (const select::Point& point : points) sizes.push_back(point.shape.batch_size);
  const auto [least, most] = std::ranges::minmax(sizes);
  if (most == 0) return lengths;
  return lengths +
         (least == most ? fmt::format(", batch_size {}", most) : fmt::format(", batch_size {} to {}", least, most));
}

/// ": batch_size is 32, that of the points 64", if rows have one batch size that is no point's; else empty.
std::string other_batch_size(const ProfileTable& file, const select::Selection& selection) {
  std::set<std::uint64_t> sizes, of_points;
  for (const ProfileRow& row : file.rows)
    if (const auto size = file.subject(row).key.batch_size) sizes.insert(*size);
  for (const select::Point& point : selection.points) of_points.insert(point.shape.batch_size);
  if (sizes.size() != 1 || of_points.contains(*sizes.begin())) return "";
  const std::string points = of_points.size() == 1 ? fmt::format("{}", *of_points.begin())
                                                   : fmt::format("{} to {}", *of_points.begin(), *of_points.rbegin());
  return fmt::format(": batch_size is {}, that of the points {}", *sizes.begin(), points);
}

/// The hint for the user if no row matches.
std::string hint_to_match(std::span<const ProfileTable> files, const select::Selection& selection) {
  const bool steps = files.front().key == ProfileTable::Key::per_row;
  const std::string lengths = shapes_text(selection);
  if (!steps) return "check that it is of this run: " + lengths;
  const auto is_numbered = [](const ProfileRow& row) { return row.iteration.has_value(); };
  if (std::ranges::any_of(files.front().rows, is_numbered))
    return fmt::format("record the points' iterations: {}, say, and up to {} of each point; {}",
                       selection.points.front().iterations.front(), select::Point::kMaxOccurrences, lengths);
  return "name steps by 'seqlen=42', or give `match` REGEX or `map` FILE; " + lengths;
}

[[noreturn]] void refuse_without_steps(const ProfileTable& file, const select::Selection& selection) {
  throw InputError({file.source}, "holds no step", hint_to_match(std::span(&file, 1), selection));
}

}  // namespace

std::optional<std::size_t> ProfileTable::find(std::string_view metric) const {
  const auto found = std::ranges::find(metrics, metric);
  return found == metrics.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - metrics.begin()));
}

StepIdentity ProfileTable::identity(const ProfileRow& row) const {
  const RowSubject& of = subject(row);
  return {of.point, of.key, row.iteration, of.phase};
}

void ProfileTable::identify(ProfileRow& row, const StepIdentity& identity) {
  subjects.push_back({identity.point, identity.key, identity.phase, subject(row).name});
  row.subject = static_cast<std::uint32_t>(subjects.size() - 1);
  row.iteration = identity.iteration;
}

ProfileRow& ProfileTable::add(RowSubject subject, const std::vector<double>& row_values) {
  values.resize(metrics.size());
  for (std::size_t m = 0; m < row_values.size(); ++m) values.at(m).push_back(row_values[m]);
  subjects.push_back(std::move(subject));
  return rows.emplace_back(ProfileRow{.subject = static_cast<std::uint32_t>(subjects.size() - 1),
                                      .place = static_cast<std::uint32_t>(rows.size())});
}

std::vector<double> values_of(std::span<const Reading> readings) {
  std::vector<double> values;
  for (const Reading& reading : readings) values.push_back(reading.value);
  return values;
}

Measurements of_process(Measurements measured, std::size_t process) {
  const auto of_another = [&](const auto& value) { return value.process != process; };
  for (std::vector<std::vector<Reading>>& points : measured.readings)
    for (std::vector<Reading>& readings : points) {
      std::erase_if(readings, of_another);
      for (Reading& reading : readings) reading.process = 0;
    }
  std::erase_if(measured.first_executions, of_another);
  for (FirstExecution& first : measured.first_executions) first.process = 0;
  std::erase_if(measured.stretches, of_another);
  for (StretchEvidence& stretch : measured.stretches) stretch.process = 0;
  measured.process_names = {measured.process_names[process]};
  measured.run_totals.clear();
  return measured;
}

std::string name_of(const ProfileTable& file, const ProfileRow& row) {
  const RowSubject& subject = file.subject(row);
  if (!subject.name.empty()) return subject.name;
  if (file.key == ProfileTable::Key::point) return "point " + subject.point;
  if (file.key == ProfileTable::Key::iteration) return "iteration " + std::to_string(*row.iteration);
  return text_of(subject.key);
}

Measurements match(std::span<const ProfileTable> files, const select::Selection& selection, std::uint64_t warmup,
                   bool whole_runs) {
  Measurements found;
  found.source_rows.resize(selection.points.size());
  found.padded_tokens = 0;
  found.device_busy = device_busy_of(files);
  for (const ProfileTable& file : files)  // else the configuration would silently use the other files alone
    if (file.rows.empty() && file.stubs == 0) refuse_without_steps(file, selection);
  ProcessPositions processes;
  for (std::size_t f = 0; f < files.size(); ++f) add_file(found, processes, f, files[f], selection, warmup);
  found.run_totals = run_totals_of(files, selection, found.metrics, warmup, whole_runs);
  if (found.matched_rows > 0 || (whole_runs && found.rows > 0)) return found;
  if (found.rows == 0 && found.warmup_rows > 0 && warmup == 0)
    throw InputError({files.front().source},
                     fmt::format("has {} of warm-up, and nothing that was measured", counted(found.warmup_rows, "row")),
                     "let the job run until it has measured");
  if (found.rows == 0 && found.warmup_rows > 0)
    throw ParameterError("skip",
                         std::to_string(warmup) + " leaves none of the " + counted(found.warmup_rows, "measurement"),
                         fmt::format("`skip` {} or less", found.warmup_rows - 1));
  if (found.rows == 0) refuse_without_steps(files.front(), selection);
  const std::string rows = counted(found.rows, "row") + (found.rows == 1 ? " belongs" : " belong");
  std::string hint = hint_to_match(files, selection);
  if (!found.unmatched.empty()) hint += "; the profile has " + found.unmatched.front();
  throw InputError({files.front().source},
                   "none of its " + rows + " to any point" + other_batch_size(files.front(), selection), hint);
}

}  // namespace seqpoint::profile
