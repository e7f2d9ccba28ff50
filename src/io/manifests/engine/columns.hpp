/// \file
/// The column of lengths: the one that the user names, else the first with a usual name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/manifests/row_sink.hpp"
#include "io/text/csv.hpp"

namespace seqpoint::io::manifests::engine {

/// Hint for errors about text instead of lengths: the command that counts the tokens of a file.
std::string text_hint(const std::string& path);

/// Whether a name, of a dotted key its last part, implies one number per row (`duration`, `num_tokens`, `src_len`): a
/// list under it contains several rows. A list under any other name (`input_ids`, `tokens`) is the sample itself, and
/// its elements are counted. `asked`: the user named the column, so `samples` and `frames` are lists of these.
bool names_one_number(std::string_view column, bool asked);

/// Throws InputError if a name, of a dotted key its last part, implies a position (`start`, `end`, `cu_seqlens`)
/// instead of a length. `path`: the file, for the error.
void refuse_place(const std::string& column, const std::string& path);

/// The usual name of a column of lengths that occurs in `names`; of several the most likely, whatever their order;
/// empty if there is none.
std::string usual_length_column(const std::vector<std::string>& names);

/// Sets the sink's columns from a header: those that the user names, else the usual one. A source column ("src...")
/// implies its target column ("tgt..."), if there is one; a target file is read from that. Throws InputError at `line`
/// if a column is missing or repeated, or is a position.
void choose_columns(const std::vector<std::string>& names, std::uint64_t line, RowSink& sink);

}  // namespace seqpoint::io::manifests::engine
