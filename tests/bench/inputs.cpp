#include "inputs.hpp"

#include <array>
#include <charconv>
#include <cstdio>
#include <fstream>

#include "io/manifests/dataset.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::bench {
namespace {

/// As Python writes it: the shortest text of the same double.
std::string duration_text(std::uint32_t samples) {
  std::array<char, 32> text{};
  const auto written = std::to_chars(text.data(), text.data() + text.size(), samples / 16000.0);
  return {text.data(), written.ptr};
}

/// About as many words as are spoken in that time.
std::string transcript(std::uint32_t samples) {
  constexpr std::array<const char*, 7> kWords{"the", "and", "of", "whether", "it", "people", "without"};
  std::string text;
  for (std::uint32_t w = 0; w < 1 + samples / 16000 * 2; ++w)
    text += (w > 0 ? " " : "") + std::string(kWords[(w * 5 + samples) % kWords.size()]);
  return text;
}

/// `make(i, samples)` is a row.
template <class Make>
void write_rows(const std::string& path, const std::string& header, std::uint64_t rows, Make make) {
  const std::vector<std::uint32_t> samples = librispeech_samples();
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < samples.size(); ++i) lines.push_back(make(i, samples[i]));
  std::ofstream out(path, std::ios::binary);
  out << header;
  for (std::uint64_t i = 0; i < rows; ++i) out << lines[i % lines.size()];
}

std::string utterance(std::size_t i) {
  return "103-" + std::to_string(1240 + i / 40) + "-" + std::to_string(10000 + i % 40).substr(1);
}

}  // namespace

std::vector<std::uint32_t> librispeech_samples() {
  std::vector<io::stream::Input> inputs;
  inputs.push_back(
      io::stream::Input::open(std::string(SEQPOINT_SOURCE_DIR) + "/examples/data/librispeech-train-clean-100.csv"));
  io::manifests::ReadOptions options;
  options.unit = lengths::LengthUnit::frames;  // as they stand
  return io::manifests::read_dataset(std::move(inputs), {}, options).lengths.src;
}

void write_jsonl(const std::string& path, std::uint64_t rows) {
  write_rows(path, "", rows, [](std::size_t i, std::uint32_t samples) {
    return "{\"audio_filepath\": \"train-clean-100/" + utterance(i) +
           ".flac\", \"duration\": " + duration_text(samples) + ", \"text\": \"" + transcript(samples) + "\"}\n";
  });
}

void write_csv(const std::string& path, std::uint64_t rows) {
  write_rows(path, "utterance,audio_filepath,duration,text\n", rows, [](std::size_t i, std::uint32_t samples) {
    return utterance(i) + ",train-clean-100/" + utterance(i) + ".flac," + duration_text(samples) + "," +
           transcript(samples) + "\n";
  });
}

std::uint32_t times_of_length(std::uint32_t length) { return 1 + length * 7919U % 20; }

void write_index(const std::string& path, std::uint64_t documents) {
  std::ofstream file(path, std::ios::binary);
  const auto put = [&file](const auto& number) {
    file.write(reinterpret_cast<const char*>(&number), static_cast<std::streamsize>(sizeof number));
  };
  const auto tokens = [](std::uint64_t document) { return static_cast<std::int32_t>(1 + document * 7919 % 2000); };
  file.write("MMIDIDX\0\0", 9);
  put(std::uint64_t{1});  // version
  put(std::uint8_t{8});   // tokens of 16 bits
  put(documents);
  put(documents + 1);
  for (std::uint64_t d = 0; d < documents; ++d) put(tokens(d));
  std::uint64_t at = 0;
  for (std::uint64_t d = 0; d < documents; at += 2 * static_cast<std::uint64_t>(tokens(d++))) put(at);
  for (std::uint64_t d = 0; d <= documents; ++d) put(d);
}

void write_run(const std::string& path, std::uint64_t iterations, std::uint32_t unique) {
  std::ofstream out(path, std::ios::binary);
  out << "iteration,src_len,batch_size\n";
  for (std::uint64_t i = 0; i < iterations; ++i) out << i << ',' << 1 + i * 7919 % unique << ",64\n";
}

void write_log(const std::string& path, std::uint64_t rows, std::uint32_t unique) {
  std::ofstream out(path, std::ios::binary);
  out << "seq_len,runtime_s\n";
  for (std::uint64_t r = 0; r < rows; ++r) {
    const std::uint64_t length = 1 + r * 7919 % unique, scatter = r * 0x9E3779B97F4A7C15U >> 54U;  // 0 to 1023
    out << length << ",0." << 100'000 + 100'000 * length / unique + scatter << '\n';
  }
}

void write_profile(const std::string& path, std::uint32_t points, std::uint64_t rows, std::uint32_t percent) {
  std::ofstream out(path, std::ios::binary);
  out << "point,iteration,runtime_s\n";
  for (std::uint64_t r = 0; r < rows; ++r) {
    const std::uint64_t point = r % points, nanoseconds = 10'000'000 * (1 + point);
    const std::uint64_t scatter = r * 0x9E3779B97F4A7C15U >> 54U;  // 0 to 1023
    out << "sp" << 1 + point << ",," << nanoseconds + nanoseconds * percent / 100 * scatter / 1023 << "e-9\n";
  }
}

namespace {

/// One event, as libkineto lays it out.
std::string trace_event(const std::string& cat, const std::string& name, int pid, int tid, std::uint64_t ns,
                        std::uint64_t duration, const std::string& args) {
  const auto microseconds = [](std::uint64_t value) {
    return std::to_string(value / 1000) + "." + std::to_string(1000 + value % 1000).substr(1);
  };
  return "  {\n    \"ph\": \"X\", \"cat\": \"" + cat + "\", \"name\": \"" + name +
         "\", \"pid\": " + std::to_string(pid) + ", \"tid\": " + std::to_string(tid) +
         ",\n    \"ts\": " + microseconds(ns) + ", \"dur\": " + microseconds(duration) + ",\n    \"args\": {\n      " +
         args + "\n    }\n  }";
}

std::string trace_step(std::uint64_t number) {
  constexpr std::uint64_t kStep = 10'000'000, kOperators = 160;
  const std::uint64_t begin = 1'700'000'000'000'000'000 + number * kStep;
  std::string text = trace_event("user_annotation", "ProfilerStep#" + std::to_string(number), 10, 10, begin,
                                 kStep - 1000, "\"External id\": " + std::to_string(number));
  for (std::uint64_t o = 0; o < kOperators; ++o) {
    const std::uint64_t at = begin + 1000 + o * 50'000, id = number * kOperators + o;
    const std::string external = "\"External id\": " + std::to_string(id);
    text += ",\n" + trace_event("cpu_op", o % 2 == 0 ? "aten::linear" : "aten::add", 10, 10, at, 45'123,
                                external + ", \"Sequence number\": " + std::to_string(id) +
                                    ", \"Fwd thread id\": 0, \"Input Dims\": [[64, 213, 1024], [1024, 1024], []]");
    text += ",\n" + trace_event("cuda_runtime", "cudaLaunchKernel", 10, 10, at + 10'000, 5'021,
                                external + ", \"cbid\": 211, \"correlation\": " + std::to_string(id));
    text += ",\n" +
            trace_event("kernel",
                        "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, "
                        "at::detail::Array<char*, 3> >(int)",
                        0, 7, at + 20'000, 24'576 + o,
                        external + ", \"queued\": 0, \"device\": 0, \"context\": 1, \"stream\": 7, \"correlation\": " +
                            std::to_string(id) +
                            ", \"registers per thread\": 32, \"grid\": [4096, 1, 1], \"block\": [128, 1, 1]");
  }
  return text;
}

}  // namespace

void write_trace(const std::string& path, std::uint64_t bytes) {
  std::ofstream out(path, std::ios::binary);
  out << "{\n  \"schemaVersion\": 1,\n  \"deviceProperties\": [{\"id\": 0}],\n  \"traceEvents\": [\n";
  std::uint64_t written = 0;
  for (std::uint64_t step = 0; written < bytes; ++step) {
    const std::string text = (step > 0 ? ",\n" : "") + trace_step(step);
    out << text;
    written += text.size();
  }
  out << "\n  ],\n  \"traceName\": \"worker.pt.trace.json\"\n}\n";
}

void stream_lengths(std::uint64_t rows) {
  const std::vector<std::uint32_t> samples = librispeech_samples();
  std::string block;
  for (const std::uint32_t length : samples) block += std::to_string(length / 160) + '\n';
  for (; rows >= samples.size(); rows -= samples.size())
    if (std::fwrite(block.data(), 1, block.size(), stdout) != block.size()) return;
  for (std::uint64_t i = 0; i < rows; ++i) std::printf("%u\n", samples[i] / 160);
}

}  // namespace seqpoint::bench
