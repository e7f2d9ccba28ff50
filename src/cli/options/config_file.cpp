#include "cli/options/config_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <sstream>

#include <toml++/toml.h>

#include "cli/split.hpp"
#include "io/text/shortest_number.hpp"
#include "seqpoint/batches.hpp"
#include "seqpoint/error.hpp"
#include "seqpoint/io/files.hpp"
#include "seqpoint/words.hpp"

namespace seqpoint::cli::options {
namespace {

constexpr auto kKeys = "keys are called as options are, without dashes";

/// The key of an option that a file may set; empty: none.
std::string_view key_of(const OptionRow& row) {
  if (!row.value.take || row.names == kConfigOption) return "";
  return row.is_positional() ? row.names : long_name_of(row).substr(2);
}

bool has_key(const OptionRow& row, std::string_view key) {
  if (key_of(row).empty()) return false;
  const std::vector<std::string> names = split(row.names, ',');
  return key_of(row) == key || std::ranges::find(names, "--" + std::string(key)) != names.end();
}

/// Null where no row has that key.
const OptionRow* find_row(const OptionRows& rows, std::string_view key) {
  const auto found = std::ranges::find_if(rows, [&](const OptionRow& row) { return has_key(row, key); });
  return found == rows.end() ? nullptr : &*found;
}

/// Whether the value is a path. An option that samplers share may be one with some of them only.
bool is_path(const OptionRow& row, std::string_view sampler) {
  const ValueKind kind = kind_of(row.value);
  if (kind != ValueKind::file && kind != ValueKind::named_file && kind != ValueKind::folder) return false;
  const auto takes_file = [&](const batching::Sampler& other) {
    return other.name == sampler && std::ranges::any_of(other.options, [&](const OptionSpec& spec) {
             return spec.name == key_of(row) && spec.kind == OptionSpec::Kind::file;
           });
  };
  return row.of_samplers.empty() || std::ranges::any_of(batching::samplers(), takes_file);
}

/// A value of a file in that folder: FILE, NAME=FILE, or a list of manifests with commas between them.
std::string seen_from(const std::string& folder, const OptionRow& row, const std::string& text) {
  const auto join = [&](const std::string& path) { return path == "-" ? path : io::stream::joined_path(folder, path); };
  const std::size_t equals = text.find('=');
  const bool may_be_named = kind_of(row.value) == ValueKind::named_file || row.value.placeholder == "TRACE";
  if (may_be_named && equals != std::string::npos && equals < text.find('/'))
    return text.substr(0, equals + 1) + join(text.substr(equals + 1));
  if (row.value.placeholder != "MANIFEST" || io::stream::disk_files().exists(join(text))) return join(text);
  std::string paths;
  for (const std::string& part : split(text, ',')) paths += (paths.empty() ? "" : ",") + join(part);
  return paths;
}

class ConfigReader {
 public:
  ConfigReader(const std::string& path, const ProgramSpec& program, const CommandSpec& command)
      : path_(path), program_(program), command_(command) {}

  std::vector<Setting> read(const std::string& text) {
    const toml::table file = parsed(text);
    for (const auto& [key, node] : file)
      if (node.is_table()) read_section(key, *node.as_table());
    begin_ = settings_.size();
    for (const auto& [key, node] : file)
      if (!node.is_table()) read_common(key, node);
    std::erase_if(settings_, [](const Setting& setting) { return setting.texts.empty(); });
    std::ranges::sort(settings_, {}, &Setting::row);
    return std::move(settings_);
  }

 private:
  toml::table parsed(const std::string& text) const try {
    return toml::parse(text, path_);
  } catch (const toml::parse_error& error) {
    throw UsageError(fmt::format("{}: {}", place_of(error.source()), error.description()),
                     "the form is that of TOML: batch-size = 64, sampler = \"sorted\", drop-last = true");
  }

  std::string place_of(const toml::source_region& source) const {
    return fmt::format("{}:{}", path_, source.begin.line);
  }

  [[noreturn]] void refuse(const toml::key& key, const std::string& what, std::span<const std::string_view> known,
                           const std::string& hint) const {
    const std::string_view nearest = nearest_name(key.str(), known);
    const bool is_another = key == std::string_view(kConfigOption).substr(2);
    throw UsageError(
        fmt::format("{}: {}{}", place_of(key.source()), is_another ? "a file of options cannot name another" : what,
                    nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest)),
        hint);
  }

  static void add_keys(std::vector<std::string_view>& keys, const OptionRows& rows) {
    for (const OptionRow& row : rows)
      if (!key_of(row).empty()) keys.push_back(key_of(row));
  }

  void read_section(const toml::key& name, const toml::table& section) {
    const auto command = std::ranges::find(program_.commands, name.str(), &CommandSpec::name);
    if (command == program_.commands.end())
      refuse(name, fmt::format("there is no command '{}'", name.str()), row_names(program_.commands),
             "a section is of a command: one of " + command_names(program_));
    for (const auto& [key, node] : section) {
      const OptionRow* const row = find_row(command->options(), key.str());
      std::vector<std::string_view> known;
      if (row == nullptr) {
        add_keys(known, command->options());
        refuse(key, fmt::format("{} has no option '{}'", command->name, key.str()), known,
               fmt::format("{}; see `seqpoint {} --help`", kKeys, command->name));
      }
      add(key, node, *row, &*command == &command_);
    }
  }

  /// A setting of every command that has such an option.
  void read_common(const toml::key& key, const toml::node& node) {
    std::vector<std::string_view> known;
    const OptionRow* any = nullptr;
    for (const CommandSpec& command : program_.commands) {
      const OptionRow* const row = find_row(command.options(), key.str());
      if (row != nullptr) add(key, node, *row, &command == &command_);
      any = any == nullptr ? row : any;
      add_keys(known, command.options());
    }
    if (any == nullptr) refuse(key, fmt::format("no command has an option '{}'", key.str()), known, kKeys);
  }

  /// Checks a value, and keeps it where it is of our command and its section has none.
  void add(const toml::key& key, const toml::node& node, const OptionRow& row, bool is_ours) {
    const std::string place = place_of(key.source());
    std::vector<std::string> texts = texts_of(node, row, fmt::format("{}: {}", place, key.str()));
    if (!is_ours) return;
    const auto same = [&](const Setting& setting) { return setting.row == &row; };
    const auto level = settings_.begin() + static_cast<std::ptrdiff_t>(begin_);
    if (const auto other = std::find_if(level, settings_.end(), same); other != settings_.end())
      throw UsageError(fmt::format("{}: {} is another name of what {} has set", place, key.str(), other->place));
    if (std::none_of(settings_.begin(), level, same)) settings_.push_back({&row, std::move(texts), place});
  }

  /// As if they were typed. Nothing of a flag that is false, and of an empty list. `name` begins the message.
  static std::vector<std::string> texts_of(const toml::node& node, const OptionRow& row, const std::string& name) {
    if (const auto* const list = node.as_array(); list != nullptr && row.value.repeatable) {
      std::vector<std::string> texts;
      for (const toml::node& one : *list) texts.push_back(text_of(one, row, name));
      return texts;
    }
    if (row.value.placeholder.empty() && node.value_exact<bool>() == false) return {};
    return {text_of(node, row, name)};
  }

  static std::string text_of(const toml::node& node, const OptionRow& row, const std::string& name) {
    const bool is_flag = row.value.placeholder.empty();
    if (is_flag && node.is_boolean()) return "true";
    if (const auto text = node.value_exact<std::string>(); text && !is_flag) return *text;
    if (const auto number = node.value_exact<std::int64_t>(); number && !is_flag) return std::to_string(*number);
    if (const auto number = node.value_exact<double>(); number && !is_flag) return io::text::shortest(*number);
    std::ostringstream type;
    type << node.type();
    throw UsageError(fmt::format("{} takes {}{}, and this is of the type {}", name,
                                 is_flag ? "true or false" : row.value.placeholder,
                                 row.value.repeatable ? " or a list of them" : "", type.str()));
  }

  const std::string& path_;
  const ProgramSpec& program_;
  const CommandSpec& command_;
  std::vector<Setting> settings_;
  std::size_t begin_ = 0;  ///< of the settings that no section has
};

/// A value as TOML: true, a number that reads back as it stands, or text.
std::string toml_value(const OptionRow& row, const std::string& text) {
  if (row.value.placeholder.empty()) return "true";
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const bool is_number = error == std::errc{} && rest == end && std::isfinite(number);
  if (is_number && io::text::shortest(number) == text) return text;
  std::ostringstream quoted;
  quoted << toml::toml_formatter(toml::value<std::string>(text), toml::format_flags::none);
  return quoted.str();
}

std::string line_of(const OptionRow& row, const std::vector<std::string>& texts) {
  std::string values;
  for (const std::string& text : texts) values += (values.empty() ? "" : ", ") + toml_value(row, text);
  if (row.value.repeatable) values = "[" + values + "]";
  return fmt::format("{} = {}", key_of(row), values);
}

}  // namespace

std::vector<Setting> read_config(const std::string& path, const ProgramSpec& program, const CommandSpec& command,
                                 std::string_view sampler) {
  const std::string text = io::stream::Input::open(path).read_all();
  std::vector<Setting> settings = ConfigReader(path, program, command).read(text);
  const std::string folder = std::filesystem::path(path).parent_path();
  std::string in_force(sampler);
  for (const Setting& setting : settings)
    if (in_force.empty() && setting.row->names == "--sampler") in_force = setting.texts.front();
  for (Setting& setting : settings)
    if (!folder.empty() && is_path(*setting.row, in_force))
      for (std::string& value : setting.texts) value = seen_from(folder, *setting.row, value);
  return settings;
}

std::string config_text(const CommandSpec& command, std::span<const Setting> settings, bool with_places) {
  std::string text = fmt::format("[{}]\n", command.name);
  for (const OptionRow& row : command.options()) {
    if (key_of(row).empty() || row.names == "-v,--verbose") continue;
    const auto set = std::ranges::find(settings, &row, &Setting::row);
    const std::string& initial = row.value.default_text;
    if (set != settings.end())
      text +=
          line_of(row, set->texts) + (with_places ? "  # " + (set->place.empty() ? "typed" : set->place) : "") + "\n";
    else if (with_places && !initial.empty())
      text += fmt::format("# {}  # default\n", line_of(row, {initial}));
  }
  return text;
}

}  // namespace seqpoint::cli::options
