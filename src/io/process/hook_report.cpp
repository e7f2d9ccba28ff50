#include "io/process/hook_report.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace seqpoint::io::process {
namespace {

constexpr auto kAnyJobs = "numpy";  ///< a library that most jobs import, whatever they train with

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
  namespace fs = std::filesystem;
  const fs::path own(path_);
  const std::string of_others = own.filename().string() + ".";
  std::error_code error;
  sources_.try_emplace(path_);
  for (fs::directory_iterator at(own.parent_path(), error), end; !error && at != end; at.increment(error))
    if (at->path().filename().string().starts_with(of_others)) sources_.try_emplace(at->path().string());
  bool any = false;
  for (auto& [path, source] : sources_) any = read(path, source) || any;
  return any;
}

bool HookReport::read(const std::string& path, Source& source) {
  std::ifstream file(path, std::ios::binary);
  if (!file.seekg(static_cast<std::streamoff>(source.read))) return false;
  std::array<char, 4096> piece{};
  while (file.read(piece.data(), piece.size()), file.gcount() > 0) {
    source.rest.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    source.read += static_cast<std::uint64_t>(file.gcount());
  }
  bool any = false;
  std::string& rest = source.rest;
  for (std::size_t end = 0; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
    any = take(std::string_view(rest).substr(0, end)) || any;
  return any;
}

/// A line of the report, a JSON object. What is missing, or of another type, is empty.
struct HookReport::Event {
  nlohmann::json json;
  const text::Secrets& secrets;

  std::string text(const char* key) const {
    return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
  }
  /// A text for the user.
  std::string shown(const char* key) const { return secrets.hidden_in(text(key)); }
  std::optional<std::int64_t> number(const char* key) const {
    if (!json.contains(key) || !json[key].is_number_integer()) return std::nullopt;
    return json[key].get<std::int64_t>();
  }
  std::uint64_t count(const char* key) const { return static_cast<std::uint64_t>(number(key).value_or(0)); }
  double seconds(const char* key) const {
    return json.contains(key) && json[key].is_number() ? json[key].get<double>() : 0;
  }
};

bool HookReport::take(std::string_view line) {
  const Event event{nlohmann::json::parse(without_bytes(line), nullptr, false), secrets_};
  if (!event.json.is_object()) return false;
  const std::string kind = event.text("event"), text = event.shown("text");
  if (kind == "started") {
    facts_.python = event.text("python");
    return false;
  }
  if (kind == "imported") {
    imported_.insert(event.text("library"));
    return false;
  }
  if (kind == "held") {
    take_held(event);
  } else if (kind == "lengths") {
    facts_.counted = event.shown("counted");
    uncounted_ = event.shown("uncounted");
  } else if (kind == "ordered") {
    ordered_ = true;
    if (event.number("rank").value_or(0) == 0) facts_.batches = event.count("rows");
  } else if (kind == "pace") {
    facts_.mean_batch_s = event.seconds("batch_s");
  } else if (kind == "steps") {
    facts_.stated = event.count("batches");
    facts_.of_pass = event.count("of");
  } else if (kind == "draws") {
    facts_.draws = event.seconds("spread");
  } else if (kind == "another draw") {
    facts_.another_draw = true;
  } else if (kind == "duet") {
    facts_.waited_s = event.seconds("waited_s");
    facts_.in_duet = event.json.value("whole", nlohmann::json()) == true;
  } else if (kind == "alone") {
    alone_ = true;
  } else if (kind == "untouched") {
    if (std::ranges::find(facts_.untouched, text) == facts_.untouched.end()) facts_.untouched.push_back(text);
  } else if (kind == "kept") {
    kept_.insert(event.text("path"));
  } else if (kind == "touched") {
    touched_.try_emplace(event.text("path"),
                         FileState{event.count("inode"), event.count("size"), event.number("mtime").value_or(0)});
  } else if (kind == "progress") {
    batches_ = event.count("done");
    if (event.number("of")) batches_in_all_ = event.count("of");
  } else if (kind == "done") {
    take_done(event);
  } else if (kind == "note") {
    if (std::ranges::find(notes_, text, &Note::text) == notes_.end())
      notes_.push_back({text, event.json.value("of_result", nlohmann::json()) == true});
  } else if (kind == "meanwhile") {
    if (std::ranges::find(meanwhile_, text) == meanwhile_.end()) meanwhile_.push_back(text);
  } else if (kind == "warning") {
    if (std::ranges::find(facts_.warnings, text, &JobWarning::text) == facts_.warnings.end())
      facts_.warnings.push_back({text, event.text("option")});
  } else if (kind == "part") {
    if (event.number("first")) facts_.first_trained = event.count("first");
    if (event.number("last")) facts_.left_after = event.count("last");
  } else if (kind == "untrained") {
    untrained_ = {event.shown("fault"), event.shown("hint")};
  } else if (kind == "lacks") {
    lacks_ = {event.shown("fault"), event.shown("hint")};
  } else if (kind == "error" && !error_) {
    error_ = {event.shown("fault"), event.shown("hint"), static_cast<int>(event.number("status").value_or(0))};
  }
  return true;
}

std::optional<std::string> HookReport::library() const {
  if (imported_.contains("torch") || !started()) return std::nullopt;
  const auto trains = [](const std::string& name) { return name != kAnyJobs; };
  const auto found = std::ranges::find_if(imported_, trains);
  return found != imported_.end() ? *found : imported_.empty() ? "" : kAnyJobs;
}

void HookReport::take_held(const Event& event) {
  programs_.insert(event.number("pid").value_or(0));
  ranks_ = std::max<std::uint64_t>(ranks_, event.count("world_size"));
  if (facts_.loader.empty()) facts_.loader = event.shown("loader");
  if (event.number("batches")) batches_in_all_ = event.count("batches");
  facts_.parameters = event.count("parameters");
  facts_.first_batch_s = event.seconds("batch_s");
  facts_.loader_s = event.seconds("loader_s");
}

void HookReport::take_done(const Event& event) {
  const std::int64_t rank = event.number("rank").value_or(0);
  done_.insert(rank);
  facts_.compilations = std::max(facts_.compilations, event.count("compilations"));
  if (rank == 0) facts_.batches = event.count("rows");
}

}  // namespace seqpoint::io::process
