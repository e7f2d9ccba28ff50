/// \file
/// The rows of the table of methods. To add a method: its file here, its row in ../methods.def, its tests.
#pragma once

#include "core/select/select.hpp"

namespace seqpoint::select::methods {

#define ROW(name) extern const Method name;
#include "core/select/methods.def"

}  // namespace seqpoint::select::methods
