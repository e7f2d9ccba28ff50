// The table of kinds, and the way from a point's key to a signature and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/select/select.hpp"
#include "core/trace/trace.hpp"

namespace seqpoint {
namespace {

using trace::Dimension;
using trace::SignatureKind;

constexpr std::array kKinds{SignatureKind::padded, SignatureKind::padded_pair, SignatureKind::varlen};
/// Different in every dimension; of each kind the dimensions that it has are set.
constexpr trace::Signature kPadded{.src_len = 213, .batch_size = 64};
constexpr trace::Signature kPair{.src_len = 213, .tgt_len = 198, .batch_size = 64};
constexpr trace::Signature kVarlen{.tokens = 900, .sq_tokens = 1ULL << 40U};

trace::Signature example(SignatureKind kind) {
  return kind == SignatureKind::padded ? kPadded : kind == SignatureKind::padded_pair ? kPair : kVarlen;
}

std::vector<std::string> names_of(SignatureKind kind) {
  std::vector<std::string> names;
  for (const Dimension d : trace::dimensions_of(kind)) names.emplace_back(trace::name_of(d));
  return names;
}

TEST(SignatureKinds, HaveTheDimensionsThatArtefactsName) {
  EXPECT_EQ(names_of(SignatureKind::padded), (std::vector<std::string>{"src_len", "batch_size"}));
  EXPECT_EQ(names_of(SignatureKind::padded_pair), (std::vector<std::string>{"src_len", "tgt_len", "batch_size"}));
  EXPECT_EQ(names_of(SignatureKind::varlen), (std::vector<std::string>{"tokens", "sq_tokens"}));
  for (const SignatureKind kind : kKinds) {
    EXPECT_TRUE(std::ranges::is_sorted(trace::dimensions_of(kind))) << "the order in which signatures are compared";
    EXPECT_EQ(trace::kind_of(trace::properties_of(kind).layout, kind != SignatureKind::padded), kind);
  }
  EXPECT_EQ(trace::kind_of(trace::BatchLayout::varlen, true), SignatureKind::varlen);
  EXPECT_EQ(trace::kind_of(trace::BatchLayout::varlen, false), SignatureKind::varlen);
}

TEST(SignatureKinds, NamesOfDimensionsReadBack) {
  for (const Dimension d : trace::kDimensions) EXPECT_EQ(trace::dimension(trace::name_of(d)), d);
  for (const char* const other : {"", "seqlen", "iteration", "padded_tokens"})
    EXPECT_FALSE(trace::dimension(other)) << other;
}

TEST(SignatureKinds, DimensionsThatAKindLacksAreZero) {
  for (const SignatureKind kind : kKinds)
    for (const Dimension d : trace::kDimensions)
      EXPECT_EQ(example(kind)[d] != 0, std::ranges::count(trace::dimensions_of(kind), d) == 1) << trace::name_of(d);
}

TEST(SignatureKinds, TheLengthIsTheFirstDimension) {
  for (const SignatureKind kind : kKinds)
    EXPECT_EQ(example(kind).length(), example(kind)[trace::length_dimension(kind)]);
}

TEST(Signature, PaddedTokensAreThoseOfTheWholeBatch) {
  EXPECT_EQ(kPadded.padded_tokens(), 213U * 64);
  EXPECT_EQ(kPair.padded_tokens(), (213U + 198) * 64);
  EXPECT_EQ(kVarlen.padded_tokens(), 900U);
  const trace::Signature largest{.src_len = UINT32_MAX, .tgt_len = 1, .batch_size = UINT32_MAX};
  EXPECT_EQ(largest.padded_tokens(), (1ULL << 32U) * UINT32_MAX) << "in 64 bits";
}

TEST(PartialSignature, IsWholeWhereNoDimensionOfItsKindIsMissing) {
  for (const SignatureKind kind : kKinds) {
    const auto parts = trace::PartialSignature::of(kind, example(kind));
    EXPECT_EQ(parts.whole(kind), example(kind));
    for (const Dimension d : trace::dimensions_of(kind)) {
      trace::PartialSignature without = parts;
      without[d].reset();
      EXPECT_EQ(without.whole(kind), std::nullopt) << trace::name_of(d);
    }
  }
}

TEST(PartialSignature, TheWholeHasNothingOfWhatItsKindDoesNot) {
  const trace::PartialSignature all{
      .src_len = 213, .tgt_len = 198, .batch_size = 64, .tokens = 900, .sq_tokens = 1ULL << 40U};
  for (const SignatureKind kind : kKinds) EXPECT_EQ(all.whole(kind), example(kind));
}

TEST(PartialSignature, MayBeWhateverAgreesInWhatIsKnown) {
  EXPECT_TRUE(trace::PartialSignature{}.may_be(kPair));
  EXPECT_TRUE(trace::PartialSignature{.src_len = 213}.may_be(kPair));
  EXPECT_TRUE((trace::PartialSignature{.src_len = 213, .batch_size = 64}).may_be(kPair));
  EXPECT_FALSE((trace::PartialSignature{.src_len = 213, .batch_size = 32}).may_be(kPair));
}

TEST(PartialSignature, ItsTextNamesWhatIsKnown) {
  EXPECT_EQ(text_of(SignatureKind::padded_pair, kPair, "=", " "), "src_len=213 tgt_len=198 batch_size=64");
  EXPECT_EQ(text_of(SignatureKind::varlen, kVarlen), "tokens 900, sq_tokens 1099511627776");
  EXPECT_EQ(text_of(trace::PartialSignature{.tokens = 900}, "=", " "), "tokens=900");
  EXPECT_EQ(text_of(trace::PartialSignature{}), "");
}

TEST(Signature, ItsLengthIsThatOfItsKind) {
  for (const SignatureKind kind : kKinds)
    EXPECT_EQ(example(kind).length(), example(kind)[trace::length_dimension(kind)]);
}

TEST(Point, OfAGroupOfLengthsIsMeasuredByAnySignatureOfThatLength) {
  select::Point point{.id = "sp1", .signature = kPair, .weight = {1}, .iterations = {0}, .samples = {}};
  const trace::Signature other{.src_len = 213, .tgt_len = 1, .batch_size = 2};
  EXPECT_TRUE(point.matches(kPair));
  EXPECT_FALSE(point.matches(other));
  point.length_group = 213;
  EXPECT_TRUE(point.matches(kPair));
  EXPECT_TRUE(point.matches(other));
  EXPECT_FALSE(point.matches({.src_len = 214, .tgt_len = 198, .batch_size = 64}));
}

}  // namespace
}  // namespace seqpoint
