/// \file
/// TensorBoard's files of events: records of two protocol buffers, Event and Summary.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::io::profiles::engine {

/// A number that was logged.
struct Scalar {
  std::string_view tag;  ///< in the file's bytes
  std::uint64_t step = 0;
  double wall_time = 0,  ///< seconds since 1970
      value = 0;
};

struct EventFile {
  std::vector<Scalar> scalars;
  std::uint64_t events = 0,  ///< that are whole
      damaged = 0;           ///< whose checksum is not that of their bytes, or that are no event
  bool cut = false;          ///< ends inside an event
};

EventFile read_events(std::string_view bytes);

}  // namespace seqpoint::io::profiles::engine
