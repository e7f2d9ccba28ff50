// libFuzzer's entries: SEQPOINT_FUZZ_TARGET names the target (tests/fuzz/targets.hpp).
#include <cstdio>
#include <cstdlib>

#include <string_view>

#include "io/stream/input.hpp"
#include "targets.hpp"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

const char* target_name() {
  static const char* const name = std::getenv("SEQPOINT_FUZZ_TARGET");
  return name == nullptr ? "" : name;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view target = target_name(), bytes(reinterpret_cast<const char*>(data), size);
  using namespace seqpoint::io::stream;
  // A kilobyte may stand for gigabytes, and more and more such inputs would be kept: they are targets of their own.
  if (target != "gzip" && target != "zstd" && packing_of(bytes) != Packing::none) return 0;
  if (!seqpoint::fuzz::feed(target, bytes)) {
    std::fprintf(stderr, "SEQPOINT_FUZZ_TARGET must name a target: a folder of tests/fuzz/corpus\n");
    std::exit(2);
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  if (!seqpoint::fuzz::is_document(target_name())) return LLVMFuzzerMutate(data, size, most);
  return seqpoint::fuzz::mutate_document(data, size, most, seed);
}
