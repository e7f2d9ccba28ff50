/// \file
/// The command `run` and its request. Its parts: the folder (run_folder.hpp), starts of jobs (hooked_start.hpp), the
/// stages between them (run_stages.hpp) and messages (run_text.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/commands/command.hpp"
#include "cli/options/exports.hpp"
#include "cli/options/gates.hpp"
#include "core/measuring/turns.hpp"
#include "io/artifacts/run_record.hpp"
#include "io/text/secrets.hpp"

namespace seqpoint::cli::job {

using namespace commands;  // `run` is one of them, and calls others

inline constexpr auto kRunForms =
    "seqpoint run -- python3 train.py, or seqpoint run old='bash old.sh' new='bash new.sh'";

/// What the user asked for.
struct RunRequest {
  io::artifacts::JobRequest job;
  io::text::Secrets secrets;  ///< of the commands and of the environment
  io::artifacts::RegressionLimit limit;
  std::string folder = "seqpoint-run";
  bool resume = false, record = false;
  std::uint64_t parallel = 1;  ///< most processes at a time
  bool duets = true;           ///< whether two builds take turns batch by batch
  bool allow_writes = false;   ///< whether the run goes on if an old file has really changed
  measuring::StopRule rule;
  std::optional<double> flops_per_token,  ///< of the model; nothing: by the number of its parameters
      peak_flops;                         ///< of a device; nothing: by its name
  std::string outputs;                    ///< --export, --ci and --parallel as they would be typed, each after a blank
  double start_timeout_s = 600, grace_s = 5;
  ExportPaths exports;
  CiOptions ci;
};

/// The request under construction.
struct RunOptions {
  RunRequest request;
  std::vector<std::string> words;  ///< words of the command, or NAME=COMMAND each
  std::optional<double> precision;
  std::string resumed;  ///< value of --resume; empty: a new run
  bool no_duet = false;
};

void declare(CLI::App&, RunOptions&);
/// Converts and checks the options. Throws UsageError. With --resume the command may be missing: adopt() takes it from
/// the folder.
RunRequest request_of(RunOptions, const CLI::App&);
/// The job as it would be typed in a shell.
std::string typed(const io::artifacts::JobRequest&);
/// Takes over the job that the folder recorded, and its limit unless the request has one. Throws UsageError if the
/// request has a different job.
void adopt(RunRequest&, const io::artifacts::RunRecord&);

// --- launchers of clusters in commands: those that only submit a job, which starts later, or elsewhere, and those that
// place it on another machine

/// Throws UsageError, with the way that works, if one of the commands hands its job to a queue or a cluster and does
/// not wait for it. Sees the programs that a command or its shell text names, not those in scripts.
void require_waiting(std::span<const io::artifacts::Build>);

/// Throws UsageError, unless each command names a launcher that places its job on a machine of its own: the scheduler
/// of a cluster, or a program with a list of hosts. Processes that share a machine slow each other down.
void require_launchers(std::span<const io::artifacts::Build>, std::uint64_t parallel);

Command add_run(CLI::App& program);

}  // namespace seqpoint::cli::job
