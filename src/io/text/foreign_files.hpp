/// \file
/// Recognises common files that are not supported.
#pragma once

#include <string>
#include <string_view>

namespace seqpoint::io::text {

/// Throws InputError if the first bytes (decompressed) or the name are those of a file that is not supported, also if
/// refuse_foreign_text() does. The message names its kind, and how to convert its lengths or times into a supported
/// file.
void refuse_foreign_file(const std::string& path, std::string_view head);

/// Throws InputError for bytes that any reader of text would misread: UTF-16, lines that end with CR alone, a pointer
/// of Git LFS, data that was compressed twice.
void refuse_foreign_text(const std::string& path, std::string_view head);

/// Throws InputError if the first bytes contain a zero byte. For files that no reader recognised.
void refuse_unknown_file(const std::string& path, std::string_view head);

/// A command with the path, as a word of a shell, in place of every FILE. Unchanged for standard input, and for a path
/// that no message shows as it is.
std::string with_path(std::string command, const std::string& path);

/// A command that reads the file from standard input and writes another: "tr '\r' '\n' <mac.csv >unix.csv"; one that is
/// packed is unpacked: "gzip -dc mac.csv.gz | tr '\r' '\n' >unix.csv". The path is put in as by with_path(). Standard
/// input ("-") is the command's own.
std::string filtered(std::string_view command, const std::string& path, std::string_view output);

}  // namespace seqpoint::io::text
