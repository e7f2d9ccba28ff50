/// \file
/// Reads manifests that exist only in a test, together with what they refer to.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/manifests/dataset.hpp"
#include "io/stream/input.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::testing {

/// A folder in memory.
class MemoryFiles : public io::stream::Files {
 public:
  std::map<std::string, std::string> contents;

  bool exists(const std::string& path) const override { return contents.contains(path); }
  std::optional<std::vector<std::string>> list(const std::string& path) const override;
  io::stream::Input open(const std::string& path) const override;
};

/// One input of that name.
io::manifests::Dataset read(std::string_view name, std::string_view bytes,
                            const io::manifests::ReadOptions& options = {});
io::manifests::Dataset read_pair(std::string_view src_name, std::string_view src, std::string_view tgt_name,
                                 std::string_view tgt, const io::manifests::ReadOptions& options = {});

/// What is said where that fails: every problem and the hint, a line each, "usage: " before a UsageError. Empty: it
/// does not.
std::string refusal(std::string_view name, std::string_view bytes, const io::manifests::ReadOptions& options = {});
std::string refusal_of_pair(std::string_view src_name, std::string_view src, std::string_view tgt_name,
                            std::string_view tgt, const io::manifests::ReadOptions& options = {});

/// Whether `text` has `part` in it.
::testing::AssertionResult says(const std::string& text, const std::string& part);

io::manifests::ReadOptions with_format(std::string_view format);
/// Looks for files only in `files`.
io::manifests::ReadOptions beside(const MemoryFiles& files);

using Lens = std::vector<std::uint32_t>;

}  // namespace seqpoint::testing
