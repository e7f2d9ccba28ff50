#include "unit/scan_rows.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/command.hpp"

namespace seqpoint::testing {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::vector<std::uint32_t> numbers(const std::string& text) {
  std::vector<std::uint32_t> values;
  for (const std::string& part : split(text, ' ')) values.push_back(static_cast<std::uint32_t>(std::stoul(part)));
  return values;
}

std::vector<ScannedIteration> parse(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> header = split(line, ',');
  std::vector<ScannedIteration> iterations;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line, ',');
    ScannedIteration iteration;
    for (std::size_t c = 0; c < header.size(); ++c) {
      if (header[c] == "epoch") iteration.epoch = std::stoul(fields[c]);
      if (header[c] == "src_len") iteration.src_len = static_cast<std::uint32_t>(std::stoul(fields[c]));
      if (header[c] == "tgt_len") iteration.tgt_len = static_cast<std::uint32_t>(std::stoul(fields[c]));
      if (header[c] == "batch_size") iteration.batch_size = static_cast<std::uint32_t>(std::stoul(fields[c]));
      if (header[c] == "tokens") iteration.tokens = std::stoul(fields[c]);
      if (header[c] != "rows") continue;
      for (const std::string& rank : split(fields[c], '|')) iteration.ranks.push_back(numbers(rank));
    }
    iterations.push_back(std::move(iteration));
  }
  return iterations;
}

/// `manifest`: the bytes of a manifest, whose format is guessed.
std::vector<ScannedIteration> scan(const std::string& manifest, const std::vector<std::string>& options) {
  const auto folder = std::filesystem::temp_directory_path() / ("seqpoint-scan-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string input = folder / "lengths", trace = folder / "run.csv";
  std::ofstream(input) << manifest;

  std::vector<std::string> words{"seqpoint", "-q", "scan", input, "--rows", "-o", trace};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  EXPECT_EQ(cli::run(static_cast<int>(argv.size()), argv.data()), 0);
  std::vector<ScannedIteration> iterations = parse(trace);
  std::filesystem::remove_all(folder);
  return iterations;
}

}  // namespace

std::vector<ScannedIteration> scan_rows(const std::vector<std::uint32_t>& lengths, const std::vector<std::string>& options) {
  std::string manifest;
  for (const std::uint32_t length : lengths) manifest += std::to_string(length) + '\n';
  return scan(manifest, options);
}

std::vector<ScannedIteration> scan_rows(const std::vector<std::uint32_t>& src, const std::vector<std::uint32_t>& tgt,
                                        const std::vector<std::string>& options) {
  std::string manifest = "src_len,tgt_len\n";
  for (std::size_t i = 0; i < src.size(); ++i) manifest += std::to_string(src[i]) + ',' + std::to_string(tgt[i]) + '\n';
  return scan(manifest, options);
}

}  // namespace seqpoint::testing
