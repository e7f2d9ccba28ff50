/// \file
/// Numbers for the ids of processes and threads, which are text in traces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace seqpoint::io::profiles::engine {

/// Ids of "pid" or "pid tid" by their text; most events have the same thread as the previous one.
class TextIds {
 public:
  /// The number of a text, or of a pair of texts, from 0 in order of appearance.
  std::uint32_t id(std::string_view first, std::string_view second = {}) {
    if (first == last_first_ && second == last_second_ && !last_.empty()) return id_;
    last_.assign(first).append(1, ' ').append(second);
    id_ = static_cast<std::uint32_t>(ids_.try_emplace(last_, ids_.size()).first->second);
    last_first_ = std::string_view(last_).substr(0, first.size());
    last_second_ = std::string_view(last_).substr(first.size() + 1);
    return id_;
  }

 private:
  std::unordered_map<std::string, std::size_t> ids_;
  std::string last_;
  std::string_view last_first_, last_second_;
  std::uint32_t id_ = 0;
};

}  // namespace seqpoint::io::profiles::engine
