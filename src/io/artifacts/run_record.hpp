/// \file
/// `run.json`: what `seqpoint run` was asked for, and what it has started.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/files.hpp"

namespace seqpoint::io::artifacts {

/// One start of a job that brought its result.
struct JobStart {
  std::string build, verb;                                       ///< `verb`: order, measure or record
  std::uint64_t process = 0;                                     ///< of `measure`, from 1
  std::string begun;                                             ///< UTC, as 2026-11-20T10:00:00Z
  double seconds = 0;                                            ///< from its start to its end
  std::uint64_t batches = 0;                                     ///< rows of the result
  std::string python;                                            ///< version
  std::string output, log;                                       ///< files in the folder
  std::vector<std::pair<std::string, std::string>> environment;  ///< that was set
};

struct RunRecord {
  std::vector<std::string> command_line;  ///< what decides the files: options of the selection, and the builds
  std::vector<JobStart> starts;           ///< in order
  std::uint64_t planned_processes = 0;    ///< that plans are for; 0: there is none yet
  std::string stopped;                    ///< why nothing more was measured; empty: it goes on
};

std::string run_record_json(const RunRecord&);
/// Reads what that made. Throws InputError.
RunRecord read_run_record(stream::Input);

}  // namespace seqpoint::io::artifacts
