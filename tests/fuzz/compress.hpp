/// \file
/// Bytes compressed as gzip or zstd; the same input gives the same bytes.
#pragma once

#include <string>
#include <string_view>

namespace seqpoint::fuzz {

std::string gzipped(std::string_view bytes);
std::string zstd_compressed(std::string_view bytes);

}  // namespace seqpoint::fuzz
