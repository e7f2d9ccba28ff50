#include "inputs.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>

#include "seqpoint/io/readers.hpp"

namespace seqpoint::bench {
namespace {

/// As Python writes it: the shortest text of the same double.
std::string duration_text(std::uint32_t samples) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), samples / 16000.0);
  return {text.data(), written.ptr};
}

/// About as many words as are spoken in that time.
std::string transcript(std::uint32_t samples) {
  constexpr std::array<const char*, 7> kWords{"the", "and", "of", "whether", "it", "people", "without"};
  std::string text;
  for (std::uint32_t w = 0; w < 1 + samples / 16000 * 2; ++w) text += (w > 0 ? " " : "") + std::string(kWords[(w * 5 + samples) % kWords.size()]);
  return text;
}

/// `make(i, samples)` is a row.
template <class Make>
void write_rows(const std::string& path, const std::string& header, std::uint64_t rows, Make make) {
  const std::vector<std::uint32_t> samples = librispeech_samples();
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < samples.size(); ++i) lines.push_back(make(i, samples[i]));
  std::ofstream out(path, std::ios::binary);
  out << header;
  for (std::uint64_t i = 0; i < rows; ++i) out << lines[i % lines.size()];
}

std::string utterance(std::size_t i) { return "103-" + std::to_string(1240 + i / 40) + "-" + std::to_string(10000 + i % 40).substr(1); }

}  // namespace

std::vector<std::uint32_t> librispeech_samples() {
  std::vector<Input> inputs;
  inputs.push_back(Input::open(std::string(SEQPOINT_SOURCE_DIR) + "/examples/data/librispeech-train-clean-100.csv"));
  ReadOptions options;
  options.unit = LengthUnit::frames;  // as they stand
  return read_dataset(std::move(inputs), {}, options).lengths.src;
}

void write_jsonl(const std::string& path, std::uint64_t rows) {
  write_rows(path, "", rows, [](std::size_t i, std::uint32_t samples) {
    return "{\"audio_filepath\": \"train-clean-100/" + utterance(i) + ".flac\", \"duration\": " + duration_text(samples) + ", \"text\": \"" +
           transcript(samples) + "\"}\n";
  });
}

void write_csv(const std::string& path, std::uint64_t rows) {
  write_rows(path, "utterance,audio_filepath,duration,text\n", rows, [](std::size_t i, std::uint32_t samples) {
    return utterance(i) + ",train-clean-100/" + utterance(i) + ".flac," + duration_text(samples) + "," + transcript(samples) + "\n";
  });
}

std::uint32_t times_of_length(std::uint32_t length) { return 1 + length * 7919U % 20; }

void write_trace(const std::string& path, std::uint64_t iterations, std::uint32_t unique) {
  std::ofstream out(path, std::ios::binary);
  out << "iteration,src_len,batch_size\n";
  for (std::uint64_t i = 0; i < iterations; ++i) out << i << ',' << 1 + i * 7919 % unique << ",64\n";
}

void stream_lengths(std::uint64_t rows) {
  const std::vector<std::uint32_t> samples = librispeech_samples();
  std::string block;
  for (const std::uint32_t length : samples) block += std::to_string(length / 160) + '\n';
  for (; rows >= samples.size(); rows -= samples.size())
    if (std::fwrite(block.data(), 1, block.size(), stdout) != block.size()) return;
  for (std::uint64_t i = 0; i < rows; ++i) std::printf("%u\n", samples[i] / 160);
}

}  // namespace seqpoint::bench
