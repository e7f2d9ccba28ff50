#include <gtest/gtest.h>

#include "core/profile/measure.hpp"
#include "io/artifacts/files.hpp"
#include "io/profiles/profile_formats.hpp"
#include "io/stream/input.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint {
namespace {

profile::StepIdentity length(std::uint32_t src, std::optional<std::uint32_t> tgt = {},
                             std::optional<std::uint32_t> batch = {}) {
  profile::StepIdentity identity;
  identity.key.src_len = src;
  identity.key.tgt_len = tgt;
  identity.key.batch_size = batch;
  return identity;
}
profile::StepIdentity iteration(std::uint64_t number) {
  profile::StepIdentity identity;
  identity.iteration = number;
  return identity;
}
profile::StepIdentity point(std::string id) {
  profile::StepIdentity identity;
  identity.point = std::move(id);
  return identity;
}

profile::StepIdentity unpadded(std::uint64_t tokens, std::optional<std::uint64_t> squares = {}) {
  profile::StepIdentity identity;
  identity.key.tokens = tokens;
  identity.key.sq_tokens = squares;
  return identity;
}

TEST(StepNames, ANameMaySayWhichIterationItIs) {
  EXPECT_EQ(profile::identity_in_name("iter seqlen=17"), length(17));
  EXPECT_EQ(profile::identity_in_name("train:iter seqlen=42, warm"), length(42));
  EXPECT_EQ(profile::identity_in_name("src_len=213,tgt_len=198"), length(213, 198));
  EXPECT_EQ(profile::identity_in_name("src_len: 213 tgt_len: 198 batch_size: 64"), length(213, 198, 64));
  EXPECT_EQ(profile::identity_in_name("SL=7"), length(7));
  EXPECT_EQ(profile::identity_in_name("train.py --seqlen 42"), length(42));
  EXPECT_EQ(profile::identity_in_name("seqlen42"), length(42));
  EXPECT_EQ(profile::identity_in_name("seq_len_42"), length(42));
  EXPECT_EQ(profile::identity_in_name("BM_step/seqlen:42/repeats:5"), length(42));
  EXPECT_EQ(profile::identity_in_name("tokens=8192 sq_tokens=4194304"), unpadded(8192, 4194304));
  EXPECT_EQ(profile::identity_in_name("tokens8192 sq_tokens8589934592"), unpadded(8192, 8589934592));
  EXPECT_EQ(profile::identity_in_name("tokens: 8192"), unpadded(8192));
  EXPECT_EQ(profile::identity_in_name("iter:17"), iteration(17));
  EXPECT_EQ(profile::identity_in_name("iteration 17"), iteration(17));
  EXPECT_EQ(profile::identity_in_name("sp3"), point("sp3"));
  EXPECT_EQ(profile::identity_in_name("v1_sp12_repeat"), point("sp12"));
  EXPECT_EQ(profile::identity_in_name("point=sp3"), point("sp3"));
}

TEST(StepNames, WhatOnlyLooksLikeItSaysNothing) {
  for (const char* const name : {"ProfilerStep#5", "forward", "aten::add, op_id = 314359", "seqlen", "seqlen=",
                                 "seqlen=4.5", "seqlen=x", "spam", "sp", "sp3x", "maxseqlen=3", "seqlen=99999999999",
                                 "iter=1,000", "step 17", "tok12_sq34", "sq_tokens=34", "padded_tokens=12", ""})
    EXPECT_TRUE(profile::identity_in_name(name).empty()) << name;
}

TEST(StepNames, AContradictionSaysNothing) {
  EXPECT_TRUE(profile::identity_in_name("seqlen=17 seqlen=18").empty());
  EXPECT_EQ(profile::identity_in_name("seqlen=17 (SL 17)"), length(17));
  EXPECT_TRUE(profile::identity_in_name("tokens=17 tokens=18").empty());
  EXPECT_TRUE(profile::identity_in_name("tokens=17 sq_tokens=99 sq_tokens=98").empty());
}

TEST(StepNames, APatternHasNamedGroups) {
  EXPECT_EQ(profile::NamePattern("len(?<seqlen>\\d+)").identity("mylen42!"), length(42));
  EXPECT_EQ(profile::NamePattern("(a|b)_(?P<src_len>[0-9]+)x(?<tgt_len>\\d+)").identity("b_3x4"), length(3, 4));
  EXPECT_EQ(profile::NamePattern("ProfilerStep#(?<iteration>\\d+)").identity("ProfilerStep#12"), iteration(12));
  EXPECT_EQ(profile::NamePattern("[(](?<point>\\w+)[)]").identity("run (sp2)"), point("sp2"));
  EXPECT_EQ(profile::NamePattern("(?:x|y)(?<seqlen>\\d+)").identity("y9"), length(9));
  EXPECT_EQ(profile::NamePattern("\\((?<seqlen>\\d+)").identity("(8"), length(8));
  EXPECT_EQ(profile::NamePattern("tok(?<tokens>[0-9]+)_sq(?<sq_tokens>[0-9]+)").identity("tok1234_sq5678"),
            unpadded(1234, 5678));
  EXPECT_TRUE(profile::NamePattern("len(?<seqlen>\\d+)").identity("nothing").empty());
}

TEST(StepNames, APatternThatCannotBeIsRefused) {
  EXPECT_THROW(profile::NamePattern("len(\\d+)"), UsageError);
  EXPECT_THROW(profile::NamePattern("len(?<width>\\d+)"), UsageError);
  EXPECT_THROW(profile::NamePattern("len(?<seqlen"), UsageError);
  EXPECT_THROW(profile::NamePattern("(?<seqlen>\\d+"), UsageError);
  EXPECT_THROW(profile::NamePattern("(?<seqlen>.+)").identity("abc"), UsageError);
}

TEST(StepNames, AMapGoesBeforeAPatternAndAPatternBeforeNames) {
  profile::NameRules rules;
  profile::ProfiledStep step;
  step.key = "seqlen=1 len2";
  EXPECT_EQ(rules.identity(step), length(1));
  rules.pattern.emplace("len(?<seqlen>[0-9]+)$");
  EXPECT_EQ(rules.identity(step), length(2));
  rules.map = io::profiles::read_step_map(io::stream::Input::from_memory("map.csv", "key,point\nseqlen=1 len2,sp3\n"));
  EXPECT_EQ(rules.identity(step), point("sp3"));
}

TEST(StepNames, LabelsSpeakWhereTheKeyDoesNot) {
  profile::ProfiledStep step;
  step.key = "ProfilerStep#5";
  step.labels = {"forward", "seqlen=42", "seqlen=42 again", "iter 7"};
  EXPECT_EQ(profile::NameRules{}.identity(step), length(42));
  step.labels.push_back("seqlen=43");  // two micro-batches in one step
  EXPECT_EQ(profile::NameRules{}.identity(step), profile::StepIdentity{});
}

TEST(StepMaps, ByKeyAndByPlace) {
  const profile::StepMap by_key = io::profiles::read_step_map(
      io::stream::Input::from_memory("map.csv", "key,seqlen,tgt_len\n\"a, b\",3,4\nwarm,,\n"));
  ASSERT_EQ(by_key.by_key.size(), 1u);
  EXPECT_EQ(by_key.by_key.at("a, b"), length(3, 4));
  const profile::StepMap by_index = io::profiles::read_step_map(
      io::stream::Input::from_memory("rows.txt", "index\tpoint\titeration\n0\tsp2\t9\n1\tsp1\t3\n"));
  EXPECT_EQ(by_index.by_index.at(0).point, "sp2");
  EXPECT_EQ(by_index.by_index.at(1).point, "sp1");
}

TEST(StepMaps, WhatSaysNothingIsRefused) {
  for (const char* const text : {"name,point\na,sp1\n", "key,weight\na,1\n", "key,seqlen\na,x\n",
                                 "key,point\na,sp1\na,sp2\n", "key,point\n", "index,point\n-1,sp1\n"})
    EXPECT_THROW(io::profiles::read_step_map(io::stream::Input::from_memory("map.csv", text)), InputError) << text;
}

/// What NamePattern says of an expression; "" where it takes it.
std::string refusal_of(const std::string& expression) {
  try {
    profile::NamePattern{expression};
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(StepNames, WhatNeedsBacktrackingIsRefusedWithTheReason) {
  EXPECT_NE(refusal_of("(?<seqlen>[0-9]+) \\1").find("invalid escape sequence: \\1"), std::string::npos);
  EXPECT_NE(refusal_of("(?=len)(?<seqlen>[0-9]+)").find("invalid perl operator: (?="), std::string::npos);
  EXPECT_NE(refusal_of("(?<!len)(?<seqlen>[0-9]+)").find("RE2"), std::string::npos);
  EXPECT_NE(refusal_of("(?<seqlen>[0-9]{2000})").find("invalid repetition size: {2000}"), std::string::npos);
  EXPECT_NE(refusal_of(std::string(20000, '(')).find("longer than 4096 characters"), std::string::npos);
}

/// Of exponential work, or of a stack as deep, for whoever tries one way after the other.
TEST(StepNames, NestedExpressionsEnd) {
  EXPECT_EQ(profile::NamePattern(std::string(1000, '(') + "(?<seqlen>[0-9]+)" + std::string(1000, ')')).identity("42"),
            length(42));
  EXPECT_TRUE(profile::NamePattern("(a+)+(?<seqlen>[0-9]+)$").identity(std::string(4000, 'a') + "x").empty());
  EXPECT_EQ(profile::NamePattern("(a+)+(?<seqlen>[0-9]+)$").identity(std::string(4000, 'a') + "42"), length(42));
}

TEST(StepNames, ABracketOrBackslashBeforeAGroupIsNoGroup) {
  EXPECT_EQ(profile::NamePattern("[(?<]+(?<seqlen>[0-9]+)").identity("(<42"), length(42));
  EXPECT_EQ(profile::NamePattern("\\((?P<seqlen>[0-9]+)").identity("(42"), length(42));
}

/// One word, one meaning: in a name, as a column of a profile or of a trace, in any of its forms.
TEST(StepNames, AWordInANameMeansTheSameAsAColumn) {
  for (const char* const word : {"src_len", "seqlen", "seq_len", "SL", "sl", "iteration", "iter"}) {
    const profile::StepIdentity named = profile::identity_in_name(std::string(word) + "=7");
    ASSERT_FALSE(named.empty()) << word;
    const std::string table = std::string(word) + ",runtime_s\n7,0.5\n";
    const io::artifacts::ProfileFile profile =
        io::artifacts::read_profile(io::stream::Input::from_memory("p.csv", table));
    EXPECT_EQ(profile.table.identity(profile.table.rows.at(0)), named) << word;
    EXPECT_EQ(profile.table.metrics, std::vector<std::string>{"runtime_s"}) << word;
  }
  for (const char* const word : {"src_len", "seqlen", "seq_len", "SL", "sl"})
    EXPECT_EQ(io::artifacts::read_trace(
                  io::stream::Input::from_memory("t.csv", std::string("iter,batch_size,") + word + "\n0,2,7\n"))
                  .trace.shapes.at(0)
                  .src_len,
              7U);
  EXPECT_THROW(io::artifacts::read_profile(io::stream::Input::from_memory("p.csv", "seq_len,SL,runtime_s\n7,7,1\n")),
               InputError);
}

}  // namespace
}  // namespace seqpoint
