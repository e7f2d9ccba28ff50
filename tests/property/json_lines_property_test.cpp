// A line of JSON reads the same whether the lines before it had its shape or not, in one block or in many, on one
// thread or on several, copied or mapped.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "unit/read_memory.hpp"

namespace seqpoint::testing::json_lines_property {
namespace {

struct Writer {
  std::string format, field;
  std::string (*line)(std::mt19937&);
};

std::string number(std::mt19937& random) {
  constexpr std::array<const char*, 12> kNumbers{
      "14.085", "3", "0.5", "12.340000000000002", "1e2", "7.0", "0", "-1", "null", "true", "\"5\"", "1x"};
  // Most are good, for a problem in every line would hide all after the first twenty.
  return kNumbers[random() % (random() % 40 == 0 ? kNumbers.size() : 7)];
}
std::string text(std::mt19937& random) {
  constexpr std::array<const char*, 8> kTexts{
      "of the people", "",  "caf\xc3\xa9", "\\u00e9 \\\"x\\\"",
      "a, b: {c}",     "]", "tab\\t",      "long enough for more than one step of thirty-two bytes, and more"};
  return kTexts[random() % kTexts.size()];
}

const std::vector<Writer> kWriters{
    {"nemo", "",
     [](std::mt19937& r) {
       return "{\"audio_filepath\": \"" + text(r) + "\", \"duration\": " + number(r) +
              (r() % 9 == 0 ? ", \"offset\": 1.5" : "") + (r() % 20 == 0 ? ", \"duration\": 2" : "") +
              ", \"text\": \"" + text(r) + "\"}\n";
     }},
    {"jsonl", "n.len",
     [](std::mt19937& r) {
       return "{\"id\": \"" + text(r) + "\", \"n\": {\"len\": " + std::to_string(r() % 5000) +
              ", \"x\": [1, {\"len\": 2}]}, \"ok\": " + (r() % 5 == 0 ? "false" : "true") + "}\n";
     }},
    {"hf", "",
     [](std::mt19937& r) {
       return r() % 3 == 0
                  ? "{\"input_ids\": [1, 2], \"length\": " + std::to_string(r() % 900) + "}\r\n"
                  : "{\"length\": " + std::to_string(r() % 900) + (r() % 20 == 0 ? ", \"length\": 1" : "") + "}\n";
     }},
    {"lhotse-cuts", "",
     [](std::mt19937& r) {
       constexpr std::array<const char*, 8> kTypes{"MonoCut", "MonoCut",  "MonoCut",  "MultiCut",
                                                   "DataCut", "MixedCut", "ShortCut", "Mono\\u0043ut"};
       const std::string type = kTypes[r() % (r() % 40 == 0 ? kTypes.size() : 6)];
       const std::string track = "{\"offset\": " + number(r) + ", \"cut\": {\"duration\": " + number(r) + "}}";
       return "{\"id\": \"" + text(r) + "\", \"start\": 5.0" +
              (r() % 30 == 0 ? "" : ", \"duration\": " + (r() % 60 == 0 ? "[1]" : number(r))) +
              (r() % 60 == 0 ? ", \"duration\": 2" : "") + (r() % 20 == 0 ? ", \"snr_reference\": null" : "") +
              (r() % 40 == 0 ? ", \"snr_reference\": " + track : "") +
              (type == "MixedCut" || r() % 40 == 0 ? ", \"tracks\": [" + track + "]" : "") +
              (r() % 60 == 0   ? ""
               : r() % 60 == 0 ? ", \"type\": 5"
                               : ", \"type\": \"" + type + "\"") +
              "}\n";
     }},
};

/// Everything that reading ends in.
struct Outcome {
  std::vector<std::uint32_t> lengths;
  std::string error, digest;
  std::vector<std::string> notes;
  std::uint64_t rows = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome outcome_of(std::string_view bytes, const io::manifests::ReadOptions& options) {
  try {
    const io::manifests::Dataset data = read_memory(bytes, options);
    return {data.lengths.src, "", data.inputs.front().digest, data.notes, data.rows};
  } catch (const InputError&) {
    return {{}, error_of(bytes, options), "", {}, 0};
  }
}
Outcome without_digest(Outcome outcome) {
  outcome.digest.clear();
  return outcome;
}

io::manifests::ReadOptions options_for(const Writer& writer, bool skip) {
  io::manifests::ReadOptions options = with_field(writer.field);
  options.format = writer.format;
  options.length_unit = lengths::LengthUnit::seconds;
  options.frames = {100, 0.01};
  options.skip_missing = skip;
  return options;
}

/// Every line begins with so many blanks that no other begins so: no two have the same shape.
std::string all_shapes_apart(const std::vector<std::string>& lines) {
  std::string bytes;
  for (std::size_t i = 0; i < lines.size(); ++i) bytes += (i == 0 ? "" : std::string(i, ' ')) + lines[i];
  return bytes;
}
std::string joined(const std::vector<std::string>& lines) {
  std::string bytes;
  for (const std::string& line : lines) bytes += line;
  return bytes;
}

void damage(std::string& line, std::mt19937& random) {
  const std::string_view alphabet = "\"\\{}[]:,. 019-eEnut\t\x01\x7f\x80\xc3\xa9\xff";
  for (auto changes = random() % 2 + 1; changes > 0 && line.size() > 1; --changes) {
    const std::size_t at = random() % (line.size() - 1);
    const char byte = alphabet[random() % alphabet.size()];
    switch (random() % 4) {
      case 0: line.insert(at, 1, byte); break;
      case 1: line.erase(at, 1 + random() % 3); break;
      case 2: line[at] = byte; break;
      default: line.insert(at, line.substr(random() % line.size(), random() % 12));
    }
  }
}

TEST(JsonLines, AShapeKnownOrNotMakesNoDifference) {
  for (const unsigned seed : {1U, 2U, 3U})
    for (const Writer& writer : kWriters) {
      std::mt19937 random(seed);
      for (int round = 0; round < 400; ++round) {
        std::vector<std::string> lines;
        for (int i = 0; i < 40; ++i) lines.push_back(writer.line(random));
        for (auto damaged = random() % 4; damaged > 0; --damaged)
          damage(lines[1 + random() % (lines.size() - 1)], random);
        for (const bool skip : {false, true}) {
          const io::manifests::ReadOptions options = options_for(writer, skip);
          EXPECT_EQ(without_digest(outcome_of(joined(lines), options)),
                    without_digest(outcome_of(all_shapes_apart(lines), options)))
              << writer.format << ", seed " << seed << ", round " << round;
        }
      }
    }
}

TEST(JsonLines, TheLengthsAreThoseThatWereWritten) {
  std::mt19937 random(1);
  std::string bytes;
  std::vector<std::uint32_t> expected;
  for (int i = 0; i < 20000; ++i) {
    expected.push_back(static_cast<std::uint32_t>(random() % 100000));
    const std::string id = std::to_string(random());
    bytes += i % 7 == 0 ? "{\"length\": " + std::to_string(expected.back()) + ", \"id\": \"" + id + "\"}\n"
                        : "{\"id\": \"" + id + "\", \"length\": " + std::to_string(expected.back()) + "}\n";
  }
  for (const std::size_t threads : {1U, 2U, 5U}) {
    io::manifests::ReadOptions options;
    options.threads = threads;
    EXPECT_EQ(lengths_of(bytes, options), expected) << threads << " threads";
  }
}

TEST(JsonLines, ThreadsMakeNoDifference) {
  for (const Writer& writer : kWriters) {
    std::mt19937 random(5);
    std::vector<std::string> lines;
    for (int i = 0; i < 15000; ++i) lines.push_back(writer.line(random));
    for (int i = 0; i < 4; ++i) damage(lines[lines.size() / 2 + static_cast<std::size_t>(i)], random);
    for (const std::string& bytes : {joined(lines), "\xef\xbb\xbf" + joined(lines), joined(lines) + "{\"length\": 1",
                                     joined(lines) + lines[0].substr(0, lines[0].size() - 1)}) {
      io::manifests::ReadOptions options = options_for(writer, true);
      const Outcome one = outcome_of(bytes, options);
      for (const std::size_t threads : {2U, 3U, 8U}) {
        options.threads = threads;
        EXPECT_EQ(outcome_of(bytes, options), one) << writer.format << ", " << threads << " threads";
      }
    }
  }
}

TEST(MappedFiles, AreReadAsOthers) {
  const std::string path = std::string(SEQPOINT_SOURCE_DIR) + "/examples/data/librispeech-train-clean-100.csv";
  const auto read = [&](bool map, std::size_t threads) {
    std::vector<io::stream::Input> inputs;
    inputs.push_back(io::stream::Input::open(path));
    io::manifests::ReadOptions options;
    options.map_files = map;
    options.threads = threads;
    return io::manifests::read_dataset(std::move(inputs), {}, options);
  };
  const io::manifests::Dataset copied = read(false, 1);
  EXPECT_EQ(copied.rows, 28539U);
  for (const std::size_t threads : {1U, 2U, 4U}) {
    const io::manifests::Dataset mapped = read(true, threads);
    EXPECT_EQ(mapped.lengths, copied.lengths);
    EXPECT_EQ(mapped.inputs.front().digest, copied.inputs.front().digest);
  }
}

}  // namespace
}  // namespace seqpoint::testing::json_lines_property
