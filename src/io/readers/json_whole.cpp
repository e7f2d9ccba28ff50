#include "json_whole.hpp"

#include <algorithm>

namespace seqpoint {

static_assert(Block::kPadding >= simdjson::SIMDJSON_PADDING);

bool at_end(simdjson::ondemand::document& document) {
  const char* behind = nullptr;
  return document.current_location().get(behind) == simdjson::OUT_OF_BOUNDS;
}

WholeJson::WholeJson(Input& input) : text_(input.read_all()) {
  if (text_.starts_with("\xef\xbb\xbf")) text_.erase(0, 3);
  size_ = text_.size();
  text_.append(Block::kPadding, '\0');
  counted_ = text_.data();
}

std::uint64_t WholeJson::line_of(simdjson::ondemand::value& value) {
  const char* at = nullptr;
  if (value.current_location().get(at) != simdjson::SUCCESS) return line_;
  line_ += static_cast<std::uint64_t>(std::count(counted_, at, '\n'));
  counted_ = at;
  return line_;
}

}  // namespace seqpoint
