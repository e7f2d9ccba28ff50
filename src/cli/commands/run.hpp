/// \file
/// The request of `run`. Its parts: the folder (run_folder.hpp), starts of jobs (run_job.hpp), the stages between
/// them (run_stages.hpp) and messages (run_text.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/gates.hpp"
#include "core/run/turns.hpp"
#include "io/artifacts/run_record.hpp"

namespace seqpoint::cli::commands {

inline constexpr auto kRunForms =
    "seqpoint run -- python3 train.py, or seqpoint run old='bash old.sh' new='bash new.sh'";

/// A command to measure.
struct Build {
  std::string name;
  std::vector<std::string> words;  ///< program and arguments
};

struct RunRequest {
  std::vector<Build> builds;
  std::vector<std::string> command_line;  ///< the options that affect the files: `selecting`, --order and the builds,
                                          ///< as typed
  std::vector<std::string> selecting;     ///< options of `select`, as typed
  std::string order;                      ///< a file; empty: from the job's own loader
  std::string folder = "seqpoint-run";
  bool resume = false, record = false;
  seqpoint::run::StopRule rule;
  std::optional<double> max_regression;  ///< a share
  bool inconclusive_fails = false;
  std::vector<std::string> gating;  ///< the same as options of `project`, as typed
  std::string outputs;              ///< --export and --ci as they would be typed, each after a blank
  double start_timeout_s = 600, grace_s = 5;
  ExportPaths exports;
  CiOptions ci;
};

/// The request under construction.
struct RunOptions {
  RunRequest request;
  std::vector<std::string> words;  ///< words of the command, or NAME=COMMAND each
  std::optional<double> precision;
};

void declare(CLI::App&, RunOptions&);
/// Converts and checks the options. Throws UsageError. With --resume the command may be missing: adopt() takes it from
/// the folder.
RunRequest request_of(RunOptions, const CLI::App&);
/// Takes over the command line that the folder recorded, and its limits unless the request has limits. Throws
/// UsageError if the request has a different command line.
void adopt(RunRequest&, const io::artifacts::RunRecord&);

}  // namespace seqpoint::cli::commands
