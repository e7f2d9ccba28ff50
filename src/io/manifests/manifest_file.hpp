/// \file
/// The file that a reader reads, the options that apply to it, and access to the files it refers to.
#pragma once

#include <string>

#include "io/manifests/dataset.hpp"
#include "io/stream/input.hpp"

namespace seqpoint::io::manifests {

class ManifestFile {
 public:
  /// The side of pairs that the file contains. only: there is no other file, so it contains single lengths or both
  /// sides.
  enum class Side { only, source, target };
  /// `options` outlive the file. All threads use them.
  ManifestFile(std::string path, Side side, const ReadOptions& options)
      : path_(std::move(path)), side_(side), options_(options) {}

  const std::string& path() const { return path_; }  ///< as the user typed it
  const ReadOptions& options() const { return options_; }
  bool is_target() const { return side_ == Side::target; }
  /// Whether the file may contain both sides.
  bool may_hold_both_sides() const { return side_ == Side::only; }
  /// The field that the user asked for on this file's side; empty if none was named. A target file without a field of
  /// its own has the source's.
  const std::string& requested_field() const {
    return is_target() && !options().tgt_length_field.empty() ? options().tgt_length_field : options().length_field;
  }
  /// The field of the target side in the same file; empty if none was named, or the target side has a file of its own.
  std::string requested_target_field() const {
    return may_hold_both_sides() ? options().tgt_length_field : std::string();
  }

  const stream::Files& files() const { return options_.files != nullptr ? *options_.files : stream::disk_files(); }
  /// The file's folder with its last slash; empty for standard input and for a file in the current folder.
  std::string folder() const { return path_.substr(0, path_.rfind('/') + 1); }  // npos + 1 is 0

 private:
  std::string path_;
  Side side_;
  const ReadOptions& options_;
};

}  // namespace seqpoint::io::manifests
