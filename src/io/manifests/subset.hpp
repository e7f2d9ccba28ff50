/// \file
/// Small manifests made of some rows of others: same format, and record for record the same bytes.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "seqpoint/io/files.hpp"

namespace seqpoint::io::manifests {

/// A file to write.
struct NewFile {
  std::string name;         ///< in a folder that is named later; may have a folder of its own in front
  std::string bytes;        ///< its content
  bool executable = false;  ///< whether it is a program
};

/// A symbolic link to write.
struct NewLink {
  std::string name;    ///< as NewFile::name
  std::string target;  ///< an absolute path
};

/// A small manifest and what belongs to it.
struct Excerpt {
  std::string manifest,        ///< its name
      target_manifest;         ///< that of the target side's; empty where there is none
  std::vector<NewFile> files;  ///< to write: the manifests, and what belongs to them
  /// Links for the first part of relative paths in the records, so that they are valid from the new manifest's folder
  /// as well.
  std::vector<NewLink> links;
  /// Paths for which that is not possible: they lead out of the manifest's folder, or are ambiguous.
  std::vector<std::string> unlinkable_paths;
};

/// Options to read an excerpt as the data set was read: what was guessed from the file's name or first record is set.
/// `has_target`: whether there is a target side.
ReadOptions options_for_rereading(ReadOptions options, const Dataset& whole, bool has_target);

class RecordSet;

/// The records of some rows of a data set, both sides, in memory.
class ManifestRecords {
 public:
  /// Reads `manifests` and `targets` (paths, as read_dataset() had them) again and takes the records of `rows`, which
  /// may be in any order. Throws InputError where a format has no records to copy, for standard input, which cannot be
  /// read twice, and for manifests that do not go into one: of several formats, or with other columns.
  ManifestRecords(std::span<const std::string> manifests, std::span<const std::string> targets,
                  const ReadOptions& options, std::span<const RowOrigin> rows);
  ~ManifestRecords();
  /// What is moved from may only be assigned to or destroyed.
  ManifestRecords(ManifestRecords&&) noexcept;
  /// What is moved from may only be assigned to or destroyed.
  ManifestRecords& operator=(ManifestRecords&&) noexcept;

  /// A manifest of these rows in this order, named `stem` and the ending of the first input's name. The rows are among
  /// those that were taken; one may come again.
  Excerpt excerpt(const std::string& stem, std::span<const RowOrigin> rows) const;
  const std::string& format() const { return format_; }  ///< of the source side

 private:
  std::unique_ptr<RecordSet> source_, target_;
  std::string format_;
};

}  // namespace seqpoint::io::manifests
