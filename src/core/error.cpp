#include "seqpoint/error.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

namespace seqpoint {

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t end = digits.size(); end > 3; end -= 3) digits.insert(end - 3, ",");
  return digits;
}

std::string counted(std::uint64_t n, const std::string& noun) {
  return grouped(n) + " " + noun + (n == 1 ? "" : noun.ends_with('s') || noun == "batch" ? "es" : "s");
}

std::string Where::row() const { return source + (line > 0 ? ":" + std::to_string(line) : ""); }

std::string Problem::message() const {
  std::string text_out = where.row();
  if (!where.field.empty()) text_out += ": field '" + where.field + "'";
  return text_out + ": " + text;
}

InputError::InputError(Where where, std::string text, std::string hint)
    : InputError({Problem{std::move(where), std::move(text)}}, 0, std::move(hint)) {}

InputError::InputError(std::vector<Problem> problems, std::uint64_t unlisted, std::string hint)
    : std::runtime_error(problems.front().message()),
      problems_(std::move(problems)),
      unlisted_(unlisted),
      hint_(std::move(hint)) {}

ParameterError::ParameterError(std::string_view parameter, const std::string& reason, std::string hint)
    : UsageError("`" + std::string(parameter) + "`" + (reason.starts_with(':') ? "" : " ") + reason, std::move(hint)) {}

OutputError::OutputError(const std::string& target, int error_number)
    : std::runtime_error(target + ": " + std::strerror(error_number)), error_number_(error_number) {}

bool OutputError::closed_pipe() const { return error_number_ == EPIPE; }

}  // namespace seqpoint
