/// \file `run.json`: the request of `seqpoint run`, and the jobs that it has started.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/measuring/price.hpp"
#include "core/measuring/turns.hpp"
#include "core/project/stretch.hpp"
#include "io/process/hook_report.hpp"
#include "io/process/machine.hpp"
#include "io/stream/input.hpp"
#include "io/text/secrets.hpp"

namespace seqpoint::io::artifacts {

/// A command to measure.
struct Build {
  std::string name;
  std::vector<std::string> words;  ///< program and arguments, of any bytes
  std::string digest{};            ///< of the command, if these words are without its secrets; else empty
  bool operator==(const Build&) const = default;
};

/// The part of a request that affects the files: --resume compares it.
struct JobRequest {
  std::vector<Build> builds;                        ///< in the order of the table
  std::string order;                                ///< a file; empty: from the job's own loader
  std::optional<std::uint64_t> points{}, budget{};  ///< as of `select`; a budget is a number of batches
  std::optional<double> max_error{};                ///< a share
  std::uint64_t epochs = 1;                         ///< number of epochs that the job's loader makes, >= 1
  std::string signature{};                          ///< module:function that gives the lengths; empty: none
  std::optional<std::uint64_t> loader{},
      batches{};                             ///< which pass over a loader trains, from 1; most batches of an order
  std::optional<project::BreakdownBy> by{};  ///< operations that the epoch is broken down by
  bool no_phases = false;                    ///< whether the phases of batches are not measured
  bool operator==(const JobRequest&) const = default;
  /// Whether the user chose how many points to measure.
  bool chooses_points() const { return points || budget || max_error; }
};

/// A limit of a comparison. --resume keeps what it does not name again.
struct RegressionLimit {
  std::optional<double> max_regression{};    ///< a share
  std::optional<bool> inconclusive_fails{};  ///< nothing: false
};

/// Where a run takes place: what else decides its measurements. Texts are as_stored().
struct RunPlace {
  std::string folder{};                            ///< the working folder, absolute
  std::map<std::string, std::string> variables{};  ///< of the environment
  std::map<std::string, std::string> digests{};    ///< digests of others, whose values may be secrets
  std::map<std::string, std::string> programs{};   ///< their paths
};

/// A text as JSON has it: bytes that are not UTF-8 become U+FFFD.
std::string as_stored(const std::string&);

/// One successful start of a job.
struct JobStart : process::JobFacts {
  std::string build{}, verb{};      ///< `verb`: order, measure or record
  std::uint64_t process = 0;        ///< of those that measure, from 1; else 0
  std::string begun{};              ///< UTC, as 2026-11-20T10:00:00Z
  double seconds = 0;               ///< from its start to its end
  bool after_order = false;         ///< whether it is the rest of the start before, which made the order
  double ready_s = 0;               ///< of these, until the job had trained on a batch
  std::string output{}, log{};      ///< files in the folder
  std::vector<std::string> kept{},  ///< old files that stayed as they were, although the job has changed them
      changed{},                    ///< what really changed: "history.db was changed"
      staying{};                    ///< new files and folders that are not as the job left them
  std::uint64_t removed = 0;        ///< new files
  std::vector<std::pair<std::string, std::string>> environment{};  ///< variables that were set
  std::optional<process::Machine> machine{};                       ///< before it
  std::optional<project::Stretch> stretch{};                       ///< of its batches, beside its prediction
};

/// What a run has cost in all its sittings, results that were dropped included.
struct RunCost {
  double seconds = 0;        ///< since the command was typed
  std::uint64_t starts = 0,  ///< of jobs
      orders = 0,            ///< of these, to make an order
      batches = 0;           ///< that jobs have run of plans, in a row, and of whole epochs
  bool operator==(const RunCost&) const = default;
};

struct RunRecord {
  JobRequest request;
  RegressionLimit limit;
  RunPlace place;
  std::map<std::string, std::string> files;  ///< digest of each file that belongs to the run, by its name in the
                                             ///< folder, or by the path of --order
  std::vector<JobStart> starts;              ///< in order
  RunCost cost;                              ///< until the record was saved
  std::uint64_t planned_processes = 0;       ///< number that plans are for; 0: there is no plan yet
  std::optional<measuring::Way> way{};       ///< that was chosen, once
  measuring::SaidPrice said{};               ///< before anything was measured; nothing if an option asks for more
  std::vector<measuring::Look> looks;        ///< at results that could end the run, in order
  std::string stopped;                       ///< why measuring stopped; empty: it continues
};

/// The request as run.json has it: commands without their secrets, and with digests of what was left out.
JobRequest without_secrets(JobRequest, const text::Secrets&);
/// A digest of 32 bits: it shows that a secret has changed, and is too short to give it away.
std::string secret_digest(std::string_view text);
/// Whether a build may have that name, with which names of files begin: ASCII letters, digits, _, - and ., the first a
/// letter or digit.
bool is_build_name(std::string_view name);

/// JSON of the schema run. What is empty, nothing or zero is left out.
std::string run_record_json(const RunRecord&);
/// Reads a document of run_record_json(). Throws InputError, also for names of files outside the folder.
RunRecord read_run_record(stream::Input);

}  // namespace seqpoint::io::artifacts
