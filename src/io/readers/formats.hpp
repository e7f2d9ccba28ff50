/// \file
/// The rows of the table of formats, one family a file. To add a format: its file here, its declaration, its row in
/// table.cpp, its tests and a seed for the fuzzer.
#pragma once

#include "seqpoint/io/readers.hpp"

namespace seqpoint {

extern const Reader kNemo;
extern const Reader kJsonl;
extern const Reader kTrace;
extern const Reader kLengths;
extern const Reader kTsv;
extern const Reader kCsv;
extern const Reader kList;
extern const Reader kText;

/// The first line of a head that is not blank, without its line end and byte order mark.
std::string_view first_line(std::string_view head);

}  // namespace seqpoint
