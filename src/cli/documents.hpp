/// \file
/// Where the documents that messages name are for the user.
#pragma once

#include <string>

namespace seqpoint::cli {

/// The text with the paths of documents and examples (docs/x.md, examples/x) in the folder in which they were installed
/// with this program. In a clone they stay as they are.
std::string with_documents(std::string text);

}  // namespace seqpoint::cli
