#include "unit/reading.hpp"

#include <set>

namespace seqpoint::testing {
namespace {

template <class Action>
std::string refused(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    std::string text;
    for (const Problem& problem : error.problems()) text += problem.message() + "\n";
    return text + error.hint();
  } catch (const UsageError& error) {
    return std::string("usage: ") + error.what() + "\n" + error.hint();
  }
  return {};
}

std::vector<io::stream::Input> one(std::string_view name, std::string_view bytes) {
  std::vector<io::stream::Input> inputs;
  inputs.push_back(io::stream::Input::from_memory(std::string(name), bytes));
  return inputs;
}

}  // namespace

std::optional<std::vector<std::string>> MemoryFiles::list(const std::string& path) const {
  const std::string folder = path.ends_with('/') ? path : path + "/";
  std::set<std::string> names;
  for (const auto& [file, bytes] : contents) {
    if (!file.starts_with(folder)) continue;
    const std::string name = file.substr(folder.size(), file.find('/', folder.size()) + 1 - folder.size());
    names.insert(file.find('/', folder.size()) == std::string::npos ? file.substr(folder.size()) : name);
  }
  if (names.empty()) return std::nullopt;
  return std::vector<std::string>(names.begin(), names.end());
}

io::stream::Input MemoryFiles::open(const std::string& path) const {
  if (!contents.contains(path)) throw InputError({path}, "No such file or directory");
  return io::stream::Input::from_memory(path, contents.at(path));
}

io::manifests::Dataset read(std::string_view name, std::string_view bytes, const io::manifests::ReadOptions& options) {
  return io::manifests::read_dataset(one(name, bytes), {}, options);
}

io::manifests::Dataset read_pair(std::string_view src_name, std::string_view src, std::string_view tgt_name,
                                 std::string_view tgt, const io::manifests::ReadOptions& options) {
  return io::manifests::read_dataset(one(src_name, src), one(tgt_name, tgt), options);
}

std::string refusal(std::string_view name, std::string_view bytes, const io::manifests::ReadOptions& options) {
  return refused([&] { read(name, bytes, options); });
}

std::string refusal_of_pair(std::string_view src_name, std::string_view src, std::string_view tgt_name,
                            std::string_view tgt, const io::manifests::ReadOptions& options) {
  return refused([&] { read_pair(src_name, src, tgt_name, tgt, options); });
}

::testing::AssertionResult says(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "this:\n" << text << "\ndoes not say:\n" << part;
}

io::manifests::ReadOptions with_format(std::string_view format) {
  io::manifests::ReadOptions options;
  options.format = format;
  return options;
}

io::manifests::ReadOptions beside(const MemoryFiles& files) {
  io::manifests::ReadOptions options;
  options.files = &files;
  return options;
}

}  // namespace seqpoint::testing
