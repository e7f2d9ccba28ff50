#include "cli/options/shared_options.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "cli/parameters.hpp"
#include "core/enum_names.hpp"
#include "seqpoint/error.hpp"

namespace seqpoint::cli::options {
namespace {

/// The hint for a file without a name, a common mistake: any name will do. Empty unless `form` is NAME=FILE or
/// NAME=TRACE.
std::string named_file(const std::string& text, const std::string& option, const std::string& form) {
  if (form != "NAME=FILE" && form != "NAME=LOG") return "";
  const std::string file = text.substr(text.find('=') + 1);  // all of it if there is none
  return fmt::format("name it as you like: {}v1={}", option.empty() ? "" : option + " ",
                     file.empty() ? form.substr(form.find('=') + 1) : file);
}

}  // namespace

CLI::Option* add_shape(OptionGroup& group, trace::BatchLayout& layout) {
  return group.word("--signature", layout, "padded|varlen", trace::kBatchLayouts,
                    "shape of a batch: padded lengths, or (varlen, no padding) tokens and squared tokens [padded]");
}

void add_option(OptionGroup& group, const OptionSpec& spec, std::string_view owners, OptionValues& values) {
  const std::string name(spec.name), option = "--" + name;
  std::string help = fmt::format("{}: {}", owners, with_options(spec.help));
  if (!spec.default_value.empty()) help += fmt::format(" [{}]", spec.default_value);
  const auto take = [&values, kind = spec.kind, name](const auto&, const std::string& text) {
    values.set(name, kind == OptionSpec::Kind::flag ? "true" : text);
    if (kind == OptionSpec::Kind::count) values.count(name);
    if (kind == OptionSpec::Kind::number) values.number(name);
  };
  if (spec.kind == OptionSpec::Kind::flag)
    group.callback(
        option, [take] { take("", ""); }, help);
  else
    group.other(option, std::string(placeholder(spec.kind)), take, help);
}

double confidence_of(const std::optional<double>& given) {
  const double confidence = given.value_or(0.95);
  if (confidence >= 0.5 && confidence < 1) return confidence;  // one-sided bounds are those of 2 * confidence - 1
  throw UsageError("--confidence must be from 50 to below 100 %", "for example --confidence 95%");
}

std::pair<std::string, std::string> split_assignment(const std::string& text, const std::string& option,
                                                     const std::string& form) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError(fmt::format("{}'{}' is not of the form {}", option.empty() ? "" : option + ": ", text, form),
                     named_file(text, option, form));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace seqpoint::cli::options
