#include "io/profiles/engine/trace_events.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <utility>
#include <vector>

#include "io/json/json_scan.hpp"
#include "io/json/ondemand.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::io::profiles::engine {

// --- The meaning of the categories of libkineto's events for a timeline (libkineto/include/ActivityType.h)

namespace {

/// Whether `text`, in lower case, equals `lower`. Before 1.9 PyTorch wrote "Kernel", "Runtime", "Operator".
bool same_word(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::equal(text.begin(), text.end(), lower.begin(), [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + ('a' - 'A')) : a) == b;
         });
}

}  // namespace

Category category_of(std::string_view cat) {
  constexpr std::array<std::pair<std::string_view, Category>, 22> kNames{
      {{"cpu_op", Category::cpu_op},
       {"kernel", Category::kernel},
       {"cuda_runtime", Category::runtime},
       {"cuda_driver", Category::runtime},
       {"gpu_memcpy", Category::copy},
       {"gpu_memset", Category::copy},
       {"user_annotation", Category::user_range},
       {"gpu_user_annotation", Category::device_range},
       {"xpu_runtime", Category::runtime},
       {"xpu_driver", Category::runtime},
       {"operator", Category::cpu_op},
       {"runtime", Category::runtime},
       {"memcpy", Category::copy},
       {"memset", Category::copy},
       {"python_function", Category::unused},
       {"overhead", Category::unused},
       {"trace", Category::unused},
       {"cuda_sync", Category::unused},
       {"cuda_event", Category::unused},
       {"cuda_profiler_range", Category::unused},
       {"xpu_sync", Category::unused},
       {"external_correlation", Category::unused}}};
  for (const auto& [name, category] : kNames)
    if (same_word(cat, name)) return category;
  return Category::unknown;
}

// --- A window that moves over a trace file, with the padding that simdjson needs

namespace {

constexpr std::size_t kLongestValue = 64 * 1024 * 1024;

/// The part of a trace that is in memory: some MiB, and more for a longer value. A small trace has a small window,
/// because clearing a full one would take longer than reading the trace.
class TraceWindow {
 public:
  static constexpr std::size_t kSize = 4 * 1024 * 1024;  ///< for a trace that is not smaller

  explicit TraceWindow(stream::Input& input) : input_(input), memory_(kFirst + kFront + stream::Block::kPadding) {}

  /// The bytes that use() has not consumed.
  std::string_view rest() const { return {memory_.data() + begin_, end_ - begin_}; }
  /// The beginning of rest(), to be changed. One byte before rest() and Block::kPadding bytes after it can be changed
  /// too.
  char* writable() { return memory_.data() + begin_; }
  /// Whether the window contains all of the trace that was not consumed.
  bool at_end() const { return at_end_; }
  /// Consumes the first `size` bytes of rest().
  void use(std::size_t size) { begin_ += size; }

  /// Moves unused bytes to the front and reads after them until the window is full; enlarges the window if nothing was
  /// used. Throws InputError if the window would become larger than 64 MiB.
  void advance();

 private:
  static constexpr std::size_t kFirst = 64 * 1024;
  static constexpr std::size_t kFront = 1;  ///< bytes before the events, for the "[" of a JSON array
  stream::Input& input_;
  std::vector<char> memory_;
  std::size_t begin_ = kFront, end_ = kFront;
  bool at_end_ = false;
};

void TraceWindow::advance() {
  constexpr std::size_t kWhole = kSize + kFront + stream::Block::kPadding;
  if (end_ + stream::Block::kPadding == memory_.size() && memory_.size() < kWhole) memory_.resize(kWhole);
  if (begin_ == kFront && end_ + stream::Block::kPadding == memory_.size()) {
    if (memory_.size() > kLongestValue)
      throw InputError({input_.name()}, "has a value longer than 64 MiB", "give a trace of a profiler");
    memory_.resize(2 * memory_.size());
  }
  std::copy(memory_.data() + begin_, memory_.data() + end_, memory_.data() + kFront);
  end_ = kFront + end_ - begin_;
  begin_ = kFront;
  while (!at_end_ && end_ + stream::Block::kPadding < memory_.size()) {
    const std::size_t got = input_.read(memory_.data() + end_, memory_.size() - stream::Block::kPadding - end_);
    at_end_ = got == 0;
    end_ += got;
  }
  std::fill(memory_.data() + end_, memory_.data() + end_ + stream::Block::kPadding, ' ');
}

// --- Events

using io::json::kIncomplete;

constexpr std::size_t kLongestMember = 64 * 1024;

/// Parses the members that readers need into `event`. False for an event that is not valid JSON.
bool read_event_fields(simdjson::ondemand::object& object, TraceEvent& event) {
  for (simdjson::simdjson_result<simdjson::ondemand::field> item : object) {
    simdjson::ondemand::field field;
    if (std::move(item).get(field)) return false;
    const auto key = field.key();
    std::string_view* to = nullptr;
    switch (key.raw()[0]) {
      case 'p': to = key.unsafe_is_equal("ph") ? &event.ph : key.unsafe_is_equal("pid") ? &event.pid : nullptr; break;
      case 'c': to = key.unsafe_is_equal("cat") ? &event.cat : nullptr; break;
      case 'n': to = key.unsafe_is_equal("name") ? &event.name : nullptr; break;
      case 't': to = key.unsafe_is_equal("ts") ? &event.ts : key.unsafe_is_equal("tid") ? &event.tid : nullptr; break;
      case 'd': to = key.unsafe_is_equal("dur") ? &event.dur : nullptr; break;
      default: break;
    }
    if (to != nullptr) {
      *to = io::json::unquoted(field.value().raw_json_token());
    } else if (key.unsafe_is_equal("args")) {
      simdjson::ondemand::object args;
      if (field.value().get_object().get(args) == simdjson::SUCCESS && args.raw_json().get(event.args)) return false;
    }
  }
  return true;
}

/// Parses a trace through a moving window. First it tries a batch: the text up to the last comma that seems to end an
/// event is parsed as one array. If that is not a valid array, the events of the window are parsed one by one.
class TraceReader {
 public:
  TraceReader(stream::Input& input, const std::function<void(const TraceEvent&)>& take)
      : input_(input), window_(input), callback_(take) {}

  /// Reads all of the trace.
  TraceSummary run() {
    window_.advance();
    if (window_.rest().starts_with("\xef\xbb\xbf")) window_.use(3);
    skip_blanks();
    if (peek() == '[') {
      read_events();
    } else if (peek() == '{') {
      window_.use(1);
      read_members();
    } else {
      throw InputError({input_.name()}, "is not the JSON of a trace", "give what the profiler exported");
    }
    input_.skip_to_end();
    return std::move(summary_);
  }

 private:
  /// Skips blanks. The next byte; '\0' at the end.
  char peek() {
    skip_blanks();
    return window_.rest().empty() ? '\0' : window_.rest().front();
  }
  void skip_blanks() {
    for (;;) {
      const std::string_view rest = window_.rest();
      const std::size_t blanks = io::json::skip_blanks(rest, 0);
      window_.use(blanks);
      if (blanks < rest.size() || window_.at_end()) return;
      window_.advance();
    }
  }
  /// The size of the next value, all of it in the window; kIncomplete if the file ends inside it.
  std::size_t size_of_value() {
    for (;;) {
      const std::size_t size = io::json::end_of_value(window_.rest(), 0);
      if (size != kIncomplete || window_.at_end()) return size;
      window_.advance();
    }
  }

  /// Reads an object after its opening bracket: the events, and other members into the summary's header unless they are
  /// longer than 64 KiB.
  void read_members() {
    for (;;) {
      while (peek() == ',') window_.use(1);
      if (peek() == '}') return;
      const std::size_t key_size = peek() == '"' ? size_of_value() : kIncomplete;
      if (key_size == kIncomplete) return void(summary_.truncated = true);
      const std::string key(io::json::unquoted(window_.rest().substr(0, key_size)));
      window_.use(key_size);
      if (peek() == ':') window_.use(1);
      if (key == "traceEvents" && peek() == '[') {
        read_events();
        if (summary_.truncated) return;
        continue;
      }
      if (peek() == '\0') return void(summary_.truncated = true);
      const std::size_t size = size_of_value();
      if (size == kIncomplete || size == 0) return void(summary_.truncated = true);
      if (size <= kLongestMember) summary_.header.emplace(key, window_.rest().substr(0, size));
      window_.use(size);
    }
  }

  /// Reads the array of events from its opening bracket on.
  void read_events() {
    window_.use(1);
    summary_.has_events = true;
    while (read_batch() || read_event()) continue;
  }

  /// Parses the window up to its last event boundary as one array, and passes its events on; false if that is not
  /// possible.
  bool read_batch() {
    constexpr std::size_t kSmallestBatch = 4096;
    if (window_.rest().size() < TraceWindow::kSize / 2 && !window_.at_end()) window_.advance();
    if (events_until_batch_ > 0) {  // a window that is not a plain array, up to its end
      --events_until_batch_;
      return false;
    }
    const std::size_t cut = last_event_boundary(window_.rest());
    if (cut < kSmallestBatch) return false;
    if (!parse_batch(cut)) {
      batch_.clear();
      events_until_batch_ = static_cast<std::size_t>(std::count(window_.rest().begin(), window_.rest().end(), '{'));
      return false;
    }
    for (const TraceEvent& event : batch_) callback_(event);
    summary_.events += batch_.size();
    batch_.clear();
    window_.use(cut + 1);  // and the comma
    return true;
  }

  /// The position of the last comma between a `}` and a `{`, apart from blanks; 0 if there is none.
  static std::size_t last_event_boundary(std::string_view text) {
    for (std::size_t comma = text.rfind(','); comma != std::string_view::npos && comma > 0;
         comma = text.rfind(',', comma - 1)) {
      std::size_t before = comma, behind = comma + 1;
      while (before > 0 && io::json::is_blank(text[before - 1])) --before;
      behind = io::json::skip_blanks(text, behind);
      if (before > 0 && text[before - 1] == '}' && behind < text.size() && text[behind] == '{') {
        // The comma becomes the closing bracket, so blanks before it do no harm.
        return comma;
      }
    }
    return 0;
  }

  /// Whether the first `size` bytes of the window are whole events, which are added to the batch. Restores the bytes
  /// around them.
  bool parse_batch(std::size_t size) {
    char* const begin = window_.writable();
    const char before = std::exchange(begin[-1], '['), behind = std::exchange(begin[size], ']');
    const bool good = parse_events(begin - 1, size + 2);
    begin[-1] = before;
    begin[size] = behind;
    return good;
  }
  /// Opens a text for parsing; false if that fails. Throws bad_alloc if memory ran out.
  bool open(const char* text, std::size_t size, simdjson::ondemand::document& document) {
    const auto error = parser_.iterate(text, size, size + stream::Block::kPadding).get(document);
    if (error == simdjson::MEMALLOC) throw std::bad_alloc();
    return !error;
  }
  /// Adds the events of a text that is one array to the batch; false if it is not such an array.
  bool parse_events(const char* text, std::size_t size) {
    simdjson::ondemand::document document;
    simdjson::ondemand::array array;
    if (!open(text, size, document) || document.get_array().get(array)) return false;
    for (auto element : array) {
      simdjson::ondemand::object object;
      if (element.get_object().get(object)) return false;
      if (!read_event_fields(object, batch_.emplace_back())) return false;
    }
    return io::json::is_at_end(document);
  }

  /// Parses one event by itself and passes it on; a damaged one is counted. False at the end of the array, or of the
  /// file.
  bool read_event() {
    while (peek() == ',') window_.use(1);
    if (peek() == ']') {
      window_.use(1);
      return false;
    }
    const std::size_t size = peek() == '{' ? size_of_value() : kIncomplete;
    if (size == kIncomplete || peek() != '{') {
      summary_.truncated = true;
      return false;
    }
    TraceEvent event;
    simdjson::ondemand::document document;
    simdjson::ondemand::object object;
    const bool good = open(window_.writable(), size, document) && !document.get_object().get(object) &&
                      read_event_fields(object, event) && io::json::is_at_end(document);
    if (good) callback_(event);
    ++(good ? summary_.events : summary_.damaged);
    window_.use(size);
    return true;
  }

  stream::Input& input_;
  TraceWindow window_;
  const std::function<void(const TraceEvent&)>& callback_;
  simdjson::ondemand::parser parser_;
  std::vector<TraceEvent> batch_;
  std::size_t events_until_batch_ = 0;  ///< number of events to parse one by one before the next batch
  TraceSummary summary_;
};

}  // namespace

std::string unescaped(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  const auto json = nlohmann::json::parse('"' + std::string(text) + '"', nullptr, false);
  return json.is_string() ? json.get<std::string>() : std::string(text);
}

TraceSummary read_trace_events(stream::Input& input, const std::function<void(const TraceEvent&)>& take) {
  return TraceReader(input, take).run();
}

}  // namespace seqpoint::io::profiles::engine
