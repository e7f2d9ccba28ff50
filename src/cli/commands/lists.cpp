// What there is to choose from: formats, samplers, methods; each straight from its table.
#include <fmt/core.h>

#include "cli/commands/command.hpp"
#include "cli/options/exports.hpp"
#include "seqpoint/batching/batches.hpp"
#include "seqpoint/io/manifests/manifests.hpp"
#include "seqpoint/io/profiles/profile_formats.hpp"
#include "seqpoint/select/selection.hpp"

namespace seqpoint::cli::commands {
namespace {

std::string option_lines(std::span<const OptionSpec> options) {
  std::string text;
  for (const OptionSpec& option : options) {
    const std::string value(placeholder(option.kind));
    text += fmt::format("    --{}{}  {}", option.name, value.empty() ? "" : " " + value, option.help);
    if (!option.default_value.empty()) text += fmt::format(" [{}]", option.default_value);
    text += '\n';
  }
  return text;
}

std::string formats_text() {
  std::string text;
  for (const io::manifests::Reader& reader : io::manifests::readers())
    text +=
        std::string(reader.name) + "\n  " + std::string(reader.summary) + "\n    " + std::string(reader.example) + "\n";
  text += "\nProfiles (inspect, project --profile):\n";
  for (const io::profiles::ProfileReader& reader : io::profiles::profile_readers())
    text +=
        std::string(reader.name) + "\n  " + std::string(reader.summary) + "\n    " + std::string(reader.example) + "\n";
  text += "\nDurations and audio samples become frames by --front-end NAME:\n";
  for (const lengths::FrontEnd& front_end : lengths::front_ends())
    text += fmt::format("  {}\n    {}\n    source: {}\n", front_end.name, front_end.summary, front_end.source);
  return text;
}

std::string samplers_text() {
  std::string text;
  for (const batching::Sampler& sampler : batching::samplers()) {
    text += std::string(sampler.name) + "\n  " + std::string(sampler.summary) + "\n";
    if (!sampler.default_version.empty())
      text += fmt::format("  version {} unless --sampler-version says otherwise\n", sampler.default_version);
    text += fmt::format("  checked against: {}\n{}", sampler.checked_against, option_lines(sampler.options));
  }
  return text;
}

std::string methods_text() {
  std::string text;
  for (const select::Method& method : select::all_methods())
    text += fmt::format("{}\n  {}\n  source: {}\n{}", method.name, method.summary, method.source,
                        option_lines(method.options));
  return text;
}

CommandSpec list_of(std::string name, std::string summary, std::string (*text)()) {
  return {.name = std::move(name),
          .summary = std::move(summary),
          .footer = {},
          .options = {},
          .run = [text](const GivenOptions&, Console&) {
            write_text("-", text());
            return kDone;
          }};
}

}  // namespace

CommandSpec formats_command() {
  return list_of("formats", "The manifests and profiles that can be read", formats_text);
}
CommandSpec samplers_command() { return list_of("samplers", "The batch orders that can be reproduced", samplers_text); }
CommandSpec methods_command() { return list_of("methods", "The ways to choose SeqPoints", methods_text); }

}  // namespace seqpoint::cli::commands
