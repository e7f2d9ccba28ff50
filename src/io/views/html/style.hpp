/// \file
/// How the page looks: one style sheet, without anything from elsewhere.
#pragma once

namespace seqpoint::io::views::html {

extern const char* const kStyle;

}  // namespace seqpoint::io::views::html
