/// \file
/// Files that people have and that are not read: what they are, by their first bytes, and the way out.
#pragma once

#include <string_view>

namespace seqpoint::io::text {

struct ForeignFile {
  std::string_view what;  ///< "is a NumPy archive (.npz)"
  std::string_view hint;  ///< how its lengths get into a file that is read
};

/// `head`: the first bytes, decompressed. Null for anything else.
const ForeignFile* foreign_file(std::string_view path, std::string_view head);

}  // namespace seqpoint::io::text
