"""Mistakes that people make when they combine files, and how the program handles each:

    run.py PROGRAM [--only PATTERN] [--list] [--show] [--keep DIR] [--jobs N]

Each case makes one mistake in a clean set-up. The mistake is an error, fails a gate, is named in a
warning or note on standard error, does not matter (the figures are those without the mistake), or
is silent. Some mistakes cannot be noticed by any program. An error, failed gate or warning for a
clean set-up is a false alarm. The exit status is 1 if more than 1 % of the noticeable mistakes are
silent, or if there is a false alarm.

--only: cases whose name the regular expression matches. --show: one line per case. --keep: keep the
files of each.
"""

import argparse
import collections
import concurrent.futures
import pathlib
import re
import shutil
import sys
import tempfile
import threading

import clean
import mistakes  # registers all of them
from cases import MISTAKES, OUTCOMES, Case, Hidden, outcome_of, run
from setups import Catalogue
from situations import Situations

MOST_SILENT = 0.01
PRICE = re.compile(
    "measuring costs more than the run|a plan of at most"
)  # which is so: the runs here are short


class Runner:
    """Runs cases, and the clean set-up of each once."""

    def __init__(self, program, root, keep):
        self.program, self.root, self.keep = program, root, keep
        self.clean, self.locks = {}, collections.defaultdict(threading.Lock)

    def run_in(self, name, setup):
        folder = self.root / re.sub(r"[^A-Za-z0-9.-]+", "_", name)
        result = run(self.program, setup, folder)
        if not self.keep:
            shutil.rmtree(folder)
        return result

    def clean_result(self, setup):
        with self.locks[setup.name]:
            if setup.name not in self.clean:
                self.clean[setup.name] = self.run_in("clean " + setup.name, setup)
        return self.clean[setup.name]

    def __call__(self, case):
        if not case.make():
            return None
        if case.mistake is None:
            case.result = self.clean_result(case.setup)
            warned = [
                line
                for line in case.result.err.splitlines()
                if "warning:" in line and not PRICE.search(line)
            ]
            quiet = case.result.status == 0 and not warned
            case.outcome = "quiet" if quiet else "false alarm"
            return case
        case.result = self.run_in(case.id, case.made)
        harmless = getattr(case.told, "harmless", False)
        reference = self.clean_result(harmless if hasattr(harmless, "argv") else case.setup)
        case.outcome = outcome_of(case.result, reference, case.told)
        case.made.files.clear()  # there are thousands of them
        return case


def cases_of(catalogue, pattern):
    cases = [Case(setup) for setup in clean.setups(catalogue)]
    cases += [Case(setup, mistake) for mistake in MISTAKES for setup in mistake.setups(catalogue)]
    return [case for case in cases if re.search(pattern, case.id)]


def table(cases):
    counts = collections.defaultdict(collections.Counter)
    for case in cases:
        if case.mistake:
            counts[case.mistake.cause][case.outcome] += 1
            counts["all"][case.outcome] += 1
    width = max(map(len, counts), default=0)
    print(f"{'cause':{width}}", *(f"{name:>12}" for name in OUTCOMES))
    for cause in sorted(counts, key=lambda cause: (cause == "all", cause)):
        print(f"{cause:{width}}", *(f"{counts[cause][name] or '':>12}" for name in OUTCOMES))


def first_line(result):
    lines = [line for line in result.err.splitlines() if "error:" in line or "warning:" in line]
    return f"[{result.status}] {lines[0] if lines else ''}"


def report(cases, show):
    """Prints what became of the cases; returns whether that is good enough."""
    if show:
        for case in cases:
            print(f"{case.outcome:12} {case.id}: {first_line(case.result)}")
    table(cases)
    hidden = collections.Counter(
        case.told.reason for case in cases if isinstance(case.told, Hidden)
    )
    for reason, count in sorted(hidden.items()):
        print(f"unnoticeable, {count}: {reason}")
    silent = [case for case in cases if case.outcome == "silent"]
    alarms = [case for case in cases if case.outcome == "false alarm"]
    noticeable = [case for case in cases if case.mistake and not isinstance(case.told, Hidden)]
    for case in silent:
        print(
            f"silent: {case.id}: {case.command()}",
            f"[{case.result.status}]" if case.result.status else "",
        )
    for case in alarms:
        print(f"false alarm: {case.id}: {case.command()}: {first_line(case.result)}")
    clean_cases = sum(case.mistake is None for case in cases)
    share = 100 * len(silent) / max(1, len(noticeable))
    print(
        f"{len(noticeable)} mix-ups that could be noticed: {len(silent)} silent ({share:.1f} %); "
        f"{clean_cases} clean cases: {len(alarms)} false alarms"
    )
    if silent or alarms:
        print(
            "to repeat one: run.py PROGRAM --only NAME --keep DIR, and its command in its folder "
            "there"
        )
    return len(silent) <= MOST_SILENT * len(noticeable) and not alarms


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program")
    parser.add_argument("--only", default="", metavar="PATTERN")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    program = str(pathlib.Path(asked.program).resolve())
    cases = cases_of(Catalogue(Situations(program)), asked.only)
    if not cases:
        parser.error(f"--only {asked.only}: no case has such a name: --list without it has all")
    if asked.list:
        for case in cases:
            if case.make():
                print(
                    case.id
                    + (
                        f"  (unnoticeable: {case.told.reason})"
                        if isinstance(case.told, Hidden)
                        else ""
                    )
                )
        return 0
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(
        asked.jobs
    ) as pool:
        root = pathlib.Path(asked.keep).resolve() if asked.keep else pathlib.Path(scratch)
        done = [case for case in pool.map(Runner(program, root, asked.keep), cases) if case]
        return 0 if report(done, asked.show) else 1


if __name__ == "__main__":
    sys.exit(main())
