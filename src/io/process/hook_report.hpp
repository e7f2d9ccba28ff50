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
#include "io/text/secrets.hpp"

namespace seqpoint::io::process {

/// What a job did or is, where that differs from what a result assumes.
struct JobWarning {
  std::string text, option;  ///< `option`: of `run`, settles it: "--batches 60"; may be empty
};

/// What a job is and did, as far as its processes have reported it.
struct JobFacts {
  std::string python{};                  ///< version; empty: no Python process has begun
  std::string loader{}, counted{};       ///< the loop that was held, and the dimension that is the length; may be empty
  double first_batch_s = 0,              ///< seconds of the batch at which the loop was held; 0: not known
      mean_batch_s = 0,                  ///< of one of the epoch's mean size, by the next batches; 0: not known
      loader_s = 0;                      ///< until the loop's loader had started and delivered a batch; 0: not known
  double draws = 0;                      ///< standard deviation, a share, of the padded tokens of draws of the sampler;
                                         ///< 0: not known
  double waited_s = 0;                   ///< in which the other process of its duet ran
  bool in_duet = false;                  ///< whether it ran all points in turns with another build's process
  bool another_draw = false;             ///< whether it drew other batches than the start that made the order
  std::uint64_t batches = 0;             ///< rows of the result
  std::uint64_t parameters = 0,          ///< that the job trains; 0: not known
      compilations = 0;                  ///< graphs that torch.compile has made, the most of any rank
  std::vector<std::string> untouched{};  ///< what was kept from the user's services, each once
  std::vector<JobWarning> warnings{};    ///< each once
  std::uint64_t stated = 0,         ///< batches that the framework around the loop states, as by max_steps; 0: none
      of_pass = 0;                  ///< beside them, the batches of a pass over the loader
  std::uint64_t first_trained = 0,  ///< batch of a pass, from 1, with which training began; 0: the first
      left_after = 0;               ///< batches after which the job left its loader; 0: it did not
};

/// The events reported by one start of a job so far.
class HookReport {
 public:
  /// `path`: a file that need not exist yet; empty: events are added as lines only. Texts for the user are without
  /// these secrets.
  explicit HookReport(std::string path = {}, text::Secrets secrets = {})
      : path_(std::move(path)), secrets_(std::move(secrets)) {}

  /// Reads complete lines that the file, and those of other machines beside it, PATH.HOST, got since the last call.
  /// Returns whether any of them is an event other than `started` and `imported`: the job works. False if no file
  /// exists.
  bool read();
  /// Adds one event, a line of JSON. Returns false for `started` and `imported`, and for a line that is not an object,
  /// which is skipped; else true, also for an unknown event.
  bool take(std::string_view line);

  const JobFacts& facts() const { return facts_; }
  bool started() const { return !facts_.python.empty(); }  ///< whether any Python process had the hook
  /// The library that a job without PyTorch has imported, such as jax; "numpy" if that is all, empty if none is known.
  /// Nothing if it has imported PyTorch, or no Python process has begun.
  std::optional<std::string> library() const;
  bool held() const { return !programs_.empty(); }  ///< whether a training loader was found
  bool is_alone() const { return alone_; }          ///< whether it goes on without the other process of its duet
  /// Whether the order is written, and the job waits for the plan.
  bool ordered() const { return ordered_; }
  /// Whether all ranks have delivered their result.
  bool done() const { return !done_.empty() && done_.size() >= ranks_; }
  /// Number of independent training programs; the ranks of a distributed job count as one.
  std::size_t programs() const { return ranks_ > 1 ? 1 : programs_.size(); }
  const std::string& uncounted() const { return uncounted_; }  ///< dimensions that the length leaves out; may be empty
  /// Old files and folders that the job has changed or removed for itself only.
  const std::set<std::string>& kept() const { return kept_; }
  /// Old files that calls were to change which are not replaced, as they were before.
  const std::map<std::string, FileState>& touched() const { return touched_; }
  std::uint64_t batches() const { return batches_; }  ///< number that have run so far
  /// Number of batches of the whole job; nothing if no event had it.
  std::optional<std::uint64_t> batches_in_all() const { return batches_in_all_; }

  /// A line for the user.
  struct Note {
    std::string text;
    bool of_result = false;  ///< it limits the meaning of the measured times
  };
  const std::vector<Note>& notes() const { return notes_; }  ///< each once
  /// Lines to be printed while the job goes on, each once.
  const std::vector<std::string>& meanwhile() const { return meanwhile_; }

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
  text::Secrets secrets_;
  std::map<std::string, Source> sources_;  ///< by path
  JobFacts facts_;
  std::string uncounted_;
  std::set<std::string> kept_, imported_;
  std::map<std::string, FileState> touched_;
  std::set<std::int64_t> programs_, done_;  ///< ids of processes; finished ranks
  std::uint64_t ranks_ = 1, batches_ = 0;
  std::optional<std::uint64_t> batches_in_all_;
  bool ordered_ = false, alone_ = false;
  std::vector<Note> notes_;
  std::vector<std::string> meanwhile_;
  std::optional<Error> error_, untrained_, lacks_;
};

}  // namespace seqpoint::io::process
