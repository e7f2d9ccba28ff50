"""Numbers and times as programs print them for people. None: the text is none."""

import datetime
import re

SECOND = 10**9  # ns
LONGEST = 2**63 // 1000  # ns, of a time; 106 days
EXACT = 2**53  # whole numbers below are floats
POWERS = {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9}

GROUPED = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?", re.ASCII)
DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
WITH_COLONS = re.compile(
    r"(?:(\d{1,4}) days?,? )?(?:(\d{1,6}):)?(\d{1,2}):(\d\d(?:[.,]\d{1,9})?)", re.ASCII
)
WITH_UNITS = re.compile(
    r"(?:(\d{1,4}) ?d(?:ays?)?,? ?)?(?:(\d{1,6}) ?h ?)?"
    r"(?:(\d{1,6}) ?m(?:in)? ?)?(?:(\d{1,9}(?:\.\d{1,9})?) ?s(?:ec)?)?",
    re.ASCII,
)
DAY = (
    r"(?:(?P<year>(?:19|20|21)\d\d)[-/](?P<month>\d\d?)[-/](?P<day>\d\d?)"
    r"|(?P<us_month>\d\d?)/(?P<us_day>\d\d?)(?:/(?P<us_year>(?:19|20|21)\d\d))?"
    r"|(?P<glog_month>\d\d)(?P<glog_day>\d\d))"
)
DATE = re.compile(
    DAY + r"[T ,_]+(?P<hour>\d\d?):(?P<minute>\d\d):(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?"
    r"\s?(?P<zone>Z|[+-]\d\d:?\d\d)?",
    re.ASCII,
)
YEAR = 2000  # of a date without one; a leap year


def without_separators(text):
    """A number without its thousands separators; None if its commas are none."""
    if "," not in text:
        return text
    return text.replace(",", "") if GROUPED.fullmatch(text) else None


def whole(text):
    """A whole number below 2**32: `1,024`. Rounded ones (`12K`, `1e+3`) identify no step."""
    plain = text if text.isdigit() else without_separators(text.strip())
    if plain is None or not plain.isascii() or not plain.isdigit():
        return None
    return int(plain) if float(plain) < 2**32 else None


def decimal_ns(text, unit):
    """Nanoseconds of a number of units: `0.31`, `1,234.5`, `11.5K`."""
    power, plain = 1, text
    if not DECIMAL.fullmatch(text):
        power = POWERS.get(text[-1:], 1)
        plain = without_separators(text[:-1] if power > 1 else text)
        if plain is None or not DECIMAL.fullmatch(plain):
            return None
    value = float(plain) * power * unit
    if abs(value) > LONGEST * 1000:
        return None
    if abs(value) < EXACT or "e" in plain.lower():
        return round(value)
    sign, plain = (-1 if plain[0] == "-" else 1), plain.lstrip("+-")
    number, _, fraction = plain.partition(".")  # apart: a date in seconds has too many digits
    return sign * (int(number or 0) * power * unit + round(float(f"0.{fraction}") * power * unit))


def span_ns(text):
    """Nanoseconds of a duration: `1m 41s`, `0:01:03`, `2 days, 17:51:32.5`."""
    form = WITH_COLONS if ":" in text else WITH_UNITS
    found = form.fullmatch(text) if text else None
    if not found:
        return None
    days, hours, minutes, seconds = found.groups(default="0")
    minutes = (int(days) * 24 + int(hours)) * 60 + int(minutes)
    return minutes * 60 * SECOND + round(float(seconds.replace(",", ".")) * SECOND)


def time_ns(text, unit):
    """A number of `unit` (ns), else a duration, whatever `unit` is. May be negative."""
    text = text.strip()
    number = decimal_ns(text, unit)
    return span_ns(text) if number is None else number


def date_ns(text):
    """Nanoseconds since 1970 of a date with a time of day, as if local times were UTC."""
    found = DATE.fullmatch(text)
    return found and ns_of_date(found)


def date_in(line):
    """Nanoseconds since 1970 of the first date in a line; -1: none. Without a year, or the digits
    of glog, two numbers and a duration may look like one."""
    found = DATE.search(line)
    if not found or not (found["year"] or found["us_year"] or is_of_glog(found)):
        return -1
    ns = ns_of_date(found)
    return -1 if ns is None else ns


def is_of_glog(date):
    return date["glog_month"] and len(date["fraction"] or "") == 6


def ns_of_date(found):
    """Nanoseconds since 1970 of a match of DATE; None: there is no such day."""
    part = {name: value for name, value in found.groupdict().items() if value is not None}
    year = int(part.get("year") or part.get("us_year") or YEAR)
    month, day = (
        next(int(part[kind + name]) for kind in ("", "us_", "glog_") if kind + name in part)
        for name in ("month", "day")
    )
    try:
        days = datetime.date(year, month, day).toordinal() - datetime.date(1970, 1, 1).toordinal()
    except ValueError:  # no such day
        return None
    minutes = (days * 24 + int(part["hour"])) * 60 + int(part["minute"]) - zone_minutes(part)
    fraction = int(part.get("fraction", "").ljust(9, "0"))
    return (minutes * 60 + int(part["second"])) * SECOND + fraction


def zone_minutes(part):
    """Minutes by which the date's time is ahead of UTC."""
    zone = part.get("zone", "Z")
    if zone == "Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return -minutes if zone[0] == "-" else minutes


def duration(seconds):
    """`9.3 s`, `3 min 5 s`, `2 h 10 min`."""
    if seconds < 120:
        return f"{seconds:#.4g} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 120:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def clock_ns(text, unit):
    """(ns, whether it has whole seconds only) of a date, else as time_ns(); None."""
    text = text.strip()
    date = date_ns(text)
    if date is not None:
        return date, not re.search(r":\d\d[.,]\d", text)
    ns = time_ns(text, unit)
    return None if ns is None else (ns, unit == SECOND and not re.search("[.eKMG]", text))
