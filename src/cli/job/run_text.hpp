/// \file
/// Messages of `run`: one line per step, on standard error, and the result.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/measuring/price.hpp"
#include "core/measuring/turns.hpp"
#include "core/project/projection.hpp"
#include "core/trace/trace.hpp"
#include "io/artifacts/run_record.hpp"

namespace seqpoint::cli::job {

/// The step's name, padded to 11 characters, and a text, so that texts are aligned; on one line, without control
/// characters.
std::string step_line(const std::string& step, const std::string& text);
/// The command that goes on with the run in that folder.
std::string resume_command(const std::string& folder);
/// "DataLoader at train.py:88: 3,214 batches, 187 shapes, padding 14 %; length = input_ids axis 1   12 s", each part as
/// far as it is known. `starts`: of the jobs that made the order, one for each build.
std::string order_text(const trace::RunSummary&, const std::vector<const io::artifacts::JobStart*>& starts);
/// "2 h 12 min (2 h 9 min to 2 h 15 min)"; "no interval yet" in brackets without an interval.
std::string epoch_text(const project::ConfigurationProjection&);
/// "no seed: each start draws other batches, and epochs differ by ± 0.4 %". `spread`: a standard deviation, a share;
/// the text has 95 % of a normal distribution.
std::string draws_text(double spread);

/// "executions take 0.5 ± 1.0 % longer than later ones, and count: further processes measure twice as many points, once
/// each".
std::string first_text(double ratio, double error, bool counts);

/// The text with the files of a run's processes replaced by the names that its lines have: "process 3" for
/// "DIR/run-3.csv", "process 3, line 21" for "run-3.csv:21"; of several builds "old 3" for "old-3.log".
std::string with_process_names(std::string text, const std::vector<std::string>& builds);

/// The sum of the projected epochs of all configurations, in seconds.
double seconds_of_epochs(const project::Projection&);

/// Seconds of the timed iterations.
double seconds_of(const trace::Trace&);
/// "old: 41.2 min in 3,214 batches, DIR/old-epoch.csv".
std::string recorded_text(const std::string& name, const trace::Trace&, const std::string& path);

/// Epochs as they are, to compare a cost with.
struct WholeEpochs {
  std::uint64_t builds = 1, epochs = 1,  ///< of each build
      iterations = 0;                    ///< of an epoch; 0: epochs of builds differ
  double seconds = 0;                    ///< of all of them
};

/// What a run did in all, beside its epochs: "2 min 38 s in all: 3 starts, 112 of 3,214 batches; an epoch takes 50
/// times as long".
std::string cost_text(const io::artifacts::RunCost&, const WholeEpochs&);

/// Information for the messages about a result.
struct ResultFacts {
  std::uint64_t iterations = 0;  ///< iterations of an epoch; 0: epochs of builds differ
  double start_s = 0;            ///< mean time of a process, with start-up
  std::uint64_t parallel = 1;    ///< processes that run side by side
  io::artifacts::RunCost cost = {};
  std::uint64_t processes = 0;  ///< processes of each build
  bool verbose = false;         ///< whether all lines are printed
  measuring::Stop stopped = measuring::Stop::go_on;
  std::string folder;
  std::string page;     ///< paths of the pages
  std::string outputs;  ///< options that a resumed run needs to write the same outputs, with a leading blank
  std::vector<std::string> untouched = {};       ///< what was kept from the user's services
  std::string files = {};                        ///< files_text()
  std::uint64_t stated = 0, of_pass = 0;         ///< of a single build, as in JobFacts
  std::vector<std::string> compiled = {};        ///< graphs that were compiled, a line for each build
  std::vector<project::Projection> epochs = {};  ///< each epoch; empty: there is one
  bool times_epochs = false;                     ///< whether processes are whole epochs, not points
  bool has_epoch = false;                        ///< whether a whole epoch is recorded
  bool disagree = false;                         ///< whether processes disagree, so that nothing is decided
  std::string first = {};                        ///< first_text() of all builds; empty: not decided
  std::string in_a_row = {};                     ///< stretches_text()
  measuring::SaidPrice said = {};                ///< before anything was measured
  std::string overrun = {};                      ///< overrun_text()
  std::string wider = {};                        ///< by what intervals are wider than after the last process
  std::string anew = {};                         ///< command that settles what contradicts the result; may be empty
};

/// What a result has cost, as cost_text(), and that more was paid than was said.
std::string cost_of_result(const project::Projection&, const ResultFacts&);

/// The next step by the reason for stopping: a command that measures more. Empty if only the page is left to look at.
std::string next_text(const project::Projection&, const project::Gates&, const measuring::StopRule&,
                      const ResultFacts&);
/// The table, the measuring cost, the reason for stopping, the verdict, and the next step.
std::string result_text(const project::Projection&, const project::Gates&, const measuring::StopRule&,
                        const ResultFacts&);

}  // namespace seqpoint::cli::job
