/// \file
/// How the page looks: one style sheet, without anything from elsewhere.
#pragma once

namespace seqpoint::html {

extern const char* const kStyle;

}  // namespace seqpoint::html
