/// \file
/// seqpoint as a library: the lengths of samples, the batches that a framework's sampler makes of them, the points to
/// measure, and the whole run from their times.
///
/// Numbers: iterations, rows, ranks and processes are counted from 0. Lengths are tokens of text or frames of speech.
/// Times are seconds. Shares and errors are fractions of 1. Same arguments, same result: nothing has a global state or
/// a clock, and a seed is a parameter.
///
/// Errors (seqpoint/error.hpp): InputError if a file is at fault, with file, line and field; ParameterError if an
/// argument is, by its name here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "seqpoint/error.hpp"
#include "seqpoint/version.hpp"

namespace seqpoint {

namespace select {
struct Selection;
}

/// The lengths of a data set's samples, in its order.
struct SampleLengths {
  std::vector<std::uint32_t> src;  ///< the only length, or that of the source side
  /// Empty, or the lengths of the target side: as many as `src`. Also filled from manifests with both sides.
  std::vector<std::uint32_t> tgt;
};

/// Reads the lengths of training manifests, one after the other, whose formats are guessed from their contents
/// (docs/formats.md). `targets`: empty, or for each manifest the file of its target side, row by row. `length_field`:
/// the column or dotted key of the length in all files; empty: the first of the usual names. Rows that a manifest marks
/// as unusable are left out. Throws InputError; ParameterError for no manifest or another number of targets; UsageError
/// for a `length_field` that the format does not have.
SampleLengths read_lengths(const std::vector<std::string>& manifests, const std::vector<std::string>& targets = {},
                           const std::string& length_field = {});

/// How the training loader orders and batches samples.
struct LoaderOptions {
  std::string sampler = "sequential";  ///< a name from `seqpoint list samplers`
  std::uint64_t batch_size = 0;        ///< samples of one rank; 0: the sampler needs none
  std::optional<std::uint64_t> seed;   ///< seed of the sampler; nothing: 0
  std::uint64_t epochs = 1;            ///< >= 1
  std::uint64_t world_size = 1;        ///< data-parallel ranks, >= 1
  bool drop_last = false;              ///< leave out the incomplete last batch
  /// The sampler's own options by the framework's names: {"max_tokens", "4096"}.
  std::map<std::string, std::string> options;
};

/// The shape of an iteration, which decides its time: padded lengths and batch size of the rank with the most work.
struct Shape {
  std::uint32_t src_len = 0,                                     ///< padded length; for pairs, of the source side
      tgt_len = 0,                                               ///< padded length of the target side; 0: there is none
      batch_size = 0;                                            ///< samples of that rank
  friend bool operator==(const Shape&, const Shape&) = default;  ///< member by member
};

/// An iteration of the run.
struct Batch {
  Shape shape;                      ///< shape of the rank with the most work
  std::uint64_t samples = 0;        ///< samples of all ranks
  std::uint64_t padded_tokens = 0;  ///< padded tokens of all ranks, both sides
  std::vector<std::uint32_t> rows;  ///< rows of the data set, rank after rank
};

/// The batches of a run, in order. Throws ParameterError for unknown or missing options of the sampler, and for values
/// out of range.
std::vector<Batch> batches_of(const SampleLengths&, const LoaderOptions&);

/// How points are chosen.
struct PointOptions {
  std::string method = "calibrated";    ///< a name from `seqpoint list methods`
  std::optional<std::uint64_t> points;  ///< how many; nothing: until `max_error`
  std::optional<double> max_error;      ///< expected error, a share of the total; nothing: the method's default
  std::uint64_t processes = 2;          ///< number of processes that will measure every point, >= 1
};

/// An iteration to measure, and the number of iterations that it represents.
struct Point {
  std::string id;                         ///< "sp1", "sp2", ...
  Shape shape;                            ///< shape of the iteration
  double weight = 0;                      ///< iterations of the run, > 0; all weights add up to the run's
  std::uint64_t repeats = 1;              ///< how often to measure it, in all processes together
  std::vector<std::uint64_t> iterations;  ///< occurrences in the run: the one to measure, then alternates
};

/// The points of a run. A value; copies share their data.
class Selection {
 public:
  /// Chooses the points of a run. Throws ParameterError for a run without batches and for options that are invalid.
  static Selection choose(const std::vector<Batch>& run, const PointOptions& = {});
  /// Reads the output of json() or of `seqpoint select`. Throws InputError.
  static Selection read(const std::string& path);

  /// Ascending by shape; by iteration if the method picks iterations. Phase after phase if the run has phases.
  const std::vector<Point>& points() const { return points_; }
  /// Number of iterations of the run.
  std::uint64_t iterations() const;
  /// The expected error of a projection from these points and repeats: one standard deviation, a share of the total.
  /// Nothing: a single point, more than 1,000 points, or a file without advised repeats.
  std::optional<double> expected_error() const;
  /// The artefact, as input for `seqpoint plan` and `seqpoint project`.
  std::string json() const;
  /// Warnings: sentences for the user.
  const std::vector<std::string>& notes() const;

 private:
  explicit Selection(select::Selection);
  friend struct SelectionAccess;

  std::shared_ptr<const select::Selection> selection_;  ///< never null
  std::vector<Point> points_;
};

/// One measured time of a point.
struct Measurement {
  std::string point;                         ///< a point's id
  double seconds = 0;                        ///< seconds of one iteration, > 0
  std::size_t process = 0;                   ///< process that measured it: several show between-process variation
  std::optional<std::uint64_t> iteration{};  ///< number in the run, if known
};

/// A machine or a build, with its measurements.
struct Configuration {
  std::string name;                       ///< unique
  std::vector<Measurement> measurements;  ///< in the order of measuring
};

/// A figure with its interval.
struct Estimate {
  double value = 0;                                   ///< the estimate
  std::optional<std::pair<double, double>> interval;  ///< low and high; nothing: `reason`
  std::string reason;                                 ///< why there is no interval; empty if there is one
};

/// The whole run on one configuration.
struct RunTime {
  std::string name;                 ///< name of the configuration
  Estimate seconds;                 ///< steady time of the run
  std::optional<Estimate> speedup;  ///< ratio of the first configuration's time to this one's; nothing for the first
                                    ///< itself
  double measured_weight = 1;       ///< weight of the measured points, over the iterations; in (0, 1]
};

/// Projects the time of the run on each configuration, in their order; speedups are over the first. `confidence`: of
/// the intervals, in [0.5, 1). Throws ParameterError for a confidence out of range, for no configuration, for duplicate
/// names and for a configuration without measurements, and InputError for an unknown point, for a value that cannot be
/// a time, and for a process numbered 1000 or above.
std::vector<RunTime> project_run(const Selection&, const std::vector<Configuration>&, double confidence = 0.95);

}  // namespace seqpoint
