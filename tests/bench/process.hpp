/// \file
/// Runs commands as whole processes and says what they took.
#pragma once

#include <string>
#include <vector>

namespace seqpoint::bench {

/// What one run of a command took. Seconds and bytes.
struct Usage {
  double wall = 0;
  double cpu = 0;          ///< user and system, all threads
  double peak_bytes = 0;   ///< largest resident size of the process
  int status = 0;          ///< exit status; 127 where it could not be started
  double told = -1;        ///< seconds that the command itself printed, if it was asked to; -1: none
  std::string first_line;  ///< of its output, where that is short
};

/// One command in a comparison.
struct Contestant {
  std::string name;
  std::vector<std::string> words;
  std::string stdin_file;      ///< empty: no input
  bool tells_seconds = false;  ///< its last line of output is the seconds that its work alone took
  std::vector<Usage> runs = {};

  double best_wall() const;  ///< the smallest: what the machine can do when left alone
  double median_wall() const;
  double best_peak() const;
};

/// Runs once; standard error is thrown away, standard output too but for its first and last line.
Usage run(const Contestant& contestant);

/// Whether a program is there to be run.
bool is_there(const std::vector<std::string>& words);

/// Everybody in turn, `rounds` times, after one round that does not count: what disturbs the machine disturbs all.
void race(std::vector<Contestant>& contestants, int rounds);

}  // namespace seqpoint::bench
