// The library's parameters, and what the command line makes of them.
#include "cli/parameters.hpp"
#include <gtest/gtest.h>

#include "cli/options/option_rows.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/select.hpp"

namespace seqpoint::testing {
namespace {

using cli::message_with_options;
using cli::with_options;

TEST(Parameters, AnErrorBeginsWithTheOneThatIsWrong) {
  const ParameterError error("max_error", "must be above 0", "leave `max_error` out");
  EXPECT_STREQ(error.what(), "`max_error` must be above 0");
  EXPECT_EQ(error.parameter(), "max_error");
  EXPECT_EQ(error.alternatives(), "leave `max_error` out");
  EXPECT_STREQ(ParameterError("points", ": too many").what(), "`points`: too many");
}

TEST(Parameters, OfTheLibraryStandInItsErrors) {
  select::SelectParams params;
  params.phases = 0;
  try {
    select::require_valid(params);
    FAIL() << "0 phases";
  } catch (const ParameterError& error) {
    EXPECT_EQ(error.parameter(), "phases");
  }
}

TEST(Parameters, AreOptionsOfTheCommandLine) {
  EXPECT_EQ(with_options("`max_error` and `statistic`"), "--max-error and --stat");
  EXPECT_EQ(with_options("`first_epoch` 3"), "--epoch 3");
  EXPECT_EQ(with_options("`seq-length`: too long"), "--seq-length: too long");
}

TEST(Parameters, AreNoCommandsAndNoStrayMarks) {
  for (const char* const text :
       {"see `seqpoint select`", "a ` alone", "`", "``", "`Points`", "`code`", "`--points`", "no mark"})
    EXPECT_EQ(message_with_options(text), text);
  EXPECT_EQ(message_with_options("a ` and `points` too"), "a ` and --points too");
  EXPECT_EQ(message_with_options("`code` of `max_error`"), "`code` of --max-error");
}

/// What require_compatible() says of the options that are given; "" where nothing.
std::string refusal_of(const std::vector<std::pair<std::string, std::string>>& given_values) {
  std::string none;
  const auto row = [&](const char* name) {
    return cli::options::OptionRow{name, cli::options::text_to(none, "X"), ""};
  };
  const cli::options::OptionRows rows{row("--by"), cli::options::excluding(row("-o,--onto"), {{"by"}, {"way far"}}),
                                      cli::options::needing(row("--most"), {{"by category"}, {"way"}}), row("--way")};
  cli::options::GivenOptions given;
  for (const auto& [name, value] : given_values) given.push_back({name, "", {value}, ""});
  try {
    cli::options::require_compatible(rows, given);
    return "";
  } catch (const UsageError& error) {
    return error.what();
  }
}

TEST(Parameters, OptionsThatContradictEachOtherAreRefused) {
  EXPECT_EQ(refusal_of({{"onto", "a"}}), "");
  EXPECT_EQ(refusal_of({{"onto", "a"}, {"by", "b"}}), "--onto and --by exclude each other");
  EXPECT_EQ(refusal_of({{"onto", "a"}, {"way", "near"}}), "");
  EXPECT_EQ(refusal_of({{"onto", "a"}, {"way", "far"}}), "--onto and --way far exclude each other");
}

TEST(Parameters, OptionsWithoutWhatTheyNeedAreRefused) {
  EXPECT_EQ(refusal_of({{"most", "a"}, {"by", "category"}}), "");
  EXPECT_EQ(refusal_of({{"most", "a"}, {"way", "any"}}), "");
  EXPECT_EQ(refusal_of({{"most", "a"}, {"by", "kernel"}}), "--most changes nothing without --by category or --way");
}

}  // namespace
}  // namespace seqpoint::testing
