/// \file
/// What the categories of libkineto's events are to a timeline (libkineto/include/ActivityType.h).
#pragma once

#include <string_view>

namespace seqpoint::io::profiles::engine {

/// `unused`: known, and in no figure; `unknown`: may be anything, a device's work too.
enum class Category { unknown, unused, cpu_op, user_range, device_range, kernel, copy, runtime };

Category category_of(std::string_view cat);

}  // namespace seqpoint::io::profiles::engine
