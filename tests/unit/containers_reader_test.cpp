// Shards that are made here byte by byte, as the formats' descriptions say: tar archives (POSIX.1-2017, pax),
// MosaicML's MDS, datatrove's index. What their own libraries wrote is in tests/golden/scan.
#include <gtest/gtest.h>

#include <random>

#include "io/manifests/containers/energon_splits.hpp"
#include "io/manifests/containers/webdataset_rows.hpp"
#include "unit/read_memory.hpp"
#include "unit/reading.hpp"

namespace seqpoint::testing {
namespace {

// --- tar ------------------------------------------------------------------------------------------------------------

std::string octal(std::uint64_t number, std::size_t digits) {
  std::string text(digits, '0');
  for (std::size_t i = digits; i-- > 0; number /= 8) text[i] = static_cast<char>('0' + number % 8);
  return text;
}

/// A member: its header with the checksum, its bytes, and zeros up to the next block.
std::string member(const std::string& name, const std::string& bytes, char type = '0') {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(124, 11, octal(bytes.size(), 11));
  header[156] = type;
  header.replace(257, 8,
                 std::string("ustar\0"
                             "00",
                             8));
  header.replace(148, 8, "        ");
  std::uint64_t sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  header.replace(148, 7, octal(sum, 6) + std::string(1, '\0'));
  return header + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}
std::string archive(const std::string& members) { return members + std::string(1024, '\0'); }

const std::string kTwo = archive(member("a.json", R"({"duration": 1.5})") + member("a.txt", "one two") +
                                 member("d/b.json", R"({"duration": 2})") + member("d/b.txt", "three"));

TEST(WebDataset, NeighboursOfOneKeyAreASample) {
  EXPECT_EQ(format_of(kTwo), "webdataset");
  EXPECT_EQ(lengths_of(kTwo), (Lens{150, 200}));
  EXPECT_EQ(lengths_of(kTwo, with_field("txt")), (Lens{2, 1}));
}

TEST(WebDataset, LongNamesAndSizesOfPaxAndGnu) {
  const std::string name = std::string(150, 'n') + "/x.json", text = R"({"duration": 1})";
  const std::string path = "path=" + name + "\n", record = std::to_string(path.size() + 4) + " " + path;
  const std::string pax = member("h", record, 'x') + member("short.txt", text);
  const std::string gnu = member("././@LongLink", name + std::string(1, '\0'), 'L') + member("short.txt", text);
  EXPECT_EQ(lengths_of(archive(pax)), (Lens{100}));
  EXPECT_EQ(lengths_of(archive(gnu)), (Lens{100}));
  const std::string sized = member("h", "11 size=15\n", 'x') + member("x.json", text);
  EXPECT_EQ(lengths_of(archive(sized)), (Lens{100})) << "of " << text.size() << " bytes";
}

TEST(WebDataset, WhatIsNoFileIsNoMember) {
  const std::string others = member("d", "", '5') + member("l.json", "", '2') + member("__x__/b.json", "{}");
  EXPECT_EQ(lengths_of(archive(others + member("a.json", R"({"duration": 1})"))), (Lens{100}));
}

/// webdataset/tariterators.py: base_plus_ext, with the regular expression ^((?:.*/|)[^.]+)[.]([^/]*)$
TEST(WebDataset, NamesAreCutAtTheFirstDotOfTheLastPart) {
  const auto cut = [](const char* name) {
    const auto [key, kind] = io::manifests::containers::cut_name(name);
    return std::string(key) + "|" + kind;
  };
  EXPECT_EQ(cut("a.b/c.seg.JPG"), "a.b/c|seg.jpg");
  EXPECT_EQ(cut("c."), "c|");
  EXPECT_EQ(cut("./a/.x"), "./a/|x");
  EXPECT_EQ(cut("/.x"), "/|x");
  for (const char* const none : {".x", "./.x", "a.b/.x", "a/b", ""}) EXPECT_EQ(cut(none), "|") << none;
}

TEST(WebDataset, EveryCutIsRefusedButInTheZerosBehindTheEnd) {
  const std::string padded = kTwo + std::string(3 * 512, '\0');
  for (std::size_t size = 0; size < kTwo.size(); ++size) EXPECT_NE(error_of(kTwo.substr(0, size)), "") << size;
  EXPECT_EQ(error_of(padded), "");
  EXPECT_TRUE(says(error_of(kTwo + kTwo), "goes on behind the mark of its end"));
}

TEST(WebDataset, DamageIsReadOrRefused) {
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = kTwo;
    for (auto changes = random() % 3 + 1; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    error_of(bytes, with_format(std::string("webdataset")));
  }
}

// --- MDS ------------------------------------------------------------------------------------------------------------

constexpr auto kColumns =
    R"("column_encodings": ["int", "ndarray:int32"], "column_names": ["id", "tokens"], "column_sizes": [8, null])";

/// Arrays of one dimension of 8 bits, behind a number of 64 bits.
std::string shard(const std::vector<std::uint8_t>& sizes) {
  const std::string config = "{}";
  std::string samples, table;
  const std::size_t begin = 4 * (2 + sizes.size()) + config.size();
  put(table, sizes.size(), 4);
  for (const std::uint8_t size : sizes) {
    put(table, begin + samples.size(), 4);
    put(samples, 2 + 4 * std::size_t{size}, 4);
    put(samples, 7, 8);
    samples += std::string("\x04") + static_cast<char>(size) + std::string(4 * std::size_t{size}, 'x');
  }
  put(table, begin + samples.size(), 4);
  return table + config + samples;
}
std::string index_of(std::size_t samples) {
  return R"({"shards": [{)" + std::string(kColumns) +
         R"(, "compression": null, "format": "mds", "raw_data": {"basename": "s.mds", "bytes": 1}, "samples": )" +
         std::to_string(samples) + R"(, "version": 2, "zip_data": null}], "version": 2})";
}

TEST(Mds, ArraysAreTheirFirstDimension) {
  MemoryFiles files;
  files.contents["d/s.mds"] = shard({3, 200, 1});
  const io::manifests::Dataset data = read("d/index.json", index_of(3), beside(files));
  EXPECT_EQ(data.lengths.src, (Lens{3, 200, 1}));
  ASSERT_EQ(data.inputs.size(), 2U);
  EXPECT_EQ(data.inputs[0].format, "mds");
  EXPECT_EQ(data.inputs[1].path, "d/s.mds");
  EXPECT_EQ(data.inputs[1].rows, 3U);
  io::manifests::ReadOptions numbers = beside(files);
  numbers.length_field = "id";
  EXPECT_EQ(read("d/index.json", index_of(3), numbers).lengths.src, (Lens{7, 7, 7}));
}

TEST(Mds, EveryCutAndWhateverFollowsIsRefused) {
  const std::string whole = shard({3, 2});
  MemoryFiles files;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    files.contents["s.mds"] = whole.substr(0, size);
    EXPECT_NE(refusal("index.json", index_of(2), beside(files)), "") << size;
  }
  files.contents["s.mds"] = whole + "x";
  EXPECT_TRUE(says(refusal("index.json", index_of(2), beside(files)), "goes on behind its end"));
  files.contents["s.mds"] = whole;
  EXPECT_TRUE(
      says(refusal("index.json", index_of(3), beside(files)), "does not have the 3 samples of its index, but 2"));
  EXPECT_TRUE(says(refusal("other/index.json", index_of(2), beside(files)), "other/s.mds: No such file"));
}

TEST(Mds, DamageIsReadOrRefused) {
  std::mt19937 random(4);
  MemoryFiles files;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = shard({3, 2, 9}), index = index_of(3);
    bytes[random() % bytes.size()] = static_cast<char>(random());
    if (round % 2 == 0) index[random() % index.size()] = static_cast<char>(random() % 128);
    files.contents["s.mds"] = bytes;
    io::manifests::ReadOptions options = beside(files);
    options.format = "mds";
    refusal("index.json", index, options);
  }
}

// --- datatrove and Energon ------------------------------------------------------------------------------------------

TEST(Datatrove, DocumentsAreTheDistancesOfTheirEnds) {
  std::string bytes;
  for (const std::uint64_t end : {12ULL, 15ULL, 15ULL, 70000ULL}) put(bytes, end, 8);
  EXPECT_EQ(read("a.ds.index", bytes).lengths.src, (Lens{12, 3, 0, 69985}));
  for (std::size_t size = 1; size < bytes.size(); ++size)
    EXPECT_EQ(refusal("a.ds.index", bytes.substr(0, size)).empty(), size % 8 == 0) << size;
  MemoryFiles files;
  files.contents["a.ds"] = std::string(140000, 'x');
  EXPECT_EQ(refusal("a.ds.index", bytes, beside(files)), "");
  files.contents["a.ds"] += 'x';
  EXPECT_TRUE(says(refusal("a.ds.index", bytes, beside(files)), "not 2 or 4 a token"));
}

TEST(Energon, SplitsAsYamlWritesThem) {
  const auto splits =
      io::manifests::containers::read_energon_splits("split.yaml",
                                                     "exclude:\n- a.tar\nsplit_parts:\n  train:\n  - 's-{0..2}.tar'\n  "
                                                     "- t.tar\n  val: [u.tar, \"v.tar\"]\n  test: []\n");
  EXPECT_EQ(splits.excluded, std::vector<std::string>{"a.tar"});
  ASSERT_EQ(splits.splits.size(), 3U);
  EXPECT_EQ(splits.splits[0].shards, (std::vector<std::string>{"s-{0..2}.tar", "t.tar"}));
  EXPECT_EQ(splits.splits[1].shards, (std::vector<std::string>{"u.tar", "v.tar"}));
  EXPECT_TRUE(splits.splits[2].shards.empty());
  EXPECT_THROW(io::manifests::containers::read_energon_splits("split.yaml", "- a\n"), InputError);
}

}  // namespace
}  // namespace seqpoint::testing
