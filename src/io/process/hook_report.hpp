/// \file
/// Reports from the processes of a job that run the companion: python/seqpoint_companion/hooked.py is the
/// contract.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/process/inventory.hpp"

namespace seqpoint::io::process {

/// The events reported by one start of a job so far.
class HookReport {
 public:
  /// `path`: a file that need not exist yet; empty: events are added as lines only.
  explicit HookReport(std::string path = {}) : path_(std::move(path)) {}

  /// Reads complete lines that the file, and those of other machines beside it, PATH.HOST, got since the last call.
  /// Returns whether any of them is an event other than `started` and `imported`: the job works. False if no file
  /// exists.
  bool read();
  /// Adds one event, a line of JSON. Returns false for `started` and `imported`, and for a line that is not an object,
  /// which is skipped; else true, also for an unknown event.
  bool take(std::string_view line);

  bool started() const { return !python_.empty(); }      ///< whether any Python process had the hook
  const std::string& python() const { return python_; }  ///< version of that Python; empty before started()
  /// The library that a job without PyTorch has imported, such as jax; "numpy" if that is all, empty if none is known.
  /// Nothing if it has imported PyTorch, or no Python process has begun.
  std::optional<std::string> library() const;
  bool held() const { return !programs_.empty(); }  ///< whether a training loader was found
  /// Whether the order is written, and the job waits for the plan.
  bool ordered() const { return ordered_; }
  /// Whether all ranks have delivered their result.
  bool done() const { return !done_.empty() && done_.size() >= ranks_; }
  /// Number of independent training programs; the ranks of a distributed job count as one.
  std::size_t programs() const { return ranks_ > 1 ? 1 : programs_.size(); }
  const std::string& loader() const { return loader_; }        ///< the loop that was held; empty if no event had it
  const std::string& counted() const { return counted_; }      ///< the dimension that is the length; empty: as above
  const std::string& uncounted() const { return uncounted_; }  ///< dimensions that the length leaves out; may be empty
  /// What was kept from the user's services, each once.
  const std::vector<std::string>& untouched() const { return untouched_; }
  /// Old files and folders that the job has changed or removed for itself only.
  const std::set<std::string>& kept() const { return kept_; }
  /// Old files that calls were to change which are not replaced, as they were before.
  const std::map<std::string, FileState>& touched() const { return touched_; }
  std::uint64_t parameters() const { return parameters_; }      ///< that the job trains; 0: not known
  std::uint64_t compilations() const { return compilations_; }  ///< graphs of torch.compile, the most of any rank
  double first_batch_s() const { return first_batch_s_; }       ///< seconds of the batch that held(); 0: not known
  double mean_batch_s() const { return mean_batch_s_; }         ///< of one of the epoch's mean size; 0: not known
  double page_faults() const { return page_faults_; }           ///< share of a measured batch's time; 0: few
  std::uint64_t rows() const { return rows_; }                  ///< rows of the result
  std::uint64_t batches() const { return batches_; }            ///< number that have run so far
  /// Number of batches of the whole job; nothing if no event had it.
  std::optional<std::uint64_t> batches_in_all() const { return batches_in_all_; }

  /// A line for the user.
  struct Note {
    std::string text;
    bool of_result = false;  ///< it limits the meaning of the measured times
  };
  const std::vector<Note>& notes() const { return notes_; }  ///< each once

  /// What the job did or is, where that differs from what a result assumes.
  struct Warning {
    std::string text, option;  ///< `option`: of `run`, settles it: "--batches 60"; may be empty
  };
  const std::vector<Warning>& warnings() const { return warnings_; }  ///< each once
  std::uint64_t first_trained() const { return first_trained_; }      ///< batch of a pass, from 1; 0: the first
  std::uint64_t left_after() const { return left_after_; }            ///< batches of a pass; 0: none was left early

  /// Why there is no result.
  struct Error {
    std::string fault, hint;  ///< `hint` may be empty
    int status = 0;           ///< exit status of the process
  };
  const std::optional<Error>& error() const { return error_; }  ///< the first error
  /// What a program did that trained on no batch. It is the reason if no other program has trained.
  const std::optional<Error>& untrained() const { return untrained_; }
  /// What a Python of seqpoint's own environment lacked. It is the reason if the job has failed before it trained.
  const std::optional<Error>& lacks() const { return lacks_; }

 private:
  struct Event;
  /// What was read of a file.
  struct Source {
    std::uint64_t read = 0;  ///< bytes
    std::string rest;        ///< a line that is not complete
  };
  bool read(const std::string& path, Source&);
  void take_held(const Event&);
  void take_done(const Event&);

  std::string path_;
  std::map<std::string, Source> sources_;  ///< by path
  std::string python_, loader_, counted_, uncounted_;
  std::vector<std::string> untouched_;
  std::set<std::string> kept_, imported_;
  std::map<std::string, FileState> touched_;
  std::set<std::int64_t> programs_, done_;  ///< ids of processes; finished ranks
  std::uint64_t ranks_ = 1, rows_ = 0, batches_ = 0;
  double first_batch_s_ = 0, mean_batch_s_ = 0, page_faults_ = 0;
  std::uint64_t parameters_ = 0, compilations_ = 0;
  std::optional<std::uint64_t> batches_in_all_;
  bool ordered_ = false;
  std::uint64_t first_trained_ = 0, left_after_ = 0;
  std::vector<Note> notes_;
  std::vector<Warning> warnings_;
  std::optional<Error> error_, untrained_, lacks_;
};

}  // namespace seqpoint::io::process
