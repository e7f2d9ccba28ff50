#include "io/manifests/record_sets.hpp"

#include <algorithm>

#include "io/stream/compress.hpp"

namespace seqpoint::io::manifests {

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }  // npos + 1 is 0

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string named_after(const std::string& stem, const std::string& path) {
  std::string name = base_name(path), packed;
  for (const std::string_view ending : {".gz", ".zst"})
    if (name.ends_with(ending)) {
      packed = ending;
      name.resize(name.size() - ending.size());
    }
  // fairseq finds an index by languages in its name: train.en-de.en.idx.
  const auto dot = name.ends_with(".idx") ? name.find('.') : name.rfind('.');
  return stem + (dot == std::string::npos ? "" : name.substr(dot)) + packed;
}

std::string compressed_for(const std::string& name, std::string bytes) {
  if (name.ends_with(".gz")) return stream::gzipped(bytes);
  if (name.ends_with(".zst")) return stream::zstd_compressed(bytes);
  return bytes;
}

void add_file(Excerpt& into, std::string name, std::string bytes) {
  const bool there =
      std::any_of(into.files.begin(), into.files.end(), [&](const NewFile& file) { return file.name == name; });
  if (!there) into.files.push_back({std::move(name), std::move(bytes)});
}

}  // namespace seqpoint::io::manifests
