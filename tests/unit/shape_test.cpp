// The table of kinds, and the way from a point's key to a shape and back.
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
using trace::ShapeKind;

constexpr std::array kKinds{ShapeKind::padded, ShapeKind::padded_pair, ShapeKind::varlen};
/// Different in every dimension; of each kind the dimensions that it has are set.
constexpr trace::Shape kPadded{.src_len = 213, .batch_size = 64};
constexpr trace::Shape kPair{.src_len = 213, .tgt_len = 198, .batch_size = 64};
constexpr trace::Shape kVarlen{.tokens = 900, .sq_tokens = 1ULL << 40U};

trace::Shape example(ShapeKind kind) {
  return kind == ShapeKind::padded ? kPadded : kind == ShapeKind::padded_pair ? kPair : kVarlen;
}

std::vector<std::string> names_of(ShapeKind kind) {
  std::vector<std::string> names;
  for (const Dimension d : trace::dimensions_of(kind)) names.emplace_back(trace::name_of(d));
  return names;
}

TEST(ShapeKinds, HaveTheDimensionsThatArtefactsName) {
  EXPECT_EQ(names_of(ShapeKind::padded), (std::vector<std::string>{"src_len", "batch_size"}));
  EXPECT_EQ(names_of(ShapeKind::padded_pair), (std::vector<std::string>{"src_len", "tgt_len", "batch_size"}));
  EXPECT_EQ(names_of(ShapeKind::varlen), (std::vector<std::string>{"tokens", "sq_tokens"}));
  for (const ShapeKind kind : kKinds) {
    EXPECT_TRUE(std::ranges::is_sorted(trace::dimensions_of(kind))) << "the order in which shapes are compared";
    EXPECT_EQ(trace::kind_of(trace::properties_of(kind).layout, kind != ShapeKind::padded), kind);
  }
  EXPECT_EQ(trace::kind_of(trace::BatchLayout::varlen, true), ShapeKind::varlen);
  EXPECT_EQ(trace::kind_of(trace::BatchLayout::varlen, false), ShapeKind::varlen);
}

TEST(ShapeKinds, NamesOfDimensionsReadBack) {
  for (const Dimension d : trace::kDimensions) EXPECT_EQ(trace::dimension(trace::name_of(d)), d);
  for (const char* const other : {"", "seqlen", "iteration", "padded_tokens"})
    EXPECT_FALSE(trace::dimension(other)) << other;
}

TEST(ShapeKinds, DimensionsThatAKindLacksAreZero) {
  for (const ShapeKind kind : kKinds)
    for (const Dimension d : trace::kDimensions)
      EXPECT_EQ(example(kind)[d] != 0, std::ranges::count(trace::dimensions_of(kind), d) == 1) << trace::name_of(d);
}

TEST(ShapeKinds, TheLengthIsTheFirstDimension) {
  for (const ShapeKind kind : kKinds) EXPECT_EQ(example(kind).length(), example(kind)[trace::length_dimension(kind)]);
}

TEST(Shape, PaddedTokensAreThoseOfTheWholeBatch) {
  EXPECT_EQ(kPadded.padded_tokens(), 213U * 64);
  EXPECT_EQ(kPair.padded_tokens(), (213U + 198) * 64);
  EXPECT_EQ(kVarlen.padded_tokens(), 900U);
  const trace::Shape largest{.src_len = UINT32_MAX, .tgt_len = 1, .batch_size = UINT32_MAX};
  EXPECT_EQ(largest.padded_tokens(), (1ULL << 32U) * UINT32_MAX) << "in 64 bits";
}

TEST(PartialShape, IsWholeWhereNoDimensionOfItsKindIsMissing) {
  for (const ShapeKind kind : kKinds) {
    const auto parts = trace::PartialShape::of(kind, example(kind));
    EXPECT_EQ(parts.whole(kind), example(kind));
    for (const Dimension d : trace::dimensions_of(kind)) {
      trace::PartialShape without = parts;
      without[d].reset();
      EXPECT_EQ(without.whole(kind), std::nullopt) << trace::name_of(d);
    }
  }
}

TEST(PartialShape, TheWholeHasNothingOfWhatItsKindDoesNot) {
  const trace::PartialShape all{
      .src_len = 213, .tgt_len = 198, .batch_size = 64, .tokens = 900, .sq_tokens = 1ULL << 40U};
  for (const ShapeKind kind : kKinds) EXPECT_EQ(all.whole(kind), example(kind));
}

TEST(PartialShape, MayBeWhateverAgreesInWhatIsKnown) {
  EXPECT_TRUE(trace::PartialShape{}.may_be(kPair));
  EXPECT_TRUE(trace::PartialShape{.src_len = 213}.may_be(kPair));
  EXPECT_TRUE((trace::PartialShape{.src_len = 213, .batch_size = 64}).may_be(kPair));
  EXPECT_FALSE((trace::PartialShape{.src_len = 213, .batch_size = 32}).may_be(kPair));
}

TEST(PartialShape, ItsTextNamesWhatIsKnown) {
  EXPECT_EQ(text_of(ShapeKind::padded_pair, kPair, "=", " "), "src_len=213 tgt_len=198 batch_size=64");
  EXPECT_EQ(text_of(ShapeKind::varlen, kVarlen), "tokens 900, sq_tokens 1099511627776");
  EXPECT_EQ(text_of(trace::PartialShape{.tokens = 900}, "=", " "), "tokens=900");
  EXPECT_EQ(text_of(trace::PartialShape{}), "");
}

TEST(Shape, ItsLengthIsThatOfItsKind) {
  for (const ShapeKind kind : kKinds) EXPECT_EQ(example(kind).length(), example(kind)[trace::length_dimension(kind)]);
}

/// A summary read the samples beyond the end of an empty column.
TEST(Shape, IterationsWithoutPaddingNeedNotSayTheirSamples) {
  trace::Trace part;
  part.kind = ShapeKind::varlen;
  part.shapes = {kVarlen};
  EXPECT_EQ(trace::summarise(part).samples, 0U);
  EXPECT_EQ(trace::summarise(part).iterations, 1U);
}

TEST(Point, OfAGroupOfLengthsIsMeasuredByAnyShapeOfThatLength) {
  select::Point point{.id = "sp1", .shape = kPair, .weight = {1}, .iterations = {0}, .samples = {}};
  const trace::Shape other{.src_len = 213, .tgt_len = 1, .batch_size = 2};
  EXPECT_TRUE(point.matches(kPair));
  EXPECT_FALSE(point.matches(other));
  point.length_group = 213;
  EXPECT_TRUE(point.matches(kPair));
  EXPECT_TRUE(point.matches(other));
  EXPECT_FALSE(point.matches({.src_len = 214, .tgt_len = 198, .batch_size = 64}));
}

}  // namespace
}  // namespace seqpoint
