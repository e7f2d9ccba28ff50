// Indexes of fairseq and Megatron-LM, written here field by field.
#include <gtest/gtest.h>

#include "unit/read_memory.hpp"

namespace seqpoint::testing {
namespace {

using Sizes = std::vector<std::uint32_t>;

TEST(FairseqIndex, HoldsTheSizesAsTheyStand) {
  const io::manifests::Dataset dataset = read_memory(fairseq_index({3, 17, 1}));
  EXPECT_EQ(dataset.lengths.src, (Sizes{3, 17, 1}));
  EXPECT_EQ(dataset.inputs.front().format, "fairseq-idx");
  EXPECT_EQ(dataset.inputs.front().unit, "tokens");
}

TEST(FairseqIndex, EveryDataTypeHasItsWidth) {
  const std::vector<std::uint64_t> width_of_type{1, 1, 2, 4, 8, 8, 8, 2, 4, 8};
  for (std::uint8_t type = 1; type <= 10; ++type)
    EXPECT_EQ(lengths_of(fairseq_index({3, 17, 1}, type, width_of_type[type - 1U])), (Sizes{3, 17, 1}))
        << unsigned{type};
  EXPECT_EQ(lengths_of(fairseq_index({3, 17, 1}, 6, 4)), (Sizes{3, 17, 1})) << "type 6 was float32 once";
}

TEST(FairseqIndex, LegacyHoldsTheSizes) {
  const std::string bytes = legacy_index({3, 17, 1});
  EXPECT_EQ(lengths_of(bytes), (Sizes{3, 17, 1}));
  EXPECT_EQ(format_of(bytes), "fairseq-idx");
}

TEST(FairseqIndex, LegacyItemOfTwoDimensionsIsAsLongAsItHasElements) {
  std::string bytes("TNTIDX\0\0", 8);
  for (const std::uint64_t field : {1, 4, 4, /*items*/ 2, /*sizes*/ 3}) put(bytes, field, 8);
  for (const std::uint64_t field : {0, 2, 3, /*data*/ 0, 15, 22, /*sizes*/ 5, 3, 7}) put(bytes, field, 8);
  EXPECT_EQ(lengths_of(bytes), (Sizes{15, 7}));
}

TEST(MegatronIndex, HoldsSequencesOrDocuments) {
  const std::string bytes = megatron_index({5, 6, 7, 8}, {0, 1, 4});
  const io::manifests::Dataset dataset = read_memory(bytes);
  EXPECT_EQ(dataset.lengths.src, (Sizes{5, 6, 7, 8}));
  EXPECT_EQ(dataset.inputs.front().format, "megatron-idx");
  EXPECT_EQ(dataset.inputs.front().fields, "sequences");
  ASSERT_EQ(dataset.notes.size(), 1U);
  EXPECT_NE(dataset.notes[0].find("seq-length="), std::string::npos);
  EXPECT_EQ(lengths_of(bytes, with_field("documents")), (Sizes{5, 21}));
  EXPECT_EQ(error_of(bytes, with_field("tokens")), "usage: --length-field: a Megatron-LM index has no 'tokens'");
}

TEST(MegatronIndex, MayHaveModes) {
  std::string bytes = megatron_index({5, 6, 7}, {0, 3});
  bytes += std::string(3, '\1');
  EXPECT_EQ(lengths_of(bytes), (Sizes{5, 6, 7}));
  bytes.pop_back();
  EXPECT_NE(error_of(bytes).find("within the modes of 3 sequences"), std::string::npos);
}

// Both begin alike: the size of the file tells them apart whatever the first sizes are.
TEST(Index, FairseqAndMegatronAreToldApartBySize) {
  const auto expect = [](const std::string& bytes, const std::string& format, const Sizes& sizes) {
    EXPECT_EQ(format_of(bytes), format);
    EXPECT_EQ(lengths_of(bytes), sizes);
  };
  expect(fairseq_index({2, 0, 5}), "fairseq-idx", {2, 0, 5});  // 2 | 0 << 32 could be a number of documents
  expect(fairseq_index({2}), "fairseq-idx", {2});
  expect(fairseq_index({1, 0}), "fairseq-idx", {1, 0});
  expect(megatron_index({2}, {0, 1}), "megatron-idx", {2});
  expect(megatron_index({2, 3}, {0, 0, 0, 2, 2, 2}), "megatron-idx", {2, 3});  // more documents than sequences
  Sizes many(20000, 3);  // longer than the head that formats are recognised by
  many[1] = 0;
  expect(fairseq_index(many), "fairseq-idx", many);
  expect(megatron_index(many, {0, 20000}), "megatron-idx", many);
}

TEST(Index, AskedForByTheWrongNameIsAnError) {
  EXPECT_NE(error_of(fairseq_index({3, 17, 1}), with_format("megatron-idx")), "");
  EXPECT_NE(error_of(megatron_index({3, 17, 1}, {0, 3}), with_format("fairseq-idx")), "");
  EXPECT_NE(error_of("3\n17\n", with_format("fairseq-idx")), "");
}

TEST(Index, PointersMustFollowFromTheSizes) {
  std::string bytes = fairseq_index({3, 17, 1});
  bytes[bytes.size() - 8] = 1;
  EXPECT_NE(error_of(bytes).find("points sequence 2 to where the sizes do not put it"), std::string::npos);
  EXPECT_NE(error_of(fairseq_index({3, 17, 1}, 4, 8)), "") << "int32 is not 8 bytes wide";
}

TEST(Index, DocumentsMustCoverTheSequences) {
  EXPECT_NE(error_of(megatron_index({5, 6, 7}, {0, 2})), "");
  EXPECT_NE(error_of(megatron_index({5, 6, 7}, {1, 3})), "");
  EXPECT_NE(error_of(megatron_index({5, 6, 7}, {0, 2, 1, 3})), "");
}

TEST(Index, NegativeSizesAreErrorsOrSkipped) {
  const std::string bytes = fairseq_index({3, 0xFFFFFFFFU, 1});
  EXPECT_NE(error_of(bytes), "");
  std::string pointers = kIndexMagic;
  put(pointers, 1, 8);
  put(pointers, 4, 1);
  put(pointers, 3, 8);
  for (const std::uint32_t size : {3U, 0xFFFFFFFFU, 1U}) put(pointers, size, 4);
  for (const std::uint64_t pointer : {0, 12, 8}) put(pointers, pointer, 8);
  EXPECT_NE(error_of(pointers).find("row 1: -1 is negative"), std::string::npos);
  io::manifests::ReadOptions skip;
  skip.skip_missing = true;
  EXPECT_EQ(lengths_of(pointers, skip), (Sizes{3, 1}));
}

TEST(Index, PromisesAreNotBelieved) {
  for (const std::uint64_t n : {std::uint64_t{1} << 60U, std::uint64_t{0xFFFFFFFFFFFFFFFF}, std::uint64_t{4}}) {
    std::string bytes = fairseq_index({3, 17, 1});
    std::string count;
    put(count, n, 8);
    bytes.replace(18, 8, count);
    EXPECT_NE(error_of(bytes), "") << n;
    std::string legacy = legacy_index({3, 17, 1});
    EXPECT_NE(error_of(std::string(legacy).replace(32, 8, count)), "") << n;
    EXPECT_NE(error_of(std::string(legacy).replace(40, 8, count)), "") << n;
    std::string megatron = megatron_index({3, 17, 1}, {0, 3});
    EXPECT_NE(error_of(std::string(megatron).replace(18, 8, count)), "") << n;
    EXPECT_NE(error_of(std::string(megatron).replace(26, 8, count)), "") << n;
  }
}

TEST(Index, VersionAndDataTypeMustBeKnown) {
  std::string bytes = fairseq_index({3});
  bytes[9] = 2;
  EXPECT_NE(error_of(bytes).find("version 2"), std::string::npos);
  EXPECT_NE(error_of(fairseq_index({3}, 11)).find("unknown data type 11"), std::string::npos);
  EXPECT_NE(error_of(fairseq_index({3}, 0)).find("unknown data type 0"), std::string::npos);
}

}  // namespace
}  // namespace seqpoint::testing
