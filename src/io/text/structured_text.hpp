/// \file
/// Recognises text whose lines are not its samples.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace seqpoint::io::text {

/// What a text is, and how to count its samples: a command that reads it from standard input and prints a length a
/// line.
struct StructuredText {
  std::string what;     ///< after the file's name: "is FASTA: ..."
  std::string way;      ///< before the command: "count its residues"
  std::string command;  ///< for a shell, with programs that every Debian has

  /// "count its residues: awk '...' <made.fasta >lengths.txt"
  std::string way_for(const std::string& path) const;
};

/// FASTA, FASTQ, CoNLL-U and other columns with a token a line, and tables without names. Nothing for other text.
/// `head`: stream::Input::head().
std::optional<StructuredText> structured_text(std::string_view head);

}  // namespace seqpoint::io::text
