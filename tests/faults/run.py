#!/usr/bin/env python3
"""Commands whose calls fail, that are killed, or that have too little of a resource:

    run.py PROGRAM INJECTOR SOURCE [--runs N] [--kills N] [--variants N] [--seed N] [--only PATTERN]
           [--jobs N]

In every case, status 0 means the output of an undisturbed run. Any other status leaves the outputs
as they were and no other files; the status is one that the manual lists, and the message names the
file or the missing resource. --runs, --kills: runs of the sweep over single calls; --variants: of a
scenario's limits, descriptors, moments; 0: all. Scenarios that this machine does not allow are
skipped with a reason. The same seed draws the same runs, except that a clock may end one at another
moment.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import re
import sys
import tempfile
import threading

import commands
import scenarios
from sweep import FAULTS, KILLS, Bench, sampled
from workshop import Workshop

MOST_SHOWN = 60


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("injector", type=pathlib.Path)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--variants", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=re.compile, default=re.compile(""))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


class Sweep:
    def __init__(self, benches, jobs):
        self.locks = {bench: threading.Lock() for bench in benches}
        self.jobs = jobs

    def one(self, test):
        bench, fault, number = test
        with self.locks[bench]:
            return [
                f"{bench.case.name}, {fault.at(number)}: {text}"
                for text in bench.run(fault, number)
            ]

    def run(self, tests):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return [text for found in pool.map(self.one, tests) for text in found]


def sweep_calls(given, inputs, root):
    cases = [case for case in commands.CASES if given.only.search(case.name)]
    injector = given.injector.resolve()
    benches = [
        Bench(Workshop(given.program.resolve(), inputs, root / case.name), case, injector)
        for case in cases
    ]
    wrong, draw = [], random.Random(given.seed)
    for name, faults, most in (
        ("calls that fail", FAULTS, given.runs),
        ("calls at which it is ended", KILLS, given.kills),
    ):
        every = [test for bench in benches for test in bench.tests(faults, draw)]
        chosen = sampled(every, most or len(every), draw)
        found = Sweep(benches, given.jobs).run(chosen)
        print(
            f"{name}: {len(chosen)} of {len(every)} runs of {len(cases)} commands, {len(found)} "
            "went wrong"
        )
        wrong += found
    return wrong + [
        f"{bench.case.name}: an input has changed"
        for bench in benches
        if not bench.workshop.is_untouched()
    ]


def main():
    given = arguments()
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        inputs = commands.prepare(given.program.resolve(), given.source, root)
        wrong = sweep_calls(given, inputs, root)
        wrong += scenarios.run_all(given, inputs, root)
    for text in wrong[:MOST_SHOWN]:
        print(text)
    if len(wrong) > MOST_SHOWN:
        print(f"and {len(wrong) - MOST_SHOWN} more")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
