/// \file
/// The column of lengths: the one that the user names, else the first with a usual name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/manifests/row_sink.hpp"
#include "io/text/csv.hpp"

namespace seqpoint::io::manifests::engine {

/// The column of text.
inline constexpr auto kTextHint =
    "text is counted by the job's own tokenizer: python3 -m seqpoint_companion lengths FILE --tokenizer NAME -o "
    "lengths.csv";

/// Whether a name implies one number per row (`duration`, `num_tokens`, `src_len`): a list under it contains several
/// rows. A list under any other name (`input_ids`, `tokens`) is the sample itself, and its elements are counted.
/// `asked`: the user named the column, so `samples` and `frames` are lists of these.
bool names_one_number(std::string_view column, bool asked);

/// Throws InputError if a name implies a position (`start`, `end`, `cu_seqlens`) instead of a length.
void refuse_place(const std::string& column, const std::string& path);

/// The first of the usual names that occurs in `names`; empty if there is none.
std::string usual_length_column(const std::vector<std::string>& names);

/// Sets the sink's columns from a header. A source column ("src...") implies its target column ("tgt..."), if there is
/// one. `usual`: the format's own column of lengths, if it has one. Throws InputError at `line`, with a list of the
/// columns, if there is none.
void choose_columns(const std::vector<std::string>& names, std::uint64_t line, RowSink& sink,
                    std::string_view usual = {});

}  // namespace seqpoint::io::manifests::engine
