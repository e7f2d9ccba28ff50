/// \file
/// Bytes compressed as gzip or zstd; the same input gives the same bytes.
#pragma once

#include <string>
#include <string_view>

namespace seqpoint::io::stream {

std::string gzipped(std::string_view bytes);
std::string zstd_compressed(std::string_view bytes);

}  // namespace seqpoint::io::stream
