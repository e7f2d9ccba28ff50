#!/usr/bin/env python3
"""How a batch's cost depends on the age of its process, with and without a setting of malloc.

    tests/rates/heap_age.py [--processes N] [--between N] [--rows FILE]

Needs PyTorch, and a machine without other work. Every process runs eight batches twice, as a plan
does, then 150 others, then the same eight twice again. Processes of the three networks and the
three settings take turns, with one thread each. A row of --rows is one execution: network, setting,
process, part, batch, seconds, page faults. The table's intervals are of the mean over processes,
with Student's quantile of 95 %.
"""
import argparse
import csv
import json
import math
import os
import random
import statistics
import subprocess
import sys
import time

KEEP = "4294967296"
SETTINGS = {
    "default": {},
    "no mmap, no trim": {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": KEEP},
    "mmap above 32 MiB": {"MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TRIM_THRESHOLD_": KEEP},
}
NETWORKS = ("gru", "transformer", "convolution")
SAMPLES, SHORTEST, LONGEST, CLASSES = 16, 8, 120, 1000
WARM_UP, POINTS, REPEATS = 6, 8, 2
STUDENT_95 = {9: 2.262, 14: 2.145, 19: 2.093}  # quantiles by degrees of freedom


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--processes", type=int, choices=(10, 15, 20), default=10)
    parser.add_argument("--between", type=int, default=150, help="batches between the two parts")
    parser.add_argument("--rows", help="writes every execution into this CSV file")
    parser.add_argument("--job", nargs=2, metavar=("NETWORK", "SEED"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.job:
        print(json.dumps(executions(chosen.job[0], int(chosen.job[1]), chosen.between)))
        return
    rows = []
    for process in range(chosen.processes):
        for network in NETWORKS:
            for setting, variables in SETTINGS.items():
                found = in_process(network, process, chosen.between, variables)
                rows += [[network, setting, process, *of] for of in found]
    if chosen.rows:
        with open(chosen.rows, "w", newline="", encoding="ascii") as file:
            writer = csv.writer(file)
            writer.writerow("network setting process part batch seconds page_faults".split())
            writer.writerows(rows)
    print_table(rows, chosen.processes)


def in_process(network, seed, between, variables):
    command = [sys.executable, "-W", "ignore", __file__, "--between", str(between)]
    clean = {name: of for name, of in os.environ.items() if not name.startswith("MALLOC_")}
    output = subprocess.run(
        command + ["--job", network, str(seed)],
        env={**clean, **variables, "OMP_NUM_THREADS": "1"},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return json.loads(output)


# --- in a process ---------------------------------------------------------------------------------


def executions(network, seed, between):
    """[part, batch, seconds, page faults] of each execution. The points are those of the seed."""
    import resource

    import torch

    torch.manual_seed(0)
    step = trainer(torch, network)
    draw = random.Random(seed)
    lengths = [max(draw.randint(SHORTEST, LONGEST) for _ in range(SAMPLES)) for _ in range(999)]
    points, others = lengths[:POINTS], lengths[POINTS:]
    parts = [("warm-up", others[:WARM_UP]), ("early", points * REPEATS)]
    parts += [("between", others[WARM_UP : WARM_UP + between]), ("late", points * REPEATS)]
    found = []
    for part, run in parts:
        for batch, length in enumerate(run):
            faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            begun = time.perf_counter()
            step(length)
            seconds = time.perf_counter() - begun
            after = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            found.append([part, batch, seconds, after - faults])
    return found


def trainer(torch, network):
    """step(length) makes a batch of this padded length and trains on it."""
    nn = torch.nn
    width = 2 if network == "gru" else 16
    embed, out = nn.Embedding(CLASSES, width), nn.Linear(width, CLASSES)
    if network == "gru":
        body = nn.GRU(width, width, batch_first=True)
        apply = lambda batch: body(batch)[0]
    elif network == "transformer":
        body = nn.TransformerEncoderLayer(width, 1, 32, batch_first=True)
        apply = body
    else:
        body = nn.Sequential(*(nn.Conv1d(width, width, 5, padding=2) for _ in range(2)))
        apply = lambda batch: body(batch.transpose(1, 2)).transpose(1, 2)
    optimizer = torch.optim.Adam(
        [*embed.parameters(), *body.parameters(), *out.parameters()],
    )

    def step(length):
        batch = torch.randint(0, CLASSES, (SAMPLES, length + 1))
        scores = out(apply(embed(batch[:, :-1])))
        loss = nn.functional.cross_entropy(scores.flatten(0, 1), batch[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


# --- the table ------------------------------------------------------------------------------------


def print_table(rows, processes):
    print("| network | setting | late, ms | early beside late | page faults early, late |")
    print("|---|---|---:|---:|---:|")
    for network in NETWORKS:
        for setting in SETTINGS:
            ratios, late_ms, faults = [], [], {"early": [], "late": []}
            for process in range(processes):
                own = [of[3:] for of in rows if of[:3] == [network, setting, process]]
                sums = {}
                for part in faults:
                    of_part = [of for of in own if of[0] == part]
                    sums[part] = sum(seconds for _, _, seconds, _ in of_part)
                    faults[part].append(statistics.fmean(of[3] for of in of_part))
                ratios.append(sums["early"] / sums["late"] - 1)
                late_ms.append(1000 * sums["late"] / (POINTS * REPEATS))
            mean = 100 * statistics.fmean(ratios)
            half = STUDENT_95[processes - 1] * statistics.stdev(ratios) / math.sqrt(processes) * 100
            early, late = (statistics.fmean(faults[part]) for part in ("early", "late"))
            print(
                f"| {network} | {setting} | {statistics.fmean(late_ms):.1f} "
                f"| {mean:+.1f} ± {half:.1f} % | {early:,.0f}, {late:,.0f} |"
            )


if __name__ == "__main__":
    main()
