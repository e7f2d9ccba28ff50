/// \file
/// Files that people have and that are not read.
#pragma once

#include <string>
#include <string_view>

namespace seqpoint::io::text {

/// Throws InputError where the first bytes (decompressed) or the name are those of such a file: it says what it is, and
/// how its lengths or times get into a file that is read.
void refuse_foreign_file(const std::string& path, std::string_view head);

/// The same for text alone that has another encoding or other line ends, which any reader of text would misread.
void refuse_foreign_text(const std::string& path, std::string_view head);

/// The same for what no reader recognised: logs that have some of what is read, binary files.
void refuse_unknown_file(const std::string& path, std::string_view head);

/// A command with the path in place of the word FILE, if that can be pasted into a shell.
std::string with_path(std::string command, const std::string& path);

}  // namespace seqpoint::io::text
