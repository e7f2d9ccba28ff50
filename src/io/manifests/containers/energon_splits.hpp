/// \file
/// The shards of an Energon data set (Megatron-Energon, flavors/webdataset/metadata.py), from its .nv-meta folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace seqpoint::io::manifests::containers {

/// What split.yaml assigns: shards by split, and what is left out. Patterns stand as they are written.
struct EnergonSplits {
  struct Split {
    std::string name;
    std::vector<std::string> shards;
  };
  std::vector<Split> splits;
  std::vector<std::string> excluded;
};

/// The shards of split.yaml as energon prepare writes it: keys, and lists of names in blocks or in brackets. Throws
/// InputError for any other YAML.
EnergonSplits read_energon_splits(const std::string& source, std::string_view yaml);

}  // namespace seqpoint::io::manifests::containers
