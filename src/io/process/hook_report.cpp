#include "io/process/hook_report.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

namespace seqpoint::io::process {
namespace {

/// The line with Python's escapes for bytes that are not UTF-8, \udc80 to \udcff without a first half of a pair,
/// replaced by U+FFFD: alone they are no JSON.
std::string without_bytes(std::string_view line) {
  std::string text(line);
  for (std::size_t at = 0; (at = text.find("\\udc", at)) != std::string::npos; at += 6) {
    const bool second = at >= 6 && text[at - 6] == '\\' && text[at - 5] == 'u' && text[at - 4] == 'd' &&
                        std::string_view("89ab").find(text[at - 3]) != std::string_view::npos;
    if (!second && at + 6 <= text.size()) text.replace(at, 6, "\\ufffd");
  }
  return text;
}

}  // namespace

bool HookReport::read() {
  std::ifstream file(path_, std::ios::binary);
  if (!file.seekg(static_cast<std::streamoff>(read_))) return false;
  std::array<char, 4096> piece{};
  while (file.read(piece.data(), piece.size()), file.gcount() > 0) {
    rest_.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    read_ += static_cast<std::uint64_t>(file.gcount());
  }
  bool any = false;
  for (std::size_t end = 0; (end = rest_.find('\n')) != std::string::npos; rest_.erase(0, end + 1))
    any = take(std::string_view(rest_).substr(0, end)) || any;
  return any;
}

bool HookReport::take(std::string_view line) {
  const auto event = nlohmann::json::parse(without_bytes(line), nullptr, false);
  if (!event.is_object()) return false;
  const auto text = [&](const char* key) {
    return event.contains(key) && event[key].is_string() ? event[key].get<std::string>() : std::string();
  };
  const auto number = [&](const char* key) -> std::optional<std::int64_t> {
    if (!event.contains(key) || !event[key].is_number_integer()) return std::nullopt;
    return event[key].get<std::int64_t>();
  };
  const auto count = [&](const char* key) { return static_cast<std::uint64_t>(number(key).value_or(0)); };
  const std::string kind = text("event");
  if (kind == "started") {
    python_ = text("python");
    return false;
  }
  if (kind == "held") {
    programs_.insert(number("pid").value_or(0));
    ranks_ = std::max<std::uint64_t>(ranks_, count("world_size"));
    if (loader_.empty()) loader_ = text("loader");
    if (number("batches")) batches_in_all_ = count("batches");
    parameters_ = count("parameters");
    if (event.contains("batch_s") && event["batch_s"].is_number()) first_batch_s_ = event["batch_s"];
  } else if (kind == "lengths") {
    counted_ = text("counted");
    uncounted_ = text("uncounted");
  } else if (kind == "untouched") {
    if (std::ranges::find(untouched_, text("text")) == untouched_.end()) untouched_.push_back(text("text"));
  } else if (kind == "progress") {
    batches_ = count("done");
    if (number("of")) batches_in_all_ = count("of");
  } else if (kind == "done") {
    const std::int64_t rank = number("rank").value_or(0);
    done_.insert(rank);
    compilations_ = std::max(compilations_, count("compilations"));
    if (rank == 0) rows_ = count("rows");
  } else if (kind == "note") {
    if (std::ranges::find(notes_, text("text"), &Note::text) == notes_.end())
      notes_.push_back({text("text"), event.value("of_result", nlohmann::json()) == true});
  } else if (kind == "untrained") {
    untrained_ = {text("fault"), text("hint")};
  } else if (kind == "error" && !error_) {
    error_ = {text("fault"), text("hint"), static_cast<int>(number("status").value_or(0))};
  }
  return true;
}

}  // namespace seqpoint::io::process
