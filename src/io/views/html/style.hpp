/// \file
/// The style sheet of the page, without external resources.
#pragma once

namespace seqpoint::io::views::html {

extern const char* const kStyle;

}  // namespace seqpoint::io::views::html
