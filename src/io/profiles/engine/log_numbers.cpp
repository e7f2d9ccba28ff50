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

/// Takes a text apart from its beginning.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}
  bool at_end() const { return rest_.empty(); }
  /// Takes all digits that come next.
  std::string_view digits() { return take(std::min(rest_.find_first_not_of("0123456789"), rest_.size())); }
  /// Takes the next character if it is one of these.
  bool take_any_of(std::string_view characters) {
    return !rest_.empty() && characters.find(rest_.front()) != std::string_view::npos && !take(1).empty();
  }
  /// Takes that many characters.
  std::string_view take(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }

 private:
  std::string_view rest_;
};

bool is_short(std::string_view digits) { return digits.size() == 1 || digits.size() == 2; }
bool is_year(std::string_view digits) {
  return digits.size() == 4 && (digits.starts_with("19") || digits.starts_with("20") || digits.starts_with("21"));
}

/// The number that the digits are, of which there are few.
int small(std::string_view digits) {
  int value = 0;
  for (const char c : digits) value = value * 10 + (c - '0');
  return value;
}

/// A day: year-month-day, month/day[/year], or glog's four digits of month and day; without a year it is of 2000.
/// Nothing for another form.
std::optional<std::chrono::year_month_day> take_day(Cursor& text) {
  using namespace std::chrono;
  const auto day_of = [](int y, std::string_view m, std::string_view d) {
    return year(y) / month(static_cast<unsigned>(small(m))) / day(static_cast<unsigned>(small(d)));
  };
  const std::string_view first = text.digits();
  if (is_short(first)) {
    if (!text.take_any_of("/")) return std::nullopt;
    const std::string_view second = text.digits();
    if (!is_short(second)) return std::nullopt;
    if (!text.take_any_of("/")) return day_of(2000, first, second);
    const std::string_view third = text.digits();
    return is_year(third) ? std::optional(day_of(small(third), first, second)) : std::nullopt;
  }
  if (first.size() != 4) return std::nullopt;
  if (!text.take_any_of("-/")) return day_of(2000, first.substr(0, 2), first.substr(2));
  const std::string_view second = text.digits();
  if (!is_year(first) || !is_short(second) || !text.take_any_of("-/")) return std::nullopt;
  const std::string_view third = text.digits();
  return is_short(third) ? std::optional(day_of(small(first), second, third)) : std::nullopt;
}

/// Minutes by which local time is ahead of UTC, from `+01:00` or `+0100`; 0 for `Z`. Nothing for another form.
std::optional<int> take_zone(Cursor& text) {
  if (text.take_any_of("Z")) return 0;
  const bool behind = text.take_any_of("-");
  if (!behind && !text.take_any_of("+")) return std::nullopt;
  std::string_view hours = text.digits();
  std::string_view minutes = hours.substr(std::min<std::size_t>(2, hours.size()));
  if (minutes.empty() && text.take_any_of(":")) minutes = text.digits();
  hours = hours.substr(0, 2);
  if (hours.size() != 2 || minutes.size() != 2) return std::nullopt;
  return (behind ? -1 : 1) * (small(hours) * 60 + small(minutes));
}

/// A date with a time of day, possibly with a fraction of up to nine digits and a zone.
struct Date {
  std::chrono::year_month_day day;
  std::int64_t seconds = 0;  ///< of the day, in UTC
  std::string_view fraction;
};

/// Nothing for another form.
std::optional<Date> date_in(std::string_view all) {
  Cursor text(all);
  const std::optional<std::chrono::year_month_day> day = take_day(text);
  constexpr std::string_view kBetween = "T ,_";
  if (!day || !text.take_any_of(kBetween)) return std::nullopt;
  while (text.take_any_of(kBetween)) continue;
  const std::string_view hour = text.digits(), colon = text.take(1), minute = text.digits(),
                         second_colon = text.take(1), second = text.digits();
  if (!is_short(hour) || colon != ":" || minute.size() != 2 || second_colon != ":" || second.size() != 2)
    return std::nullopt;
  Date date{*day, (small(hour) * 60 + small(minute)) * 60 + small(second), {}};
  if (text.take_any_of(".,")) {
    date.fraction = text.digits();
    if (date.fraction.empty() || date.fraction.size() > 9) return std::nullopt;
  }
  text.take_any_of(" \t\f");
  if (text.at_end()) return date;
  const std::optional<int> zone = take_zone(text);
  if (!zone || !text.at_end()) return std::nullopt;
  date.seconds -= *zone * 60;
  return date;
}

/// Nanoseconds since 1970 in UTC. Nothing for a day that does not exist.
std::optional<std::int64_t> ns_of(const Date& date) {
  if (!date.day.ok()) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date.day).time_since_epoch().count();
  std::int64_t fraction = small(date.fraction);
  for (std::size_t digits = date.fraction.size(); digits < 9; ++digits) fraction *= 10;
  return (days * 86'400 + date.seconds) * kNsPerSecond + fraction;
}

}  // namespace

std::optional<std::uint32_t> log_whole(std::string_view text) {
  text = text::trim(text);
  std::string digits;
  if (text.find(',') != std::string_view::npos) text = digits = without_separators(text);
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> log_time_ns(std::string_view text, text::DecimalUnit unit) {
  text = text::trim(text);
  if (const auto number = text::parse_ns(text, unit)) return number;
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
