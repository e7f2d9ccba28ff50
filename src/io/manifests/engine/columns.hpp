/// \file
/// Which column holds the lengths: the one that the user names, else the first with a usual name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/manifests/row_sink.hpp"
#include "io/text/csv.hpp"

namespace seqpoint::io::manifests::engine {

/// Where there is text.
inline constexpr auto kTextHint =
    "text is counted by the job's own tokenizer: python3 -m seqpoint_companion lengths FILE --tokenizer NAME -o "
    "lengths.csv";

/// Whether a name is that of one number a row (`duration`, `num_tokens`, `src_len`): a list under it is of several
/// rows. A list under any other name (`input_ids`, `tokens`) is the sample itself, and its elements are counted.
/// `asked`: the user has named the column, so that `samples` and `frames` are lists of these.
bool names_one_number(std::string_view column, bool asked);

/// Throws InputError where a name is that of a place (`start`, `end`, `cu_seqlens`) and not of a length.
void refuse_place(const std::string& column, const std::string& path);

/// The usual name among `names` that comes first in the list of usual names; empty if there is none.
std::string usual_length_column(const std::vector<std::string>& names);

/// Sets the sink's columns from a header. A source column ("src...") brings its target column ("tgt...") with it where
/// there is one. `usual`: the format's own column of lengths, if it has one. Throws InputError at `line`, with a list
/// of the columns, where there is none.
void choose_columns(const std::vector<std::string>& names, std::uint64_t line, RowSink& sink,
                    std::string_view usual = {});

}  // namespace seqpoint::io::manifests::engine
