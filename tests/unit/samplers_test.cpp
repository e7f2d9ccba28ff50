// The table of samplers itself.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/parameters.hpp"
#include "core/batching/batches.hpp"
#include "seqpoint/error.hpp"
#include "unit/scan_rows.hpp"

namespace seqpoint::testing {
namespace {

/// Of pairs, or of 1 to 20 seconds.
lengths::Lengths lengths_for(const batching::Sampler& sampler) {
  lengths::Lengths lengths;
  for (unsigned i = 0; i < 2000; ++i) {
    if (sampler.needs_seconds) {
      lengths.seconds.push_back(1 + i * 7919 % 1900 / 100.0);
    } else {
      lengths.src.push_back(5 + i * 7919 % 41);
      lengths.tgt.push_back(5 + i * 6007 % 43);
    }
  }
  return lengths;
}

TEST(Samplers, ExamplesRun) {
  for (const batching::Sampler& sampler : batching::samplers()) {
    if (sampler.needs_order) continue;  // its example is of a file
    SCOPED_TRACE(sampler.name);
    std::vector<std::string> options{"--sampler"};
    const std::string space = sampler.example.starts_with(':') ? "" : " ";
    std::istringstream words{std::string(sampler.name) + space + cli::with_options(sampler.example)};
    for (std::string word; words >> word;) options.push_back(word);
    EXPECT_FALSE(scan_rows(lengths_for(sampler), options).empty());
  }
}

bool is_known(std::string_view sampler, const std::string& version) {
  batching::BatchPolicy policy;
  policy.sampler = sampler;
  policy.batch_size = 1;
  policy.sampler_version = version;
  if (sampler == "recorded") policy.options.set("order", "order.csv");
  try {
    batching::require_valid(policy);
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

TEST(Samplers, VersionsThatThereAre) {
  for (const batching::Sampler& sampler : batching::samplers()) {
    SCOPED_TRACE(sampler.name);
    const batching::SamplerVersions& versions = sampler.versions;
    EXPECT_EQ(versions.used.empty(), versions.known.empty());
    EXPECT_FALSE(is_known(sampler.name, "99.7"));
    EXPECT_TRUE(is_known(sampler.name, std::string(versions.used)));
    for (const batching::Releases& releases : versions.known) {
      EXPECT_TRUE(is_known(sampler.name, std::string(releases.first)));
      EXPECT_TRUE(is_known(sampler.name, std::string(releases.last.empty() ? releases.first : releases.last) + ".1"));
    }
  }
  for (const char* const there : {"0.4.1", "1.0", "1.13.1", "2.0", "2.11"}) EXPECT_TRUE(is_known("pytorch", there));
  for (const char* const none : {"0.3", "0.5", "1.14", "3.0"}) EXPECT_FALSE(is_known("pytorch", none)) << none;
  for (const char* const none : {"4.9", "4.58", "6.0"}) EXPECT_FALSE(is_known("hf-length-grouped", none)) << none;
}

TEST(Samplers, OfTheLoadersOwnWordsTheHintIsOurName) {
  for (const char* const name : {"random", "shuffle", "RandomSampler"}) try {
      batching::find_sampler(name);
      ADD_FAILURE() << name;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.hint(), "DataLoader(shuffle=True) is `sampler` pytorch `seed` S");
    }
}

/// The hint also says how to record the order of a sampler that is not listed.
TEST(Samplers, AnotherNameIsRefusedWithThoseThatThereAre) {
  for (const auto& [name, hint] : {std::pair("pytorhc", "did you mean pytorch?"), std::pair("axolotl", "one of: ")})
    try {
      batching::find_sampler(name);
      ADD_FAILURE() << name;
    } catch (const UsageError& error) {
      EXPECT_NE(std::string(error.what()).find("unknown sampler"), std::string::npos) << name;
      EXPECT_TRUE(error.hint().starts_with(hint)) << error.hint();
      EXPECT_NE(error.hint().find("another order can be recorded"), std::string::npos) << name;
    }
}

TEST(Samplers, VersionsInWords) {
  EXPECT_EQ(batching::known_versions(batching::find_sampler("pytorch")), "0.4, 1.0 to 1.13, 2.0 on");
  EXPECT_EQ(batching::known_versions(batching::find_sampler("hf-length-grouped")), "4.10 to 4.57, 5.0 on");
  EXPECT_EQ(batching::known_versions(batching::find_sampler("sorted")), "");
}

}  // namespace
}  // namespace seqpoint::testing
