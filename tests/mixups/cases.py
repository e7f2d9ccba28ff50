"""A mix-up: a clean set-up to which one mistake was made, and what became of it."""

import copy
import json
import re
import shlex
import subprocess
from dataclasses import dataclass, field

from situations import content, rng_of, write

# Lines that any run may print, with or without a mistake: they name no suspicion.
ROUTINE = re.compile(
    r"measurements?, \d+ of them at the points|allows \+|the order holds if|time source:"
    r"|: \d+ (rows|iterations), format|the run: |: \d+ points?( |$)|to profile: |to measure: "
    r"|projected onto "
    r"|overheads: |samples of \d+ shard|cannot be compared|holds no numbers and is left out"
)

OUTCOMES = ("refused", "gated", "named", "right", "silent", "unnoticeable")


@dataclass
class Told:
    """Names for a mistake that a program may use to report it.

    Either a pattern that one line on standard error has to match, or findings (pairs of a
    configuration and an id), of which its JSON has to contain one. A `harmless` mistake is also
    handled right if the totals are those of the clean set-up, or of the set-up given there.
    """

    pattern: str = "$^"
    harmless: object = False
    findings: frozenset = frozenset()


def found(setup, *ids, harmless=False):
    """Told by a finding about the set-up's configuration."""
    return Told(harmless=harmless, findings=frozenset((setup.config, name) for name in ids))


@dataclass
class Hidden:
    """Why nobody could notice."""

    reason: str


@dataclass
class Setup:
    """A command over files that belong together.

    Mistakes go into the profile `target`, of the configuration `config`.
    """

    name: str
    argv: list
    files: dict
    situation: object = None
    situations: object = None
    key: str = ""
    form: str = ""
    target: str = ""
    config: str = ""

    def copy(self):
        return Setup(
            self.name,
            list(self.argv),
            {name: copy.deepcopy(value) for name, value in self.files.items()},
            self.situation,
            self.situations,
            self.key,
            self.form,
            self.target,
            self.config,
        )

    @property
    def kind(self):
        return self.situation.kind

    @property
    def profile(self):
        return self.files[self.target]

    @property
    def digests(self):
        """Whether the profile names its selection, or will once the program has digests."""
        return self.key == "companion"

    def other(self, variant):
        return self.situations.get(self.kind, variant)

    def put(self, old, new):
        self.argv[self.argv.index(old)] = new


@dataclass
class Result:
    status: int
    out: str
    err: str

    def lines(self):
        """Warnings and notes with their hints, numbers apart."""
        return [line for line in self.err.splitlines() if not ROUTINE.search(line)]

    def findings(self):
        try:
            return {
                (found.get("subject"), found["id"])
                for found in json.loads(self.out).get("findings", [])
            }
        except ValueError:
            return set()

    def totals(self):
        """(name, totals, has a throughput) of every configuration; None without a projection."""
        try:
            configurations = json.loads(self.out)["configurations"]
        except (ValueError, KeyError):
            return None

        def values(metrics):
            return sorted(
                metric["value"] for metric in metrics.values() if metric["kind"] == "total"
            )

        return [(c["name"], values(c["metrics"]), bool(c["throughput"])) for c in configurations]


def without_numbers(line):
    return re.sub(r"[-+]?[0-9][0-9.,]*( %)?", "#", line)


@dataclass
class Mistake:
    cause: str
    name: str
    apply: object
    setups: object


MISTAKES = []


def mistake(cause, setups):
    """Registers a function that makes a mistake in a copy of a set-up.

    It returns Told, Hidden, or None if the mistake does not apply. `setups` returns the clean
    set-ups of a catalogue that the mistake is made in.
    """

    def register(function):
        MISTAKES.append(Mistake(cause, function.__name__.replace("_", "-"), function, setups))
        return function

    return register


def named(cause, setups, name, function):
    """Like `mistake`, for functions that are made in a loop."""
    MISTAKES.append(Mistake(cause, name, function, setups))


@dataclass
class Case:
    """mistake: None for a clean set-up."""

    setup: Setup
    mistake: Mistake = None
    made: Setup = None
    told: object = None
    outcome: str = ""
    result: Result = None
    id: str = field(init=False)

    def __post_init__(self):
        what = f"{slug(self.mistake.cause)}/{self.mistake.name}" if self.mistake else "clean"
        self.id = f"{what}/{self.setup.name}"

    def make(self):
        """False where the mistake makes no sense in this set-up."""
        self.made = self.setup.copy()
        if self.mistake:
            self.told = self.mistake.apply(self.made, rng_of(self.id))
        if self.told is not None and same(self.made, self.setup):
            raise AssertionError(f"{self.id} changes nothing")
        return self.mistake is None or self.told is not None

    def command(self):
        return "seqpoint " + " ".join(shlex.quote(argument) for argument in self.made.argv)


def same(made, setup):
    return (
        made.argv == setup.argv
        and made.files.keys() == setup.files.keys()
        and all(content(made.files[name]) == content(setup.files[name]) for name in made.files)
    )


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def run(program, setup, folder):
    folder.mkdir(parents=True, exist_ok=True)
    write(folder, setup.files)
    done = subprocess.run(
        [program, *setup.argv],
        cwd=folder,
        capture_output=True,
        timeout=120,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return Result(
        done.returncode,
        done.stdout.decode("utf-8", "replace"),
        done.stderr.decode("utf-8", "replace"),
    )


def outcome_of(result, clean, told):
    """`clean` is the result of the same command without the mistake.

    Messages and errors that it also has are not about the mistake.
    """
    if clean.status != 0 and (result.status, result.err) == (clean.status, clean.err):
        return "silent"
    if result.status in (2, 3) and "error:" in result.err:
        return "refused"
    if result.status == 1 and re.search("^FAIL |error:", result.err, re.MULTILINE):
        return "gated"
    if result.status != 0:
        return "silent"
    if isinstance(told, Hidden):
        return "unnoticeable"
    usual = {without_numbers(line) for line in clean.lines()}
    lines = [line for line in result.lines() if without_numbers(line) not in usual]
    if any(re.search(told.pattern, line, re.IGNORECASE) for line in lines):
        return "named"
    if told.findings & (result.findings() - clean.findings()):
        return "named"
    return "right" if told.harmless and same_totals(result, clean) else "silent"


def same_totals(result, clean):
    """Equal within a thousandth, because units are converted and digits may be lost.

    Without a projection: the same output.
    """
    ours, theirs = result.totals(), clean.totals()
    if not ours and not theirs:
        return result.out == clean.out
    if not ours or not theirs or len(ours) != len(theirs):
        return False
    return all(
        a[0] == b[0]
        and a[2] == b[2]
        and len(a[1]) == len(b[1])
        and all(abs(x - y) <= 1e-3 * abs(y) for x, y in zip(a[1], b[1]))
        for a, b in zip(ours, theirs)
    )


def some(number, salt, keys=None, forms=None, kinds=None):
    """A number of set-ups of `project`, drawn by the salt."""

    def chosen(catalogue):
        wanted = {
            name: value
            for name, value in (("keys", keys), ("forms", forms), ("kinds", kinds))
            if value
        }
        setups = catalogue.project(**wanted)
        places = rng_of("some", salt).sample(range(len(setups)), min(number, len(setups)))
        return [setups[place] for place in sorted(places)]

    return chosen
