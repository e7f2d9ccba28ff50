/// \file
/// What share/page has for every page, embedded by cmake/Embed.cmake.
#pragma once

#include <string_view>

namespace seqpoint::io::views::html {

extern const std::string_view kStyle;       ///< page.css
extern const std::string_view kScript;      ///< the libraries, and page.js, which draws the figures with them
extern const std::string_view kScriptHash;  ///< of kScript, as a content security policy has it: "sha256-..."

}  // namespace seqpoint::io::views::html
