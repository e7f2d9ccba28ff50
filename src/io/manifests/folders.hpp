/// \file
/// Folders that are data sets, recognised by the names in them. To add a kind: its row in folders.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/stream/input.hpp"

namespace seqpoint::io::manifests {

/// The data by which a folder is recognised.
struct Folder {
  std::string path;                ///< as the user typed it, with a slash at the end
  std::vector<std::string> names;  ///< from stream::Files::list()
  const stream::Files& files;

  bool has(std::string_view name) const;
  /// Paths of the files whose names begin with `begin` and end with `end`, without overlap, in the order of `names`.
  std::vector<std::string> files_named(std::string_view begin, std::string_view end) const;
};

/// One kind of folder: a row of the table.
struct FolderKind {
  std::string_view what;  ///< "a Kaldi data directory"
  /// Paths of the manifests in it, in the order of their rows; empty if the folder is of another kind. Throws
  /// InputError if it is of this kind but its manifests are ambiguous.
  std::vector<std::string> (*manifests)(const Folder&);
};

/// Every kind, in the order of recognition: narrowest first.
std::span<const FolderKind> folder_kinds();

}  // namespace seqpoint::io::manifests
