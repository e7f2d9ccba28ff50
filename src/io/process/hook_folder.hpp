/// \file
/// Where the companion's hook is installed.
#pragma once

#include <optional>
#include <string>

namespace seqpoint::io::process {

/// The companion's folder `seqpoint_companion/hook` for a program at that absolute path; nothing if there is none.
/// Layouts, from the program's folder upwards: an installation (`share/seqpoint/python`), a source tree with a
/// build folder (`python`), a virtual or conda environment or `pip install --user` (`lib/python3.X/site-packages`;
/// Debian's pip: `local/lib` and `dist-packages`), `pip install --target`. If several versions of Python have it,
/// the highest.
std::optional<std::string> hook_folder_of(const std::string& program);

/// The same for this program; SEQPOINT_COMPANION, the folder that contains seqpoint_companion, precedes. Throws
/// UsageError if there is none.
std::string hook_folder();

}  // namespace seqpoint::io::process
