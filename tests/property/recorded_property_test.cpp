// Orders that were recorded: the batches of every other sampler, and of a loader of one's own.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/app.hpp"
#include "core/batching/batches.hpp"
#include "io/artifacts/files.hpp"
#include "io/stream/input.hpp"
#include "property/every_sampler.hpp"

namespace recorded_property {
namespace {

using namespace seqpoint;
using namespace seqpoint::testing;

/// A folder of this process, gone with the object.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("seqpoint-recorded-" + std::to_string(::getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const char* name) const { return path / name; }
};

std::string bytes_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// The program's exit status.
int scan(std::vector<std::string> words) {
  words.insert(words.begin(), {"seqpoint", "-q", "scan", "--rows"});
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  ::testing::internal::CaptureStderr();
  const int status = seqpoint::cli::run(static_cast<int>(argv.size()), argv.data());
  ::testing::internal::GetCapturedStderr();
  return status;
}

void write_manifest(const std::string& path, const seqpoint::lengths::Lengths& lengths, bool seconds) {
  std::ofstream out(path);
  out << (seconds ? "row,duration\n" : lengths.paired() ? "src_len,tgt_len\n" : "src_len\n");
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (seconds)
      out << i << ',' << lengths.src[i] / 100 << '.' << lengths.src[i] / 10 % 10 << lengths.src[i] % 10 << '\n';
    else
      out << lengths.src[i] << (lengths.paired() ? "," + std::to_string(lengths.tgt[i]) : "") << '\n';
  }
}

/// How its orders are walked, and what an order that was recorded says itself.
std::vector<std::string> options_of(const seqpoint::batching::Sampler& sampler,
                                    const seqpoint::batching::BatchPolicy& policy, Draw& draw) {
  std::vector<std::string> words{"--sampler=" + policy.sampler};
  const auto add = [&](const std::string& name, std::uint64_t value) {
    words.push_back("--" + name + "=" + std::to_string(value));
  };
  if (policy.batch_size > 0) add("batch-size", policy.batch_size);
  if (sampler.takes_seed && draw.below(2U) == 0) add("seed", draw.below(1000U));  // some settings have no use for it
  add("world-size", policy.world_size);
  add("epoch", policy.epoch + draw.below(3U));
  add("epochs", 1 + draw.below(3U));
  add("grad-accumulation", 1 + draw.below(3U));
  if (draw.below(3U) == 0) words.emplace_back("--drop-last");
  for (const auto& [name, value] : policy.options.all()) {
    std::string& text = words.front();
    text += (text.find(':') == std::string::npos ? ":" : ",") + name + (value == "true" ? "" : "=" + value);
  }
  return words;
}

std::vector<std::string> rule_options(Draw& draw) {
  const std::uint32_t kind = draw.below(3U);
  return kind == 0   ? std::vector<std::string>{"--shape=varlen"}
         : kind == 1 ? std::vector<std::string>{"--pad-multiple=8"}
                     : std::vector<std::string>{};
}

std::vector<std::string> joined(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// Whether the sampler runs with these options; then its trace is compared with that of its order.
bool expect_same_trace(const Folder& folder, const std::vector<std::string>& sampler,
                       const std::vector<std::string>& rule) {
  const std::vector<std::string> manifest = joined({folder / "manifest.csv"}, rule);
  if (scan(joined(joined(manifest, sampler), {"-o", folder / "order.csv"})) != 0) return false;
  const std::string order = bytes_of(folder / "order.csv");
  EXPECT_EQ(scan(joined(manifest, {"--sampler=recorded:order=" + (folder / "order.csv"), "-o", folder / "again.csv"})),
            0);
  EXPECT_FALSE(order.empty());
  EXPECT_TRUE(bytes_of(folder / "again.csv") == order) << order.substr(0, 300);
  return true;
}

/// Whether its batches have other shapes than those of their rows: an order has rows and no pieces of them.
bool packs(const seqpoint::batching::Sampler& sampler) {
  Draw draw(0);
  bool has_shapes = false;
  seqpoint::batching::for_each_micro_batch(
      lengths_of(Corpus::even, is_of_pairs(sampler), draw), policy_of(sampler, 1),
      [&](const auto& batch) { has_shapes = has_shapes || !batch.shapes.empty(); });
  return has_shapes;
}

TEST(Recorded, OrdersOfEverySamplerGiveItsTrace) {
  const Folder folder;
  std::uint32_t seed = 0, compared = 0;
  for (const seqpoint::batching::Sampler& sampler : seqpoint::batching::samplers()) {
    if (sampler.needs_order || packs(sampler)) continue;
    ++compared;
    std::uint32_t ran = 0;
    for (std::uint32_t n = 0; n < affordable(15); ++n) {
      SCOPED_TRACE(std::string(sampler.name) + ", seed " + std::to_string(seed));
      Draw draw(seed++);
      const bool paired = is_of_pairs(sampler) || (takes_pairs(sampler) && draw.below(2U) == 0);
      write_manifest(folder / "manifest.csv", lengths_of(static_cast<Corpus>(draw.below(3U)), paired, draw),
                     sampler.needs_seconds);
      const seqpoint::batching::BatchPolicy policy = policy_of(sampler, 1 + draw.below(4U));
      const std::vector<std::string> options = options_of(sampler, policy, draw);
      if (!expect_same_trace(folder, options, rule_options(draw))) continue;
      ++ran;
      if (HasFailure()) return;
    }
    EXPECT_GE(ran, affordable(15) / 8) << sampler.name;
  }
  EXPECT_GE(compared, 12U);
}

/// A loader of one's own: any rows in any batches, in each epoch as many.
struct OwnLoader {
  std::string order;                                           ///< as it is recorded
  std::vector<std::vector<std::vector<std::uint32_t>>> ranks;  ///< of each iteration
  std::vector<std::uint64_t> epochs;
};

OwnLoader own_loader(std::uint32_t samples, Draw& draw) {
  OwnLoader loader{.order = "epoch,iteration,rows\n", .ranks = {}, .epochs = {}};
  const std::uint32_t epochs = 1 + draw.below(3U), iterations = 1 + draw.below(9U), ranks = 1 + draw.below(4U);
  const bool anew = draw.below(2U) == 0;
  for (std::uint32_t n = 0; n < epochs * iterations; ++n) {
    loader.epochs.push_back(n / iterations);
    auto& of_ranks = loader.ranks.emplace_back(ranks);
    loader.order += std::to_string(n / iterations) + ',' + std::to_string(anew ? n % iterations : n) + ',';
    for (std::uint32_t r = 0; r < ranks; ++r) {
      for (std::uint32_t i = r == 0 ? 1 + draw.below(6U) : draw.below(6U); i > 0; --i)
        of_ranks[r].push_back(draw.below(samples));
      loader.order += r == 0 ? "" : "|";
      for (const std::uint32_t row : of_ranks[r])
        loader.order += std::to_string(row) + (draw.below(9U) == 0 ? "  " : " ");
    }
    loader.order += '\n';
  }
  return loader;
}

TEST(Recorded, OwnBatchesAreTheIterations) {
  for_seeds(affordable(300), [](Draw& draw) {
    seqpoint::lengths::Lengths lengths;
    for (std::uint32_t i = 0; i < 50; ++i) lengths.src.push_back(1 + draw.below(99U));
    const OwnLoader loader = own_loader(50, draw);
    auto file =
        seqpoint::io::artifacts::read_order(seqpoint::io::stream::Input::from_memory("order.csv", loader.order));
    EXPECT_EQ(seqpoint::batching::compare_lengths(file.order, lengths, 1), "");
    seqpoint::batching::BatchPolicy policy;
    policy.sampler = "recorded";
    policy.grad_accumulation = 1 + draw.below(3U);
    seqpoint::batching::set_order(policy,
                                  std::make_shared<const seqpoint::batching::RecordedOrder>(std::move(file.order)));
    std::size_t at = 0;
    seqpoint::trace::for_each_iteration(lengths, policy, {}, [&](const auto& row, const auto& micro_batch) {
      const auto& ranks = loader.ranks.at(at);
      EXPECT_EQ(row.epoch, loader.epochs.at(at++));
      std::uint64_t most = 0, samples = 0, tokens = 0, padded = 0;
      ASSERT_EQ(micro_batch.ranks(), ranks.size());
      for (std::size_t r = 0; r < ranks.size(); ++r) {
        EXPECT_TRUE(std::ranges::equal(micro_batch.rows_of_rank(r), ranks[r]));
        std::uint64_t longest = 0;
        for (const std::uint32_t i : ranks[r]) {
          longest = std::max<std::uint64_t>(longest, lengths.src[i]);
          tokens += lengths.src[i];
        }
        samples += ranks[r].size();
        padded += longest * ranks[r].size();
        most = std::max(most, longest * ranks[r].size());
      }
      EXPECT_EQ(row.shape.padded_tokens(), most);
      EXPECT_EQ(row.samples, samples);
      EXPECT_EQ(row.tokens, tokens);
      EXPECT_EQ(row.padded_tokens, padded);
    });
    EXPECT_EQ(at, loader.ranks.size());
  });
}

}  // namespace
}  // namespace recorded_property
