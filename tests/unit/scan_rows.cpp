#include "unit/scan_rows.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "cli/app.hpp"
#include "core/batching/batches.hpp"

namespace seqpoint::testing {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  if (text.empty() || text.back() == separator) parts.emplace_back();  // a last part that is empty is one, too
  return parts;
}

std::vector<std::uint32_t> numbers(const std::string& text) {
  std::vector<std::uint32_t> values;
  if (text.empty()) return values;
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
      if (header[c] == "step") iteration.step = std::stoul(fields[c]);
      if (header[c] == "src_len") iteration.src_len = static_cast<std::uint32_t>(std::stoul(fields[c]));
      if (header[c] == "tgt_len") iteration.tgt_len = static_cast<std::uint32_t>(std::stoul(fields[c]));
      if (header[c] == "batch_size") iteration.batch_size = static_cast<std::uint32_t>(std::stoul(fields[c]));
      if (header[c] == "tokens") iteration.tokens = std::stoul(fields[c]);
      if (header[c] == "sq_tokens") iteration.sq_tokens = std::stoul(fields[c]);
      if (header[c] != "rows") continue;
      for (const std::string& rank : split(fields[c], '|')) iteration.ranks.push_back(numbers(rank));
    }
    iterations.push_back(std::move(iteration));
  }
  return iterations;
}

/// The shortest digits that read back as the same number.
void write_seconds(std::ofstream& out, const std::vector<double>& seconds) {
  out << "row,duration\n";
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), seconds[i]).ptr;
    out << i << ',' << std::string_view(digits.data(), end) << '\n';
  }
}

/// The rows from `begin` to `end`.
void write_manifest(const std::string& path, const lengths::Lengths& lengths, std::size_t begin, std::size_t end) {
  std::ofstream out(path);
  if (!lengths.seconds.empty()) return write_seconds(out, lengths.seconds);
  out << (lengths.paired() ? "src_len,tgt_len\n" : "");
  for (std::size_t i = begin; i < end; ++i) {
    out << lengths.src[i];
    if (lengths.paired()) out << ',' << lengths.tgt[i];
    out << '\n';
  }
}

/// A folder of this process for a manifest and its trace, gone with the object.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("seqpoint-scan-" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string manifest() const { return path / "lengths.txt"; }
  std::string trace() const { return path / "run.csv"; }
};

/// The sampler that the options name; null if they name none that exists.
const batching::Sampler* sampler_in(const std::vector<std::string>& options) {
  const auto option = std::ranges::find(options, "--sampler");
  if (option == options.end()) return nullptr;
  const auto found = std::ranges::find(batching::samplers(), *(option + 1), &batching::Sampler::name);
  return found == batching::samplers().end() ? nullptr : &*found;
}

/// The options with those of the sampler itself after its name: `--sampler NAME:KEY=VALUE,FLAG`.
std::vector<std::string> with_keys(const std::vector<std::string>& options) {
  const batching::Sampler* const sampler = sampler_in(options);
  if (sampler == nullptr) return options;
  std::vector<std::string> others;
  std::string keys;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string name = options[i].starts_with("--") ? options[i].substr(2) : "";
    const auto spec = std::ranges::find(sampler->options, name, &OptionSpec::name);
    if (spec == sampler->options.end()) {
      others.push_back(options[i]);
      continue;
    }
    keys += (keys.empty() ? ":" : ",") + name;
    if (spec->kind != OptionSpec::Kind::flag) keys += "=" + options[++i];
  }
  *(std::ranges::find(others, "--sampler") + 1) += keys;
  return others;
}

int scan(const Folder& folder, const std::string& manifest, const std::vector<std::string>& options) {
  std::vector<std::string> words{"seqpoint", "-q", "scan", manifest, "--rows", "-o", folder.trace()};
  std::ranges::copy(with_keys(options), std::back_inserter(words));
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  return cli::run(static_cast<int>(argv.size()), argv.data());
}

int scan(const Folder& folder, const lengths::Lengths& lengths, const std::vector<std::string>& options) {
  const std::vector<std::uint64_t> ends =
      lengths.manifest_ends.empty() ? std::vector<std::uint64_t>{lengths.size()} : lengths.manifest_ends;
  std::string manifests;
  for (std::size_t m = 0; m < ends.size(); ++m) {
    const std::string path = folder.manifest() + (m == 0 ? "" : std::to_string(m));
    write_manifest(path, lengths, m == 0 ? 0 : ends[m - 1], ends[m]);
    manifests += (m == 0 ? "" : ",") + path;
  }
  return scan(folder, manifests, options);
}

}  // namespace

std::vector<ScannedIteration> scan_rows(const lengths::Lengths& lengths, const std::vector<std::string>& options) {
  const Folder folder;
  EXPECT_EQ(scan(folder, lengths, options), 0);
  return parse(folder.trace());
}

std::vector<ScannedIteration> scan_rows_of_file(const std::string& manifest, const std::vector<std::string>& options) {
  const Folder folder;
  EXPECT_EQ(scan(folder, manifest, options), 0);
  return parse(folder.trace());
}

std::vector<ScannedIteration> scan_rows(const std::vector<std::uint32_t>& lengths,
                                        const std::vector<std::string>& options) {
  return scan_rows(lengths::Lengths{.src = lengths}, options);
}

int scan_status(const lengths::Lengths& lengths, const std::vector<std::string>& options) {
  ::testing::internal::CaptureStderr();
  const int status = scan(Folder(), lengths, options);
  ::testing::internal::GetCapturedStderr();
  return status;
}

Epochs epochs_of(const std::vector<ScannedIteration>& iterations) {
  Epochs epochs;
  for (const ScannedIteration& iteration : iterations) {
    epochs.resize(iteration.epoch - iterations.front().epoch + 1);
    epochs.back().push_back(iteration.ranks.at(0));
  }
  return epochs;
}

std::vector<std::vector<std::uint32_t>> batches_of(const std::vector<ScannedIteration>& iterations) {
  std::vector<std::vector<std::uint32_t>> batches;
  for (const ScannedIteration& iteration : iterations) batches.push_back(iteration.ranks.at(0));
  return batches;
}

std::vector<std::vector<std::vector<std::uint32_t>>> ranks_of(const std::vector<ScannedIteration>& iterations) {
  std::vector<std::vector<std::vector<std::uint32_t>>> ranks;
  for (const ScannedIteration& iteration : iterations) {
    ranks.resize(iteration.ranks.size());
    for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r].push_back(iteration.ranks[r]);
  }
  return ranks;
}

std::vector<ScannedIteration> scan_rows(const std::vector<std::uint32_t>& src, const std::vector<std::uint32_t>& tgt,
                                        const std::vector<std::string>& options) {
  return scan_rows(lengths::Lengths{.src = src, .tgt = tgt}, options);
}

}  // namespace seqpoint::testing
