#include "io/manifests/containers/energon_splits.hpp"

#include <algorithm>
#include <cstdint>

#include "io/text/number.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/files.hpp"

namespace seqpoint::io::manifests::containers {
namespace {

std::string plain(std::string_view text) {
  text = text::trim(text);
  const bool quoted = text.size() >= 2 && (text.front() == '\'' || text.front() == '"') && text.back() == text.front();
  return std::string(quoted ? text.substr(1, text.size() - 2) : text);
}

class SplitsParser {
 public:
  explicit SplitsParser(const std::string& source) : source_(source) {}

  EnergonSplits parse(std::string_view yaml) {
    while (!yaml.empty()) take(stream::take_line(yaml));
    return std::move(splits_);
  }

 private:
  void take(std::string_view line) {
    ++line_;
    const std::string_view text = text::trim(line);
    if (text.empty() || text.starts_with('#') || text == "---") return;
    if (text.starts_with("- ")) {
      if (list_ == nullptr) fail();
      return list_->push_back(plain(text.substr(2)));
    }
    const auto colon = text.find(':');
    if (colon == std::string_view::npos) fail();
    const std::string key = plain(text.substr(0, colon));
    const std::string_view value = text::trim(text.substr(colon + 1));
    const bool is_top = line.front() != ' ';
    if (is_top) within_splits_ = key == "split_parts";
    list_ = nullptr;
    if (is_top && key == "exclude") list_ = &splits_.excluded;
    if (!is_top && within_splits_) {
      splits_.splits.push_back({key, {}});
      list_ = &splits_.splits.back().shards;
    }
    if (!value.empty()) take_inline(value);
  }

  /// [a, b]; of keys that do not matter, anything.
  void take_inline(std::string_view value) {
    if (list_ == nullptr) return;
    if (!value.starts_with('[') || !value.ends_with(']')) fail();
    value = value.substr(1, value.size() - 2);
    if (value.find('{') != std::string_view::npos) fail();  // a pattern may have commas of its own
    while (!text::trim(value).empty()) {
      const auto comma = std::min(value.find(','), value.size());
      list_->push_back(plain(value.substr(0, comma)));
      value.remove_prefix(std::min(comma + 1, value.size()));
    }
  }

  [[noreturn]] void fail() const {
    throw InputError({source_, line_},
                     "is no split.yaml as energon prepare writes it: keys, and a list of shards below",
                     "give the shards themselves, or .nv-meta/.info.json for all of them");
  }

  const std::string& source_;
  EnergonSplits splits_;
  std::vector<std::string>* list_ = nullptr;  ///< that names below a key go to; null: the key has none
  bool within_splits_ = false;
  std::uint64_t line_ = 0;
};

}  // namespace

EnergonSplits read_energon_splits(const std::string& source, std::string_view yaml) {
  return SplitsParser(source).parse(yaml);
}

}  // namespace seqpoint::io::manifests::containers
