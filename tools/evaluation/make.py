#!/usr/bin/env python3
"""Writes docs/evaluation.md, docs/method.md, docs/images/evaluation.svg, and README.md and
real-gpus.md in this folder (the lab book): texts from *.md.in, figures computed.

Needs Python 3.9 alone. Every figure is computed from examples/data, and is the same everywhere.
"""
import argparse
import difflib
import math
import os
import statistics
import sys
import tempfile
from pathlib import Path

import ab
import buckets
import by_tokens
import candidates
import count
import elsewhere
import errors
import eta
import field
import field_gpu
import figure
import made_costs
import operators
import peak_memory
import real_gpus
import rivals
import source
import two_ranks
from epochs import MEASURES, ROOT, SIZES, Program, in_parallel, networks, points
from pages import Facts, filled, fits, markdown, parts

HERE = Path(__file__).resolve().parent
# The page that each template in this folder becomes.
PAGES = {
    "summary": "docs/evaluation.md",
    "method": "docs/method.md",
    "evaluation": "tools/evaluation/README.md",
    "real-gpus": "tools/evaluation/real-gpus.md",
}
IMAGE = "docs/images/evaluation.svg"
KINDS = ("pairs", "one length")
# Figures in the abstract of arXiv 2007.10459: time, speedup, reduction of profiling time.
PUBLISHED = {"ds2": ("0.11", "0.13", "345x"), "gnmt": ("0.53", "1.50", "214x")}
BOTH_SIZES = (8, 15)


def percent(share, digits=1):
    return f"{100 * share:.{digits}f} %"


def how_many(flags):
    return f"{sum(flags)} of {len(flags)}"


def listed(words, none="none"):
    words = list(words)
    return (
        none
        if not words
        else words[0]
        if len(words) == 1
        else f"{', '.join(words[:-1])} and {words[-1]}"
    )


def runs_of(numbers):
    """5, 6, 7 and 9 as '5 to 7 and 9'."""
    spans = []
    for n in sorted(numbers):
        if spans and spans[-1][1] == n - 1:
            spans[-1][1] = n
        else:
            spans.append([n, n])
    return listed(
        str(a)
        if a == b
        else f"{a} to {b}"
        if b > a + 1
        else f"{a} and {b}"
        if len(spans) == 1
        else f"{a}, {b}"
        for a, b in spans
    )


class Evaluation:
    """The groups of figures that the pages name."""

    def __init__(self, program, folder):
        self.program, self.folder, self.networks = program, Path(folder), networks()
        self.over_bins, self.over_kmeans, self.covered = None, None, None

    def groups(self):
        return {
            "answer": self.answer,
            "figure": self.figure,
            "rivals": self.rivals,
            "windows": self.windows,
            "intervals": self.intervals,
            "elsewhere": self.elsewhere,
            "made": self.made_costs,
            "field": self.field,
            "ab": self.ab,
            "network": self.by_network,
            "published": self.published,
            "operators": self.operators,
            "memory": self.memory,
            "buckets": self.buckets,
            "eta": self.eta,
            "ranks": self.two_ranks,
            "jobs": self.jobs,
            "gates": self.gates,
            "gpus": self.real_gpus,
            "h200": lambda: self.field_gpu("h200"),
            "h100": lambda: self.field_gpu("h100"),
            "constant": source.facts,
            "count": self.count,
        }

    def ratios(self):
        if self.over_bins is None:
            self.over_bins = {
                method: errors.all_ratios(self.program, self.networks, method)
                for method in errors.METHODS
            }
            self.over_kmeans = errors.all_ratios(
                self.program, self.networks, "calibrated", over="kmeans"
            )
        return self.over_bins

    # --- errors -----------------------------------------------------------------------------------

    def answer(self):
        tables = {method: errors.table_of_ratios(found) for method, found in self.ratios().items()}
        rows, facts = [], {}
        for kind in KINDS:
            of = [n for n in self.networks if n.kind == kind]
            key = kind.split()[0]
            facts[f"{key}.networks"], facts[f"{key}.epochs"] = len(of), sum(
                len(n.traces) for n in of
            )
            for measure in MEASURES:
                ratio, low, high = tables["calibrated"][kind, measure]
                cells = sum(
                    map(len, errors.by_kind(self.over_bins["calibrated"])[kind, measure].values())
                )
                facts[f"{key}.{measure}"] = f"{ratio:.2f}"
                rows.append(
                    (
                        f"{kind} ({len(of)} networks)",
                        f"`{measure}`",
                        f"**{ratio:.2f}**",
                        f"{low:.2f} to {high:.2f}",
                        *(f"{tables[m][kind, measure][0]:.2f}" for m in errors.METHODS[1:]),
                        cells,
                    )
                )
        facts["table"] = markdown(
            (
                "batches of",
                ":times",
                "`calibrated`",
                "95 % interval",
                *(f"`{m}`" for m in errors.METHODS[1:]),
                "combinations",
            ),
            rows,
        )
        facts["networks"], facts["epochs"] = len(self.networks), sum(
            len(n.traces) for n in self.networks
        )
        facts["draws"], facts["draws.random"] = errors.DRAWS, errors.DRAWS_OF_RANDOM
        for name, found in (("bins", self.over_bins["calibrated"]), ("kmeans", self.over_kmeans)):
            logs = [x for cells in found.values() for x in cells.values()]
            facts[f"{name}.ahead"] = percent(sum(x > 0 for x in logs) / len(logs), 0)
            facts[f"{name}.sizes"] = self.sizes_ahead(found)
        return facts

    @staticmethod
    def sizes_ahead(found):
        """A sentence on where the other method is better, averaged over the networks of a kind."""
        said = []
        for kind in KINDS:
            for measure in MEASURES:
                ahead = []
                for k in SIZES:
                    logs = [
                        x
                        for (network, m), cells in found.items()
                        if network.kind == kind and m == measure
                        for (_, size), x in cells.items()
                        if size == k
                    ]
                    if logs and errors.geometric_mean(logs) > 1:
                        ahead.append(k)
                if ahead:
                    said.append(f"{runs_of(ahead)} points ({kind}, `{measure}`)")
        return listed(said, "no number of points")

    def rivals(self):
        own, equal = rivals.at_own_price(self.program, self.networks), rivals.at_equal_price(
            self.program, self.networks
        )
        rows = [
            (
                f"`{method}`",
                words,
                *(
                    cell
                    for kind in KINDS
                    for cell in (f"{of[kind][0]:.0f}", *(f"{of[kind][1][m]:.2f}" for m in MEASURES))
                ),
            )
            for (method, words), of in own.items()
        ]
        header = [
            words
            for kind in KINDS
            for words in (f"{kind}: executions", *(f"`{m}`" for m in MEASURES))
        ]
        facts = {"own": markdown(("method", ":rule", *header), rows)}
        measured = rivals.at_equal_measurements(self.program, self.networks)
        facts["equal"] = self.table_at(
            equal, rivals.EQUAL, rivals.SIZES, {k: rivals.executions(k) for k in rivals.SIZES}
        )
        facts["measured"] = self.table_at(
            measured, rivals.METHODS, rivals.MEASURED, {k: k for k in rivals.MEASURED}
        )
        for other in rivals.METHODS[1:]:
            facts[f"{other}.once"] = self.beside(equal, other, rivals.ONCE, rivals.SIZES)
            facts[f"{other}.twice"] = self.beside(equal, other, "calibrated", rivals.SIZES)
            facts[f"{other}.alike"] = self.beside(measured, other, "calibrated", rivals.MEASURED)
        return facts

    @staticmethod
    def mean_error(cells):
        return errors.geometric_mean(map(math.log, cells.values()))

    def table_at(self, found, rows, sizes, named):
        """A row for each method: errors of both columns at each size, by kind of batches."""
        cell = lambda row, size, kind: " / ".join(
            f"{self.mean_error(found[row, size][kind, m]):.2f}" for m in MEASURES
        )
        return markdown(
            ("method", *(f"{kind}: {named[size]}" for kind in KINDS for size in sizes)),
            [
                (
                    f"`{row.split(',')[0]}`{row[len(row.split(',')[0]):]}",
                    *(cell(row, size, kind) for kind in KINDS for size in sizes),
                )
                for row in rows
            ],
        )

    def beside(self, found, other, row, sizes):
        """The error of a method over that of another row: '0.93 to 1.05'."""
        ratios = [
            self.mean_error(found[other, size][kind, m])
            / self.mean_error(found[row, size][kind, m])
            for size in sizes
            for kind in KINDS
            for m in MEASURES
        ]
        return f"{min(ratios):.2f} to {max(ratios):.2f}"

    def windows(self):
        found = by_tokens.windows(self.program, self.networks, self.folder / "windows")
        mean = lambda *key: errors.geometric_mean(map(math.log, found[key]))
        columns = [(kind, size) for kind in KINDS for size in by_tokens.WINDOW_SIZES]
        slower = [
            mean(kind, m, size, "stretch") / mean(kind, m, size, "anywhere")
            for kind, size in columns
            for m in by_tokens.WINDOWED
        ]
        return {
            "table": markdown(
                ("method", *(f"{kind}: {size}" for kind, size in columns)),
                [
                    (
                        f"`{method}`",
                        *(
                            " / ".join(
                                f"{mean(kind, method, size, where):.2f}"
                                for where in ("anywhere", "stretch")
                            )
                            for kind, size in columns
                        ),
                    )
                    for method in by_tokens.WINDOWED
                ],
            ),
            "factors": f"{min(slower):.1f} to {max(slower):.1f}",
        }

    def figure(self):
        methods, lines, titles = ("calibrated", "bins", "kmeans"), [], []
        for kind in KINDS:
            of = [n for n in self.networks if n.kind == kind]
            titles.append(f"{'Pairs' if kind == 'pairs' else 'One length'}: {len(of)} networks")
            lines.append({m: errors.curve(self.program, of, "single_s", m) for m in methods})
        return {
            "svg": figure.panels(
                titles,
                lines,
                "number of points found",
                "RMS error of the projected total, % of the total",
                "RMS error against the number of points, for calibrated, bins and kmeans",
            )
        }

    def by_network(self):
        rows, facts = [], {}
        held = self.coverage()
        over = self.ratios()["calibrated"]
        better = {"bins": [], "kmeans": []}
        for network in self.networks:
            cells = [x for m in MEASURES for x in over[network, m].values()]
            others = [x for m in MEASURES for x in self.over_kmeans[network, m].values()]
            for name, logs in (("bins", cells), ("kmeans", others)):
                if errors.geometric_mean(logs) > 1:
                    better[name].append(network.name)
            ratios = [f"{errors.geometric_mean(over[network, m].values()):.2f}" for m in MEASURES]
            rows.append(
                (
                    network.name,
                    network.kind,
                    *ratios,
                    percent(sum(x > 0 for x in cells) / len(cells), 0),
                    percent(sum(x > 0 for x in others) / len(others), 0),
                    *(
                        percent(held[w].share(("network", network.name)))
                        for w in ("times", "speedups")
                    ),
                )
            )
        facts["table"] = markdown(
            (
                "network",
                ":batches of",
                "`runtime_s`",
                "`single_s`",
                "`bins` ahead",
                "`kmeans` ahead",
                "times: covers",
                "speedups: covers",
            ),
            rows,
        )
        for name, of in better.items():
            facts[f"{name}.better"] = listed((f"`{n}`" for n in of), "no network")
        log, name, measure, (configuration, k) = max(
            (x, n.name, m, cell) for (n, m), cells in over.items() for cell, x in cells.items()
        )
        facts["worst"] = (
            f"{math.exp(log):.1f} times the error of `bins` (`{name}` on `{configuration}`, "
            f"`{measure}`, {k} points)"
        )
        facts["speedups"] = self.speedup_ratios()
        return facts

    def speedup_ratios(self):
        logs = {kind: [] for kind in KINDS}
        for network in self.networks:
            for measure in MEASURES:
                ours, bins = (
                    errors.errors_of(self.program, network, measure, m)
                    for m in ("calibrated", "bins")
                )
                for cell, row in ours.items():
                    if row["speedup_rms_error_pct"] and cell in bins:
                        logs[network.kind].append(
                            math.log(
                                float(row["speedup_rms_error_pct"])
                                / float(bins[cell]["speedup_rms_error_pct"])
                            )
                        )
        return listed(f"{errors.geometric_mean(logs[kind]):.2f} ({kind})" for kind in KINDS)

    # --- intervals --------------------------------------------------------------------------------

    def coverage(self):
        if self.covered is None:
            self.covered = errors.coverage(self.program, self.networks)
        return self.covered

    def intervals(self):
        rows, facts = [], {}
        for what, found in self.coverage().items():
            lowest, name = found.lowest()
            shares = {r: percent(found.share(("repeats", r))) for r in errors.REPEATS}
            rows.append(
                (
                    what,
                    *(
                        cell
                        for r in errors.REPEATS
                        for cell in (shares[r], f"{found.median_width(('repeats', r)):.1f}")
                    ),
                    f"{percent(lowest)} (`{name}`)",
                )
            )
            facts.update({f"{what}.{r}": share for r, share in shares.items()})
            facts[f"{what}.lowest"], facts[f"{what}.lowest_network"] = percent(lowest), f"`{name}`"
        header = [
            words
            for r in errors.REPEATS
            for words in (f"{r} measurement{'s' if r > 1 else ''}", "half-width / RMS error")
        ]
        facts["table"] = markdown(("95 % intervals of", *header, "lowest network"), rows)
        below = [
            (self.coverage()["times"].share(("column", n.name, m)), n.name, m)
            for n in self.networks
            for m in MEASURES
        ]
        facts["below"] = listed(
            (f"`{n}` `{m}` {percent(share)}" for share, n, m in sorted(below) if share < 0.9),
            "none",
        )
        return facts

    def made_costs(self):
        folder = self.folder / "made"
        folder.mkdir(exist_ok=True)
        found, onto = made_costs.table(self.program, folder), made_costs.onto(self.program, folder)
        cell = lambda scores: "{:.2f} %, {}, {:.1f}".format(
            *(x if i != 1 else percent(x) for i, x in enumerate(scores.summary()))
        )
        table = lambda kinds, plans: markdown(
            (":cost", *plans),
            [(kind, *(cell(found[kind, plan]) for plan in plans)) for kind in kinds],
        )
        rivals_of = [made_costs.MIDPOINTS]
        facts = {
            "shown": table(made_costs.SHOWN, [*made_costs.PLANS, *rivals_of]),
            "hidden": table(made_costs.NOT_SHOWN, made_costs.PLANS),
            "instances": made_costs.INSTANCES,
            "runs": len(made_costs.RUNS),
            "draws": made_costs.DRAWS,
            "profiles": made_costs.PROFILES,
        }
        for plan in made_costs.PLANS:
            held = [share for kind in made_costs.SHOWN for share in found[kind, plan].held]
            name = plan.replace(" ", "")
            facts[f"held.{name}"] = percent(sum(held) / len(held))
            lowest, kind = min((found[kind, plan].summary()[1], kind) for kind in made_costs.SHOWN)
            facts[f"lowest.{name}"] = f"{percent(lowest)} ({kind})"
        rows = [
            (
                kind,
                direction,
                f"{scores.summary()[0]:.1f} %",
                f"{max(scores.rms):.1f} %",
                percent(scores.summary()[1]),
                f"{scores.summary()[2]:.1f}",
            )
            for (kind, direction), scores in onto.items()
        ]
        facts["onto"] = markdown(
            (
                ":cost",
                ":points of",
                "RMS error",
                "largest of an epoch",
                "95 % intervals that cover",
                "half-width / RMS error",
            ),
            rows,
        )
        every = [scores for scores in onto.values()]
        facts["without"] = sum(len(scores.rms) - len(scores.held) for scores in every)
        facts["projected"] = sum(len(scores.rms) for scores in every)
        return facts

    def elsewhere(self):
        rows, found = [], elsewhere.table(self.program, self.networks, self.folder)
        for target, (held, width, middle, rms, _, without) in found.items():
            rows.append(
                (
                    target,
                    percent(held),
                    f"± {percent(width)}",
                    percent(middle),
                    percent(rms),
                    without,
                )
            )
        return {
            "table": markdown(
                (
                    "projected",
                    "95 % intervals that cover",
                    "median half-width",
                    "median error",
                    "RMS error",
                    "without an interval",
                ),
                rows,
            ),
            "draws": elsewhere.DRAWS,
            "projections": f"{sum(found[t][4] for t in found):,}",
        }

    def field(self):
        rows = field.table(HERE / "field.csv")
        found, facts, cells = field.summaries(rows, "runtime_s"), {}, []
        for (condition, count), one in found.items():
            cells.append(
                (
                    condition,
                    count,
                    len(one.held),
                    percent(one.share()),
                    f"± {percent(one.half_width())}",
                    f"{100 * one.bias():+.1f} ± {percent(one.error_of_bias())}",
                )
            )
            facts[f"{condition}.{count}"] = percent(one.share(), 0)
        for condition in field.CONDITIONS:
            facts[f"{condition}.two"] = f"{field.width_of_two(found, condition):.2f}"
            facts[f"{condition}.epochs"] = percent(
                field.spread_of_epochs(rows, condition, "runtime_s")
            )
        of_cpu = field.summaries(rows, "cpu_s")
        facts["load.cpu"] = listed(percent(of_cpu["load", n].share(), 0) for n in field.COUNTS)
        header = (
            ":machine",
            "processes of the plan",
            "intervals and epochs",
            "95 % intervals that cover",
            "median half-width",
            "bias",
        )
        return {
            **facts,
            "jobs": len({row["job"] for row in rows}),
            "table": markdown(header, cells),
        }

    def ab(self):
        rows, cells, facts = field.table(HERE / "ab.csv"), [], {}
        for condition, processes, draws, broken, inconclusive, found in ab.summaries(rows):
            figures = {
                "false": percent(broken),
                "inconclusive": percent(inconclusive),
                "found": f"+{percent(found, 0)}"
                if found
                else f"more than +{percent(ab.REGRESSIONS[-1], 0)}",
            }
            cells.append((condition, processes, draws, *figures.values()))
            facts.update((f"{condition}.{processes}.{name}", of) for name, of in figures.items())
        header = (
            ":machine",
            "processes per build",
            "trials",
            "false alarms",
            "inconclusive",
            "found in 80 %",
        )
        return {
            **facts,
            "table": markdown(header, cells),
            "tried": listed(f"+{percent(by)}" for by in ab.REGRESSIONS[1:]),
        }

    def memory(self):
        rows, facts = peak_memory.table(HERE / "peak_memory.csv"), {}
        cells = []
        for row in rows:
            projected = [
                cell
                for part in ("", "rest_")
                for cell in (
                    f"{100 * peak_memory.error_of(row, part):+.1f} %",
                    "{:+.1f} to {:+.1f} %".format(*peak_memory.interval_of(row, part)),
                )
            ]
            cells.append(
                (
                    row["job"],
                    f"{int(row['peak_bytes']) / 1e6:.2f} MB",
                    *projected,
                    f"{row['fails_in_order']} of {row['iterations']}",
                    row["fails_in_plan"],
                )
            )
        facts["table"] = markdown(
            (
                "job",
                "peak",
                "projected",
                "interval",
                "without the largest",
                "interval",
                "epoch fails after",
                "plan after",
            ),
            cells,
        )
        into = sorted(int(row["fails_in_order"]) / int(row["iterations"]) for row in rows)
        for key, part in (("held", ""), ("rest.held", "rest_")):
            facts[key] = f"{sum(peak_memory.holds(row, part) for row in rows)} of {len(rows)}"
        return {
            **facts,
            "jobs": len(rows),
            "first": percent(into[0], 0),
            "last": percent(into[-1], 0),
            "within": max(int(row["fails_in_plan"]) for row in rows) + 1,
        }

    def buckets(self):
        found = buckets.table(HERE / "buckets.csv")
        rows = [
            (
                corpus,
                number,
                *(percent(of[who][0]) for who in buckets.ESTIMATORS),
                *(percent(of[who][1]) for who in buckets.ESTIMATORS),
            )
            for (corpus, number), of in found.items()
        ]
        header = [f"{what}: {who}" for what in ("samples", "batches") for who in buckets.ESTIMATORS]
        return {"table": markdown(("corpus", "buckets", *header), rows)}

    def two_ranks(self):
        rows, facts, cells = two_ranks.table(HERE / "two_ranks.csv"), {}, []
        for row in rows:
            truth, value, low, high = (
                float(row[key]) for key in ("truth_s", "value", "low", "high")
            )
            cells.append(
                (
                    row["job"],
                    row["sessions"],
                    f"`{row['metric']}`",
                    f"{truth:.2f} s",
                    f"{value:.2f} s",
                    f"{100 * (value / truth - 1):+.1f} %",
                    f"{low:.2f} to {high:.2f} s",
                )
            )
        for count in dict.fromkeys(row["sessions"] for row in rows):
            for metric in two_ranks.METRICS:
                of = [row for row in rows if (row["sessions"], row["metric"]) == (count, metric)]
                facts[f"{metric}.{count}"] = f"{sum(map(two_ranks.holds, of))} of {len(of)}"
        return {
            **facts,
            "table": markdown(
                ("job", "jobs measured", ":column", "epoch", "projected", "error", "interval"),
                cells,
            ),
        }

    def jobs(self):
        rows = peak_memory.table(HERE / "jobs.csv")
        cells = [
            (
                row["job"],
                row["batches"],
                row["same"],
                " and ".join(f"{float(of):.1f} s" for of in row["steady_s"].split()),
                f"{float(row['projected_s']):.1f} s",
                f"{float(row['low_s']):.1f} to {float(row['high_s']):.1f} s",
                f"{100 * float(row['error']):+.1f} %",
                row["inside"],
                f"{100 * float(row['cpu_error']):+.1f} %",
                row["executions"],
                f"{float(row['run_s']):.0f} s",
                f"{float(row['job_s']):.0f} s",
            )
            for row in rows
        ]
        header = (
            *("job", "batches", ":same batches", "epoch", "projected", "interval", "error"),
            *(":inside", "error of `cpu_s`", "executions", "`run` took", "the job takes"),
        )
        return {
            "table": markdown(header, cells),
            "same": sum(row["same"] == "yes" for row in rows),
            "inside": sum(row["inside"] == "yes" for row in rows),
            "number": len(rows),
            "processes": rows[0]["processes"],
            "clocks": percent(max(abs(float(row["clocks"])) for row in rows), 2),
            "cpu": percent(max(abs(float(row["cpu_error"])) for row in rows)),
            "dates": " and ".join(sorted({row["date"] for row in rows})),
        }

    def gates(self):
        """Verdicts of `seqpoint run` on builds that differ by a known amount of work."""
        rows = peak_memory.table(HERE / "run_ab.csv")
        groups, cells = {}, []
        for row in rows:
            groups.setdefault((row["condition"], row["extra"]), []).append(row)
        for (condition, extra), of in groups.items():
            verdicts = [row["verdict"] for row in of]
            decided = [row for row in of if row["verdict"] != "refused"]
            widths = [(float(row["high"]) - float(row["low"])) / 2 for row in decided]
            cells.append(
                (
                    condition,
                    percent(float(extra), 0),
                    f"{100 * float(of[0]['true_change']):+.1f} %",
                    len(of),
                    *(verdicts.count(word) for word in ("fail", "inconclusive", "pass", "refused")),
                    f"± {percent(statistics.median(widths))}",
                    f"{statistics.median(int(row['processes']) for row in decided):g}",
                    f"{statistics.median(float(row['seconds']) for row in of):.0f} s",
                )
            )
        header = (":machine", "extra work", "two epochs", "comparisons", "fail", "inconclusive")
        header += ("pass", "refused", "half-width", "processes per build", "took")
        return {"table": markdown(header, cells)}

    def replays(self, name, epochs, orders=tuple(eta.ORDERS)):
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        return eta.table(in_parallel, epochs, folder, orders)

    def eta(self):
        fresh = self.replays(
            "fresh",
            [
                epoch
                for job in candidates.measured_jobs()
                for epoch in candidates.epochs_of(job).values()
            ],
        )
        found = self.replays(
            "eta", [path for network in self.networks for _, path in network.traces]
        )
        rows = [
            (
                order,
                percent(part, 0),
                *(
                    percent(eta.rms(one[how] for one in of))
                    for how in ("eta", "iterations", "line")
                ),
                f"{sum(one['held'] for one in of)} of {len(of)}",
                f"± {percent(eta.statistics.median(one['width'] for one in of))}",
            )
            for (order, part), of in found.items()
        ]
        every, of_fresh = ([one for of in table.values() for one in of] for table in (found, fresh))
        width = eta.statistics.median(one["width"] for one in of_fresh)
        return {
            "fresh": len(of_fresh),
            "fresh.held": percent(sum(one["held"] for one in of_fresh) / len(of_fresh), 0),
            "fresh.width": f"± {percent(width, 0)}",
            **{
                f"fresh.{how}": percent(eta.rms(one[how] for one in of_fresh), 0)
                for how in ("eta", "iterations", "line")
            },
            "fresh.epochs": len(of_fresh) // len(fresh),
            "fresh.off": sum(one["off"] is True for one in of_fresh),
            "fresh.compared": sum(one["off"] is not None for one in of_fresh),
            "table": markdown(
                (
                    "order",
                    "done",
                    "`eta`",
                    "iterations left",
                    "least-squares line",
                    "intervals that cover",
                    "median half-width",
                ),
                rows,
            ),
            "held": percent(sum(one["held"] for one in every) / len(every), 0),
            "replays": len(every),
            "off": sum(one["off"] is True for one in every),
            "compared": sum(one["off"] is not None for one in every),
        }

    # --- comparisons with others ------------------------------------------------------------------

    def published(self):
        facts = {}
        for name, (time, speedup, reduction) in PUBLISHED.items():
            network = next(n for n in self.networks if n.name == name)
            arguments = [f"{c}={path.relative_to(ROOT)}" for c, path in network.traces]
            asked = ("--lengths-only", *points(BOTH_SIZES))
            facts[f"{name}.command"] = " ".join(("seqpoint evaluate", *arguments, *asked))
            by_measure = []
            for measure in MEASURES:
                found = {}
                for row in self.program.rows(
                    "evaluate", "-q", *network.arguments(), *asked, "--metric", measure
                ):
                    found.setdefault((row["method"], row["asked"]), row)
                by_measure.append(found)
            rows = [
                (
                    "**published**",
                    "",
                    time,
                    speedup,
                    "",
                    "",
                    f"{reduction} (not defined)",
                    "",
                    "",
                )
            ]
            for key, drift_free in by_measure[0].items():
                noisy = by_measure[1][key]
                rows.append(
                    (
                        f"`{key[0]}`",
                        drift_free["points"],
                        *(
                            f"{float(row[c]):.2f}"
                            for row in (drift_free, noisy)
                            for c in ("geomean_error_pct", "speedup_geomean_error_pct")
                        ),
                        f"{float(drift_free['serial']):.0f}x",
                        f"{float(drift_free['parallel']):.0f}x",
                        f"{float(drift_free['count']):.0f}x",
                    )
                )
            facts[name] = markdown(
                (
                    "",
                    "points",
                    "time",
                    "speedup",
                    "time, `single_s`",
                    "speedup, `single_s`",
                    "serial",
                    "parallel",
                    "count",
                ),
                rows,
            )
            for key in ("time", "speedup"):
                column = "geomean_error_pct" if key == "time" else "speedup_geomean_error_pct"
                reached = [
                    f"`{method}` with {row['points']}"
                    for (method, _), row in by_measure[0].items()
                    if float(row[column]) <= float(PUBLISHED[name][key == "speedup"])
                ]
                facts[f"{name}.{key}"] = listed(reached, "none")
        return facts

    def real_gpus(self):
        return {
            "count": len(real_gpus.SYSTEMS),
            **self.gpu_processes(),
            "eta": self.gpu_replays(),
        }

    def field_gpu(self, gpu):
        recorded = field_gpu.recorded_in(field_gpu.RECORDED[gpu])
        rows = field_gpu.steady(
            field_gpu.projections(self.program.path, field_gpu.RECORDED[gpu]),
            field_gpu.RECORDED[gpu],
        )
        found = field.summaries(rows, "runtime_s")
        facts = {f"hold.{count}": percent(one.share(), 0) for (_, count), one in found.items()}
        facts.update(
            {
                f"width.{count}": f"± {percent(one.half_width())}"
                for (_, count), one in found.items()
            }
        )
        cells = []
        for folder in recorded:
            own = [row for row in rows if row["job"] == folder.parent.name]
            epoch = field_gpu.iterations_of(folder, 0)
            share, *first, covered = field_gpu.cold_start(self.program.path, folder)
            told = [
                percent(share, 0),
                *(f"{1000 * each:.1f} ms" for each in first),
                f"{covered} of {field.PROCESSES}",
            ]
            cells.append(
                (
                    folder.parent.name,
                    len(epoch),
                    len({signature for signature, _ in epoch}),
                    field_gpu.later_executions(field_gpu.times_of(folder, 0)),
                    *told,
                    *self.coverage_cells(own),
                )
            )
        header = (
            "job",
            "iterations",
            "shapes",
            "later executions",
            "cold start / total",
            "cold start per shape, by points",
            "by the epochs",
            "cold start at most 2 K D",
            "steady part, one process: covers",
            "three: covers",
            "bias",
            "half-width",
        )
        judged = {row["job"] for row in rows}
        return {
            **facts,
            "jobs": len(cells),
            "judged": len(judged),
            "later": field_gpu.FEWEST_LATER,
            "unknown": ", ".join(
                f"`{folder.parent.name}`" for folder in recorded if folder.parent.name not in judged
            )
            or "none",
            "epochs": percent(field.spread_of_epochs(rows, field_gpu.CONDITION, "runtime_s")),
            "table": markdown(header, cells),
        }

    @staticmethod
    def coverage_cells(rows):
        """Coverage from one and three processes, bias and half-width from one, of a job's rows."""
        if not rows:
            return ("not known",) * 2 + ("", "")
        of = field.summaries(rows, "runtime_s")
        once, thrice = of[field_gpu.CONDITION, 1], of[field_gpu.CONDITION, field.PROCESSES]
        return (
            how_many(once.held),
            how_many(thrice.held),
            f"{100 * once.bias():+.1f} %",
            f"± {percent(once.half_width())}",
        )

    def gpu_replays(self):
        found = self.replays(
            "gpus",
            [real_gpus.DATA / "mlperf-gnmt" / f"{system}.csv.gz" for system in real_gpus.SYSTEMS],
        )
        rows = []
        for order in eta.ORDERS:
            of = [one for part in eta.PARTS for one in found[order, part]]
            rows.append(
                (
                    order,
                    *(
                        percent(eta.rms(one[how] for one in of))
                        for how in ("eta", "iterations", "line")
                    ),
                    f"{sum(one['held'] for one in of)} of {len(of)}",
                    f"± {percent(eta.statistics.median(one['width'] for one in of))}",
                )
            )
        return markdown(
            (
                "order",
                "`eta`",
                "iterations left",
                "least-squares line",
                "intervals that cover",
                "median half-width",
            ),
            rows,
        )

    def gpu_processes(self):
        folder = self.folder / "gpus"
        folder.mkdir(exist_ok=True)
        found, times, rows = real_gpus.processes(self.program, folder), real_gpus.epoch_times(), []
        for system, name in real_gpus.SYSTEMS.items():
            mean, cells = real_gpus.statistics.fmean(times[system]), []
            for points in real_gpus.POINTS_ONCE:
                rms, held, half = zip(*found[system][points])
                cells.append(
                    f"{eta.rms(rms):.2f} %, {percent(sum(held) / len(held), 0)}, ± "
                    f"{sum(half) / len(half):.1f} %"
                )
            rows.append(
                (
                    name,
                    f"{mean:.1f} s",
                    f"{100 * real_gpus.statistics.stdev(times[system]) / mean:.2f} %",
                    f"{100 * (max(times[system]) - min(times[system])) / mean:.1f} %",
                    *cells,
                )
            )
        header = (
            "system",
            "epoch",
            "standard deviation",
            "range",
            *(f"{points} x 1 of another run" for points in real_gpus.POINTS_ONCE),
        )
        facts = {"processes": markdown(header, rows)}
        for points in real_gpus.POINTS_ONCE:
            held = [share for system in found.values() for _, share, _ in system[points]]
            facts[f"processes.{points}"] = percent(sum(held) / len(held))
        return facts

    def operators(self):
        found, facts = operators.WhereTimeGoes(self.program, self.folder), {}
        for by, most in (("operator", 8), ("category", 99)):
            rows = [
                (
                    f"`{n}`" if by == "operator" and n in found.epoch[by] else n,
                    f"{e:.2f}",
                    percent(se),
                    f"{p:.2f}",
                    percent(sp),
                    f"{100 * (p / e - 1):+.1f} %",
                )
                for n, e, se, p, sp in found.rows(by, most)
            ]
            facts[by] = markdown((by, "epoch, s", "share", "projected, s", "share", "error"), rows)
            facts[
                f"{by}.moved"
            ] = f"{max(100 * abs(se - sp) for _, _, se, _, sp in found.rows(by, most)):.1f}"
        metric = found.interval
        facts["epoch"], facts["projected"] = f"{found.total:.1f}", f"{metric['value']:.1f}"
        facts["half"] = percent((metric["high"] - metric["low"]) / 2 / metric["value"])
        facts["error"] = f"{100 * (metric['value'] / found.total - 1):+.1f} %"
        facts["held"] = (
            "covers" if metric["low"] <= found.total <= metric["high"] else "does not cover"
        )
        return facts

    def count(self):
        counted = count.lines(count.MODEL)
        return {"lines": f"{round(sum(n for _, n in counted), -2):,}", "files": len(counted)}


def difference(name, there, made):
    lines = difflib.unified_diff(
        there.splitlines(),
        made.splitlines(),
        name,
        "what tools/evaluation/make.py writes",
        lineterm="",
        n=1,
    )
    return "\n".join(lines)


def template_of(name):
    return (HERE / f"{name}.md.in").read_text()


def check(which, facts):
    """Prints how files differ from what would be written; whether any does."""
    differs = False

    def compare(name, there, made):
        nonlocal differs
        if there != made:
            differs = True
            print(difference(name, there, made))

    read = lambda name: (ROOT / name).read_text() if (ROOT / name).exists() else ""
    compare(IMAGE, read(IMAGE), facts["figure.svg"])
    for name, page in PAGES.items():
        template, there = template_of(name), read(page)
        if which == "all":
            compare(page, there, filled(template, facts))
            continue
        if wrong := fits(template, there):
            differs = True
            print(f"{page}: is not its template with figures filled in: {wrong}")
        have = parts(there)
        for part, text in parts(template).items():
            if part.startswith("answer"):
                compare(page, have.get(part, ""), filled(text, facts))
    if differs:
        print("tools/evaluation/make.py writes them anew", file=sys.stderr)
    return differs


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--program",
        type=Path,
        default=ROOT / "build/release/seqpoint",
        metavar="FILE",
        help="the seqpoint to run [build/release/seqpoint]",
    )
    parser.add_argument(
        "--check",
        nargs="?",
        const="all",
        choices=("answer", "all"),
        help=(
            "compare the pages with what would be written: 1 and a diff if they differ. answer: "
            "the parts between markers, below a minute"
        ),
    )
    parser.add_argument(
        "-o",
        dest="folder",
        type=Path,
        default=ROOT,
        metavar="FOLDER",
        help="write the pages below it, where they are below the project [the project]",
    )
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        parser.error(
            f"cannot run '{options.program}': build it (cmake --preset release && cmake --build "
            "--preset release) or say --program"
        )
    with tempfile.TemporaryDirectory() as folder:
        facts = Facts(Evaluation(Program(options.program.resolve()), folder).groups())
        if options.check:
            return 1 if check(options.check, facts) else 0
        texts = {page: filled(template_of(name), facts) for name, page in PAGES.items()}
        for page, text in {IMAGE: facts["figure.svg"], **texts}.items():
            (options.folder / page).parent.mkdir(parents=True, exist_ok=True)
            (options.folder / page).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
