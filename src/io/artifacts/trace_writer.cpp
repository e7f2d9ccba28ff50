#include <array>
#include <charconv>
#include <cstring>

#include "io/artifacts/files.hpp"
#include "io/text/number.hpp"

namespace seqpoint::io::artifacts {
namespace {

/// The texts of 0 to 999, each followed by the number of its digits. Most lengths are one or two such texts.
struct ThreeDigits {
  using Text = std::array<char, 4>;
  std::array<Text, 1000> padded{};  ///< with leading zeros
  std::array<Text, 1000> plain{};   ///< without
  /// Fills both tables: for 7, `padded` has "007" and 3, `plain` has "7" and 1, in the last byte.
  constexpr ThreeDigits() {
    for (std::size_t n = 0; n < padded.size(); ++n) {
      padded[n] = {static_cast<char>('0' + n / 100), static_cast<char>('0' + n / 10 % 10),
                   static_cast<char>('0' + n % 10), 3};
      const std::size_t digits = n < 10 ? 1 : n < 100 ? 2 : 3;
      for (std::size_t i = 0; i < digits; ++i) plain[n][i] = padded[n][3 - digits + i];
      plain[n][3] = static_cast<char>(digits);
    }
  }
};
constexpr ThreeDigits kThreeDigits;

/// Writes the digits and returns their end. Always copies four characters, because branches on the number of digits
/// cannot be predicted.
char* write_digits(char* to, const ThreeDigits::Text& text) {
  std::memcpy(to, text.data(), text.size());
  return to + text[3];
}

/// Writes a number and returns where it ends. `to` has room for 20 characters.
inline char* write_number(char* to, std::uint64_t value) {
  constexpr std::uint64_t kThousand = 1000;
  if (value < kThousand) return write_digits(to, kThreeDigits.plain[value]);
  if (value >= kThousand * kThousand) return std::to_chars(to, to + 20, value).ptr;
  to = write_digits(to, kThreeDigits.plain[value / kThousand]);
  return write_digits(to, kThreeDigits.padded[value % kThousand]);
}

/// Writes lines of numbers through a buffer: a call of the sink for every line takes longer than formatting it.
class NumberLineWriter {
 public:
  explicit NumberLineWriter(const ByteSink& sink) : sink_(sink) {}
  /// Adds a number and the character after it.
  void add(std::uint64_t value, char end) {
    if (text_.size() - used_ < kLongestNumber) flush();
    char* const behind = write_number(text_.data() + used_, value);
    *behind = end;
    used_ = static_cast<std::size_t>(behind + 1 - text_.data());
  }
  /// Passes the buffer to the sink. Must be called at the end.
  void flush() {
    sink_({text_.data(), used_});
    used_ = 0;
  }

 private:
  static constexpr std::size_t kLongestNumber = 24;  // of any number with its separator
  const ByteSink& sink_;
  std::array<char, 16 * 1024> text_{};
  std::size_t used_ = 0;
};

void append_number(std::string& line, std::uint64_t value) {
  std::array<char, 24> text{};
  line.append(text.data(), write_number(text.data(), value));
}

}  // namespace

TraceWriter::TraceWriter(Columns columns, ByteSink sink) : columns_(columns), sink_(std::move(sink)) {
  line_ = "iteration";
  if (columns_.epochs) line_ += ",epoch";
  if (columns_.steps) line_ += ",step";
  line_ += ",src_len";
  if (columns_.paired) line_ += ",tgt_len";
  line_ += ",batch_size,samples,tokens";
  if (columns_.layout == trace::BatchLayout::varlen) line_ += ",sq_tokens";
  if (columns_.unpadded_tokens) line_ += ",unpadded_tokens";
  if (columns_.ranks) line_ += ",ranks,padded_tokens,padded_tokens_mean";
  if (columns_.rows) line_ += ",rows";
  sink_(line_ += '\n');
}

void TraceWriter::add(const trace::IterationRow& row, const batching::MicroBatch& step) {
  line_.clear();
  const auto next = [&](std::uint64_t value) {
    if (!line_.empty()) line_ += ',';
    append_number(line_, value);
  };
  next(row.iteration);
  if (columns_.epochs) next(row.epoch);
  if (columns_.steps) next(row.optimiser_step);
  next(row.padded_shape.src_len);
  if (columns_.paired) next(row.padded_shape.tgt_len);
  next(row.padded_shape.batch_size);
  next(row.samples);
  const bool varlen = columns_.layout == trace::BatchLayout::varlen;
  next(varlen ? row.shape.tokens : row.tokens);
  if (varlen) next(row.shape.sq_tokens);
  if (columns_.unpadded_tokens) next(row.tokens);
  if (columns_.ranks) {
    next(row.rank_shapes.size());
    next(row.padded_tokens);
    line_ += ',' + text::shortest(row.mean_padded_tokens());
  }
  if (columns_.rows) line_ += ',';
  for (std::size_t r = 0; columns_.rows && r < step.ranks(); ++r) {
    if (r > 0) line_ += '|';
    bool first = true;
    for (const std::uint32_t sample : step.rows_of_rank(r)) {
      if (!first) line_ += ' ';
      append_number(line_, sample);
      first = false;
    }
  }
  sink_(line_ += '\n');
}

void write_lengths(const lengths::Lengths& lengths, const ByteSink& sink) {
  sink(lengths.paired() ? "src_len,tgt_len\n" : "src_len\n");
  NumberLineWriter lines(sink);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    lines.add(lengths.src[i], lengths.paired() ? ',' : '\n');
    if (lengths.paired()) lines.add(lengths.tgt[i], '\n');
  }
  lines.flush();
}

}  // namespace seqpoint::io::artifacts
