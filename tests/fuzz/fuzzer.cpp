// libFuzzer's entry: SEQPOINT_FUZZ_TARGET names the target (tests/fuzz/targets.hpp).
#include <cstdio>
#include <cstdlib>

#include "targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const target = std::getenv("SEQPOINT_FUZZ_TARGET");
  if (target == nullptr || !seqpoint::fuzz::feed(target, {reinterpret_cast<const char*>(data), size})) {
    std::fprintf(stderr,
                 "SEQPOINT_FUZZ_TARGET must name a format, or be guess, trace, profile, seqpoints, steps-FORMAT, "
                 "steps-guess or step-map\n");
    std::exit(2);
  }
  return 0;
}
