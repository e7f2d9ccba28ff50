/// \file
/// What the processes of a job tell that the companion holds: python/seqpoint_companion/hooked.py is the contract.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::io::process {

/// The events of one start of a job, as far as they are told.
class HookReport {
 public:
  /// `path`: a file that need not be there yet; empty: there are lines alone.
  explicit HookReport(std::string path = {}) : path_(std::move(path)) {}

  /// Takes in what was added to the file. Whether batches came, or anything else that a job in hand says.
  bool read();
  /// Takes in one event; one that is none is passed over. Returns as read().
  bool take(std::string_view line);

  bool started() const { return !python_.empty(); }      ///< whether any Python process had the hook
  const std::string& python() const { return python_; }  ///< its version
  bool held() const { return !programs_.empty(); }       ///< whether a training loader was found
  /// Whether all ranks have brought their result.
  bool done() const { return !done_.empty() && done_.size() >= ranks_; }
  std::size_t programs() const { return ranks_ > 1 ? 1 : programs_.size(); }  ///< that train, each for itself
  std::uint64_t rows() const { return rows_; }                                ///< of the result
  std::uint64_t batches() const { return batches_; }                          ///< that have run so far
  std::optional<std::uint64_t> batches_in_all() const { return batches_in_all_; }

  /// A line for the user.
  struct Note {
    std::string text;
    bool of_result = false;  ///< it limits the meaning of the measured times
  };
  const std::vector<Note>& notes() const { return notes_; }  ///< each once

  /// Why there is no result.
  struct Error {
    std::string fault, hint;  ///< `hint` may be empty
    int status = 0;           ///< that the process ends with
  };
  const std::optional<Error>& error() const { return error_; }  ///< the first

 private:
  std::string path_, rest_;
  std::uint64_t read_ = 0;  ///< bytes of the file
  std::string python_;
  std::set<std::int64_t> programs_, done_;  ///< process ids; ranks
  std::uint64_t ranks_ = 1, rows_ = 0, batches_ = 0;
  std::optional<std::uint64_t> batches_in_all_;
  std::vector<Note> notes_;
  std::optional<Error> error_;
};

}  // namespace seqpoint::io::process
