// Instruction data and conversations: text, whose lengths only the model's tokenizer knows. It is counted by
// --tokenizer, or by an estimate that the user names as length field; else it is refused, with a hint.
#include <fmt/core.h>

#include <array>

#include "io/json/first_record.hpp"
#include "io/json/json_scan.hpp"
#include "io/manifests/engine/columns.hpp"
#include "io/manifests/engine/json_fields.hpp"
#include "io/manifests/engine/json_records.hpp"
#include "io/manifests/formats/formats.hpp"
#include "io/manifests/record_sets.hpp"
#include "io/manifests/token_count.hpp"

namespace seqpoint::io::manifests::formats {
namespace {

namespace json = io::json;

constexpr std::string_view kWords = "estimate-words", kBytes = "estimate-bytes";
constexpr auto kAlpacaKeys = "instruction+input+output", kCompletionKeys = "prompt+completion";
constexpr std::uint64_t kBytesPerToken = 4;
constexpr auto kCountHint =
    "count it by a SentencePiece model (--tokenizer FILE), or by the job's own tokenizer "
    "(examples/pytorch/lengths.py); or take an estimate: --length-field estimate-words (words between blanks) or "
    "--length-field estimate-bytes (a token for 4 bytes)";

bool is_estimate(std::string_view field) { return field == kWords || field == kBytes; }

enum class CountBy { tokenizer, words, bytes };

/// A record whose length is that of its texts. Texts are valid until the next record is read.
class TextRecord : public engine::JsonRecord {
 public:
  explicit TextRecord(CountBy by) : by_(by) {}

  void store(std::uint64_t line, RowSink& rows) const override {
    const ReadOptions& options = rows.file.options();
    std::uint64_t total = 0;
    for (const std::string_view text : texts_) total += count(text, rows);
    rows.counts.blank += total == 0 ? 1 : 0;
    if (by_ == CountBy::bytes) total = (total + kBytesPerToken - 1) / kBytesPerToken;
    total +=
        messages_ * options.message_tokens + options.conversation_tokens + rows.text.symbols(rows.file.is_target());
    ++rows.counts.conversations;
    rows.counts.messages += messages_;
    rows.counts.uncounted += uncounted_ ? 1 : 0;
    rows.add_counted(line, total);
  }

 protected:
  void clear() {
    texts_.clear();
    messages_ = 0;
    uncounted_ = false;
  }
  void add_text(json::Value value) { add_text(value.take_text()); }
  void add_text(std::string_view text) { texts_.push_back(text); }

  /// The turns of a conversation: objects with the text in `content` (OpenAI, TRL) or `value` (ShareGPT).
  void add_messages(json::Value turns) {
    static const json::KeySet kKeys{"content", "value", "tool_calls"};
    turns.for_each_element([&](json::Value turn) {
      ++messages_;
      turn.for_each_member(kKeys, [&](std::size_t which, json::Value value) {
        if (which == 2)
          uncounted_ = uncounted_ || !(value.token().starts_with('n') || value.is_empty());
        else
          add_content(value);
      });
    });
  }

 private:
  /// Text; null, of a message that only calls tools; or parts, of which those with a text count.
  void add_content(json::Value content) {
    if (content.token().starts_with('n')) return;
    if (!content.token().starts_with('[')) return add_text(content);
    static const json::KeySet kText{"text"};
    content.for_each_element([&](json::Value part) {
      bool is_text = false;
      part.for_each_member(kText, [&](std::size_t, json::Value text) {
        add_text(text);
        is_text = true;
      });
      uncounted_ = uncounted_ || !is_text;
    });
  }
  std::uint64_t count(std::string_view text, RowSink& rows) const {
    if (by_ == CountBy::bytes) return text.size();
    return by_ == CountBy::words ? count_tokens(text, TextSplit::whitespace) : rows.text.pieces(text);
  }

  CountBy by_;
  std::vector<std::string_view> texts_;
  std::uint64_t messages_ = 0;
  bool uncounted_ = false;  ///< there is something in it that is no text
};

class AlpacaRecord : public TextRecord {
 public:
  using TextRecord::TextRecord;
  void walk(json::Value record) override {
    static const json::KeySet kKeys{"instruction", "input", "output"};
    clear();
    record.for_each_member(kKeys, [&](std::size_t, json::Value text) { add_text(text); });
  }
};

/// The turns under one key: a record may hold the same conversation in two forms.
class ConversationRecord : public TextRecord {
 public:
  void walk(json::Value record) override {
    clear();
    record.for_each_member(keys_, [&](std::size_t, json::Value turns) { add_messages(turns); });
  }

 protected:
  ConversationRecord(CountBy by, std::string_view key) : TextRecord(by), keys_{key} {}

 private:
  json::KeySet keys_;
};

class ShareGptRecord : public ConversationRecord {
 public:
  explicit ShareGptRecord(CountBy by) : ConversationRecord(by, "conversations") {}
};

class MessagesRecord : public ConversationRecord {
 public:
  explicit MessagesRecord(CountBy by) : ConversationRecord(by, "messages") {}
};

/// Text or messages. Texts are counted as one, as TRL joins them before it tokenizes them.
class CompletionRecord : public TextRecord {
 public:
  using TextRecord::TextRecord;
  void walk(json::Value record) override {
    static const json::KeySet kKeys{"prompt", "completion"};
    clear();
    std::array<std::string_view, 2> parts{};
    record.for_each_member(kKeys, [&](std::size_t which, json::Value value) {
      if (value.token().starts_with('['))
        add_messages(value);
      else
        parts[which] = value.take_text();
    });
    joined_ = fmt::format("{}{}", parts[0], parts[1]);
    add_text(joined_);
  }

 private:
  std::string joined_;
};

/// Lists of objects are no lengths where nobody says how to count them.
void refuse_to_count(const RowSink& sink, const std::string& field) {
  if (field.empty())
    throw InputError({sink.file.path()}, "holds text, whose lengths only the model's tokenizer knows", kCountHint);
  throw InputError({sink.file.path(), 0, field}, "is a list of objects, whose number is no length", kCountHint);
}

void tell_counting(RowSink& sink, CountBy by) {
  if (by == CountBy::words) sink.note("the lengths are an estimate: words between blanks, no tokenizer was run");
  if (by == CountBy::bytes)
    sink.note("the lengths are an estimate: a token for 4 bytes of UTF-8, no tokenizer was run");
  const ReadOptions& options = sink.file.options();
  if (by == CountBy::tokenizer && sink.counts.messages > 0 && options.message_tokens == 0 &&
      options.conversation_tokens == 0)
    sink.note(
        "the lengths are those of the text alone; --message-tokens and --conversation-tokens add what the chat "
        "template "
        "writes around it");
  if (sink.counts.uncounted > 0)
    sink.note(
        fmt::format("conversations with parts that are no text (images, calls of tools), which are not counted: {}",
                    sink.counts.uncounted));
}

/// `name`: of the keys with the text.
template <class Record>
void read_text_records(stream::Input& input, RowSink& sink, const std::string& name) {
  const std::string field = sink.file.requested_field();
  const bool estimate = is_estimate(field);
  if (!field.empty() && !estimate && field != name) return engine::read_json_field(input, sink, field);
  if (!estimate && !sink.text.has_tokenizer()) refuse_to_count(sink, field);
  if (estimate && sink.text.has_tokenizer())
    throw UsageError(fmt::format("--tokenizer and --length-field {} both say how to count", field),
                     "leave one of them out");
  const CountBy by = !estimate ? CountBy::tokenizer : field == kWords ? CountBy::words : CountBy::bytes;
  sink.set_columns(field.empty() ? name : field, "", lengths::LengthUnit::tokens);
  engine::read_json_records(input, sink, [by] { return std::make_unique<Record>(by); });
  const bool blank = sink.rows.size() > 0 && sink.counts.blank == sink.rows.size();
  if (!sink.file.options().is_excerpt && (blank || (estimate && are_doubtful(sink.rows.src))))
    throw InputError({sink.file.path()},
                     "every text is empty or as long as the others: it is not where it is looked for",
                     "add a key 'length' with the number of tokens");
  tell_counting(sink, by);
}

/// Text, and no lengths beside it, or they are not wanted.
bool lacks_lengths(const Probe& probe, const json::FirstRecord& record, std::string_view name) {
  const bool stated = !engine::usual_length_column(record.number_keys()).empty() || record.has_array("input_ids");
  return probe.length_field.empty() ? !stated : is_estimate(probe.length_field) || probe.length_field == name;
}

/// Whether a key holds a list of objects; an empty list may.
bool has_objects(const json::FirstRecord& record, std::string_view key) {
  const std::string_view value = record.value(key);
  if (!value.starts_with('[')) return false;
  const std::size_t first = json::skip_blanks(value, 1);
  return first < value.size() && (value[first] == '{' || value[first] == ']');
}

bool is_alpaca(const Probe& probe) {
  const json::FirstRecord record(probe.head);
  return record.has("instruction") && record.has("output") && lacks_lengths(probe, record, kAlpacaKeys);
}
bool is_sharegpt(const Probe& probe) {
  const json::FirstRecord record(probe.head);
  return has_objects(record, "conversations") && lacks_lengths(probe, record, "conversations");
}
bool is_messages(const Probe& probe) {
  const json::FirstRecord record(probe.head);
  return has_objects(record, "messages") && lacks_lengths(probe, record, "messages");
}
bool is_completion(const Probe& probe) {
  const json::FirstRecord record(probe.head);
  return record.has("prompt") && record.has("completion") && lacks_lengths(probe, record, kCompletionKeys);
}

void read_alpaca(stream::Input& input, RowSink& sink) { read_text_records<AlpacaRecord>(input, sink, kAlpacaKeys); }
void read_sharegpt(stream::Input& input, RowSink& sink) {
  read_text_records<ShareGptRecord>(input, sink, "conversations");
}
void read_messages(stream::Input& input, RowSink& sink) { read_text_records<MessagesRecord>(input, sink, "messages"); }
void read_completion(stream::Input& input, RowSink& sink) {
  read_text_records<CompletionRecord>(input, sink, kCompletionKeys);
}

}  // namespace

const Reader kAlpaca{
    .name = "alpaca",
    .summary = "Alpaca's instruction data: text, by --tokenizer or an estimate (--length-field estimate-words)",
    .example = R"([{"instruction": "Add up.", "input": "1 2", "output": "3"}])",
    .recognises = is_alpaca,
    .read = read_alpaca,
    .copy_records = copy_text<engine::walk_json>,
};
const Reader kShareGpt{
    .name = "sharegpt",
    .summary = "ShareGPT's conversations: text, by --tokenizer or an estimate (--length-field estimate-words)",
    .example = R"([{"id": "1", "conversations": [{"from": "human", "value": "Hello"}]}])",
    .recognises = is_sharegpt,
    .read = read_sharegpt,
    .copy_records = copy_text<engine::walk_json>,
};
const Reader kMessages{
    .name = "messages",
    .summary = "conversations of role and content: text, by --tokenizer or an estimate (--length-field estimate-words)",
    .example = R"({"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]})",
    .recognises = is_messages,
    .read = read_messages,
    .copy_records = copy_text<engine::walk_json>,
};
const Reader kPromptCompletion{
    .name = "prompt-completion",
    .summary = "prompts with their completions, text or messages: by --tokenizer or an estimate, both as one sample",
    .example = R"({"prompt": "The sky is", "completion": " blue."})",
    .recognises = is_completion,
    .read = read_completion,
    .copy_records = copy_text<engine::walk_json>,
};

}  // namespace seqpoint::io::manifests::formats
