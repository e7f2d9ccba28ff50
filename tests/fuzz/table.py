#!/usr/bin/env python3
"""Writes the results in the fuzzer's logs into README.md, one row per target:

    tests/fuzz/table.py [--check]

Logs are those that run.sh left in build/fuzz/logs; a log may contain several runs, one after the
other. Rows of targets without a log there stay as they are: remove a row when the target's code
changes.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
BUILD = HERE.parents[1] / "build/fuzz"
BEGIN, END = "<!-- made by table.py -->\n", "<!-- end -->\n"
HEAD = (
    "| target | runs | runs a second | edges covered | inputs kept | findings |\n"
    "|---|---:|---:|---:|---:|---:|\n"
)


def row_of(log):
    text = log.read_text(errors="replace")
    reports = re.findall(r"cov: (\d+) ft: \d+ corp: (\d+)/", text)
    runs, rates = (
        list(map(int, re.findall(rf"stat::{name}: *(\d+)", text)))
        for name in ("number_of_executed_units", "average_exec_per_sec")
    )
    if not reports or not runs:
        raise SystemExit(f"{log}: does not say how many runs there were")
    findings = len(list((BUILD / "findings").glob(f"{log.name}-*")))
    edges, kept = reports[-1]
    return (
        f"| `{log.name}` | {sum(runs):,} | {rates[0]:,} | {int(edges):,} | {int(kept):,} | "
        f"{findings} |\n"
    )


def main():
    readme = HERE / "README.md"
    text = readme.read_text()
    before, rest = text.split(BEGIN)
    table, after = rest.split(END)
    rows = {
        row.split("`")[1]: row for row in table.splitlines(keepends=True) if row.startswith("| `")
    }
    rows |= {log.name: row_of(log) for log in (BUILD / "logs").iterdir() if log.is_file()}
    runs = [int(row.split("|")[2].replace(",", "")) for row in rows.values()]
    sums = (
        f"\n{sum(runs):,} runs of {len(runs)} targets; {sum(n < 1_000_000 for n in runs)} of "
        "these had fewer than a million.\n"
    )
    new = (
        before
        + BEGIN
        + HEAD
        + "".join(rows[target] for target in sorted(rows))
        + sums
        + END
        + after
    )
    if "--check" in sys.argv:
        return int(new != text)
    readme.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
