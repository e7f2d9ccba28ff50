/// \file
/// The rows of the table of formats, one family per file. To add a format: its file here, its row in
/// ../formats.def, its tests and a seed for the fuzzer.
#pragma once

#include "io/manifests/dataset.hpp"

namespace seqpoint::io::manifests::formats {

#define ROW(name) extern const Reader name;
#include "io/manifests/formats.def"

}  // namespace seqpoint::io::manifests::formats
