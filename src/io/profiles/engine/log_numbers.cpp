#include "io/profiles/engine/log_numbers.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>

#include "core/regular_expression.hpp"
#include "io/text/number.hpp"

namespace seqpoint::io::profiles::engine {
namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

/// A number without thousands separators; empty if its commas do not separate thousands, as a decimal comma.
std::string without_separators(std::string_view text) {
  static const auto grouped = regular_expression(R"([+-]?\d{1,3}(,\d{3})+(\.\d*)?)");
  std::string plain(text);
  if (text.find(',') == std::string_view::npos) return plain;
  if (!RE2::FullMatch(piece(text), *grouped)) return {};
  std::erase(plain, ',');
  return plain;
}

/// `11.5K` as `11.5e3`, which parse_ns() reads; suffixes are k, K, M and G. Other numbers without thousands separators.
std::string plain_decimal(std::string_view text) {
  constexpr std::string_view kSuffixes = "kKMG";
  constexpr std::string_view kPowers[] = {"e3", "e3", "e6", "e9"};
  const std::size_t suffix = text.empty() ? std::string_view::npos : kSuffixes.find(text.back());
  if (suffix == std::string_view::npos) return without_separators(text);
  const std::string number = without_separators(text.substr(0, text.size() - 1));
  return number.empty() ? number : number + std::string(kPowers[suffix]);
}

/// Parts of a duration; missing parts are empty.
struct Span {
  std::string days, hours, minutes, seconds;
};

/// The number that the digits are; 0 if there are none.
std::int64_t count_of(const std::string& digits) {
  std::int64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// The duration in ns; nothing if its seconds are not a number.
std::optional<std::int64_t> ns_of(const Span& span) {
  const std::int64_t minutes = (count_of(span.days) * 24 + count_of(span.hours)) * 60 + count_of(span.minutes);
  const auto seconds = text::parse_ns(span.seconds.empty() ? "0" : span.seconds, text::DecimalUnit::s);
  return seconds ? std::optional(minutes * 60 * kNsPerSecond + *seconds) : std::nullopt;
}

/// A duration such as `0:01:03`, `01:03`, `2 days, 17:51:32.5`; nothing for another form.
std::optional<Span> span_with_colons(std::string_view text) {
  static const auto pattern =
      regular_expression(R"((?:(\d{1,4}) days?,? )?(?:(\d{1,6}):)?(\d{1,2}):(\d\d(?:[.,]\d{1,9})?))");
  Span span;
  if (!RE2::FullMatch(piece(text), *pattern, &span.days, &span.hours, &span.minutes, &span.seconds))
    return std::nullopt;
  std::ranges::replace(span.seconds, ',', '.');
  return span;
}

/// A duration such as `1m 41s`, `2h 3m`, `50s`; nothing for another form.
std::optional<Span> span_with_units(std::string_view text) {
  static const auto pattern = regular_expression(R"((?:(\d{1,4}) ?d(?:ays?)?,? ?)?(?:(\d{1,6}) ?h ?)?)"
                                                 R"((?:(\d{1,6}) ?m(?:in)? ?)?(?:(\d{1,9}(?:\.\d{1,9})?) ?s(?:ec)?)?)");
  Span span;
  if (text.empty() || !RE2::FullMatch(piece(text), *pattern, &span.days, &span.hours, &span.minutes, &span.seconds))
    return std::nullopt;
  return span;
}

/// Digits of a date and a time of day, as written.
struct Date {
  std::string year, month, day, hour, minute, second, fraction, zone;
};

/// A date with a time of day: year-month-day, month/day[/year], or glog's four digits of month and day. Nothing for
/// another form.
std::optional<Date> date_in(std::string_view text) {
  constexpr auto kTimeOfDay = R"([T ,_]+(\d\d?):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s?(Z|[+-]\d\d:?\d\d)?)";
  static const auto with_year =
                        regular_expression(std::string(R"(((?:19|20|21)\d\d)[-/](\d\d?)[-/](\d\d?))") + kTimeOfDay),
                    year_last =
                        regular_expression(std::string(R"((\d\d?)/(\d\d?)(?:/((?:19|20|21)\d\d))?)") + kTimeOfDay),
                    of_glog = regular_expression(std::string(R"((\d\d)(\d\d))") + kTimeOfDay);
  Date d;
  const re2::StringPiece all = piece(text);
  if (RE2::FullMatch(all, *with_year, &d.year, &d.month, &d.day, &d.hour, &d.minute, &d.second, &d.fraction, &d.zone) ||
      RE2::FullMatch(all, *year_last, &d.month, &d.day, &d.year, &d.hour, &d.minute, &d.second, &d.fraction, &d.zone) ||
      RE2::FullMatch(all, *of_glog, &d.month, &d.day, &d.hour, &d.minute, &d.second, &d.fraction, &d.zone))
    return d;
  return std::nullopt;
}

/// Minutes by which local time is ahead of UTC, from `+01:00` or `+0100`; 0 for `Z` and without a zone.
std::int64_t zone_minutes(std::string zone) {
  std::erase(zone, ':');
  if (zone.size() != 5) return 0;
  const std::int64_t minutes = count_of(zone.substr(1, 2)) * 60 + count_of(zone.substr(3));
  return zone.front() == '-' ? -minutes : minutes;
}

/// Nanoseconds since 1970 in UTC; a date without a year is taken as of 2000. Nothing for a day that does not exist.
std::optional<std::int64_t> ns_of(const Date& date) {
  using namespace std::chrono;
  const year_month_day day{year(date.year.empty() ? 2000 : static_cast<int>(count_of(date.year))),
                           month(static_cast<unsigned>(count_of(date.month))),
                           std::chrono::day(static_cast<unsigned>(count_of(date.day)))};
  if (!day.ok()) return std::nullopt;
  const std::int64_t days = sys_days(day).time_since_epoch().count(),
                     minutes = (days * 24 + count_of(date.hour)) * 60 + count_of(date.minute) - zone_minutes(date.zone);
  const auto fraction = text::parse_ns("0." + (date.fraction.empty() ? "0" : date.fraction), text::DecimalUnit::s);
  return (minutes * 60 + count_of(date.second)) * kNsPerSecond + fraction.value_or(0);
}

}  // namespace

std::optional<std::uint64_t> log_whole(std::string_view text) {
  const std::string digits = without_separators(text::trim(text));
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> log_time_ns(std::string_view text, text::DecimalUnit unit) {
  text = text::trim(text);
  if (const auto number = text::parse_ns(plain_decimal(text), unit)) return number;
  const std::optional<Span> span = text.find(':') != std::string_view::npos ? span_with_colons(text)  //
                                                                            : span_with_units(text);
  return span ? ns_of(*span) : std::nullopt;
}

std::optional<LogClock> log_clock(std::string_view text, text::DecimalUnit unit) {
  text = text::trim(text);
  if (const std::optional<Date> date = date_in(text)) {
    const auto ns = ns_of(*date);
    return ns ? std::optional(LogClock{*ns, date->fraction.empty()}) : std::nullopt;
  }
  const auto ns = log_time_ns(text, unit);
  if (!ns) return std::nullopt;
  return LogClock{*ns, unit == text::DecimalUnit::s && text.find_first_of(".eKMG") == std::string_view::npos};
}

}  // namespace seqpoint::io::profiles::engine
