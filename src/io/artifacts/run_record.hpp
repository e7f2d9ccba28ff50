/// \file `run.json`: the request of `seqpoint run`, and the jobs that it has started.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/files.hpp"

namespace seqpoint::io::artifacts {

/// One successful start of a job.
struct JobStart {
  std::string build, verb;                                       ///< `verb`: order, measure or record
  std::uint64_t process = 0;                                     ///< for `measure`, from 1
  std::string begun;                                             ///< UTC, as 2026-11-20T10:00:00Z
  double seconds = 0;                                            ///< from its start to its end
  std::uint64_t batches = 0;                                     ///< rows of the result
  std::string python;                                            ///< version
  std::string output, log;                                       ///< files in the folder
  std::vector<std::pair<std::string, std::string>> environment;  ///< variables that were set
};

struct RunRecord {
  std::vector<std::string> command_line;  ///< the options that affect the files: those of the selection, and the builds
  std::vector<std::string> limits;        ///< --max-regression and --on-inconclusive; --resume keeps them
  std::vector<JobStart> starts;           ///< in order
  std::uint64_t planned_processes = 0;    ///< number that plans are for; 0: there is no plan yet
  std::string stopped;                    ///< why measuring stopped; empty: it continues
};

/// JSON of the schema run. Empty limits, zero planned processes and an empty reason to stop are left out.
std::string run_record_json(const RunRecord&);
/// Reads a document of run_record_json(). Throws InputError.
RunRecord read_run_record(stream::Input);

}  // namespace seqpoint::io::artifacts
