/// \file
/// Recognises common files that are not supported.
#pragma once

#include <string>
#include <string_view>

namespace seqpoint::io::text {

/// Throws InputError if the first bytes (decompressed) or the name are those of such a file: the message names its
/// kind, and how to convert its lengths or times into a supported file.
void refuse_foreign_file(const std::string& path, std::string_view head);

/// The same for text with another encoding or other line ends, which any reader of text would misread.
void refuse_foreign_text(const std::string& path, std::string_view head);

/// The same for binary files that no reader recognised.
void refuse_unknown_file(const std::string& path, std::string_view head);

/// A command with the path in place of the word FILE, if that can be pasted into a shell.
std::string with_path(std::string command, const std::string& path);

}  // namespace seqpoint::io::text
