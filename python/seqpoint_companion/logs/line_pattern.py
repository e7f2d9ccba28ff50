"""The user's description of a log: a regular expression over its lines, with named groups."""

import re

from ..faults import BadUsage

FIELDS = {
    "step": "step",
    "iteration": "step",
    "iter": "step",
    "of": "of",
    "epoch": "epoch",
    "time": "time",
    "clock": "clock",
    "tokens": "tokens",
    "seqlen": "seqlen",
    "src_len": "seqlen",
}
NUMBERED = ("step", "epoch")  # fields whose first number a suffix may say: step0, step1
NS = {"": 10**9, "_ms": 10**6, "_us": 10**3}  # nanoseconds of a unit
HINT = (
    "for example 'step (?<step>[0-9]+).*?time (?<time_ms>[0-9.]+)'; groups: step, of, epoch, time "
    "and clock (also _ms, _us), tokens, seqlen"
)


def refuse(reason):
    raise BadUsage(f"the pattern {reason}", HINT)


def field_of(name):
    """(field, suffix) of a group. BadUsage if a log has no such field."""
    base, suffix = re.fullmatch(r"(\w+?)(_ms|_us|0|1|)", name).groups()
    field = FIELDS.get(base)
    allowed = ("", "0", "1") if field in NUMBERED else NS if field in ("time", "clock") else ("",)
    if field is None or suffix not in allowed:
        refuse(f"has a group '{name}', and a log has no such field")
    return field, suffix


def compiled(expression):
    """Names of groups may be written as (?<name>...) and as (?P<name>...)."""
    try:
        return re.compile(re.sub(r"\(\?<(?![=!])", "(?P<", expression), re.ASCII)
    except re.error as error:
        refuse(f"'{expression}' is not a regular expression: {error}")


def first_of(field, groups):
    """The number of the first step or epoch; None: no group says it."""
    said = {int(suffix) for name, suffix in groups if name == field and suffix}
    if len(said) > 1:
        refuse("says that numbers are counted from 0 and from 1")
    return said.pop() if said else None


class LinePattern:
    """Finds the fields in lines. `unit`: what `step` numbers: "step", "iteration" or "epoch"."""

    def __init__(self, expression):
        self.expression = compiled(expression)
        numbers = self.expression.groupindex
        groups = [field_of(name) for name in numbers]
        self.unit = "iteration" if any(name.startswith("iter") for name in numbers) else "step"
        if "step" not in dict(groups) and "epoch" in dict(groups):
            self.unit = "epoch"
            groups = [(field.replace("epoch", "step"), suffix) for field, suffix in groups]
        self.fields = {field for field, _ in groups}
        self._require_fields()
        self.first = {field: first_of(field, groups) for field in NUMBERED}
        self.numbered = [  # (number of a group, its field, ns of a time's unit or None)
            (number - 1, field, NS[suffix] if field in ("time", "clock") else None)
            for number, (field, suffix) in zip(numbers.values(), groups)
        ]

    def _require_fields(self):
        if "step" not in self.fields:
            refuse("has no group 'step' or 'epoch' that says which step or epoch a line is of")
        times = self.fields & {"time", "clock"}
        if not times:
            refuse("has no group 'time' or 'clock'")
        if len(times) > 1:
            refuse(
                "has a group 'time' and a group 'clock': a step's time is the one or a difference "
                "of the other"
            )
        self.is_clock = times == {"clock"}

    def matches(self, line):
        """For each match in a line ({field: text}, ns of the time's unit). A group that took no
        part has no text."""
        for found in self.expression.finditer(line):
            texts, ns, values = {}, 0, found.groups()
            for number, field, unit in self.numbered:
                if values[number] is not None:
                    texts[field] = values[number]
                    ns = unit or ns
            yield texts, ns
