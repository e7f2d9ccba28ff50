// The library's parameters, and what the command line makes of them.
#include "cli/parameters.hpp"
#include <gtest/gtest.h>

#include "core/select/select.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::testing {
namespace {

using cli::message_with_options;
using cli::with_options;

TEST(Parameters, AnErrorBeginsWithTheOneThatIsWrong) {
  const ParameterError error("max_error", "must be above 0", "leave `max_error` out");
  EXPECT_STREQ(error.what(), "`max_error` must be above 0");
  EXPECT_EQ(error.hint(), "leave `max_error` out");
  EXPECT_STREQ(ParameterError("points", ": too many").what(), "`points`: too many");
}

TEST(Parameters, OfTheLibraryStandInItsErrors) {
  select::SelectParams params;
  params.parts = 0;
  try {
    select::require_valid(params);
    FAIL() << "0 parts";
  } catch (const ParameterError& error) {
    EXPECT_TRUE(std::string(error.what()).starts_with("`parts`")) << error.what();
  }
}

TEST(Parameters, AreOptionsOfTheCommandLine) {
  EXPECT_EQ(with_options("`max_error` and `metric`"), "--max-error and --metric");
  EXPECT_EQ(with_options("`tgt_length_field` 3"), "--tgt-length-field 3");
  EXPECT_EQ(with_options("`seq-length`: too long"), "seq-length: too long") << "a key of --sampler";
}

TEST(Parameters, AreNoCommandsAndNoStrayMarks) {
  for (const char* const text :
       {"see `seqpoint select`", "a ` alone", "`", "``", "`Points`", "`code`", "`--points`", "no mark"})
    EXPECT_EQ(message_with_options(text), text);
  EXPECT_EQ(message_with_options("a ` and `points` too"), "a ` and --points too");
  EXPECT_EQ(message_with_options("`code` of `max_error`"), "`code` of --max-error");
}

}  // namespace
}  // namespace seqpoint::testing
