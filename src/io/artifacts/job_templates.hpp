/// \file
/// The job scripts of share/jobs.
#pragma once

#include <span>
#include <string_view>

namespace seqpoint::io::artifacts {

/// A script with placeholders `@NAME@`. Lives as long as the program.
struct JobTemplate {
  std::string_view name,  ///< name of the file
      text;               ///< share/jobs/NAME, byte for byte
};
/// Every template, one per file.
std::span<const JobTemplate> job_templates();

}  // namespace seqpoint::io::artifacts
