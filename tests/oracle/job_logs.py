"""Logs of jobs as the companion's `log` reads them by the patterns of examples/log-patterns.txt.

    python3 job_logs.py SOURCE_DIR

Lines of every program of the document are drawn: with noise between them, cut lines, jobs that
began again, and lines of several ranks. What a line has to come out as is known as it is written.
"""

import argparse
import datetime
import json
import os
import random
import re
import shlex
import sys
import tempfile

SOURCE = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.join(SOURCE, "python"))
from seqpoint_companion.faults import Fault  # noqa: E402
from seqpoint_companion.logs.log_command import read_log  # noqa: E402

NOISE = [
    "WARNING: the loss scale is 64.0",
    "0: :iteration without a number",
    "\x1b[36m(Worker pid=1)\x1b[0m saving 100%|███| 3/4",
    "",
    "{'loss': 1.5}",
]


def patterns():
    """The options of every program, by the first word of its comment."""
    with open(os.path.join(SOURCE, "examples", "log-patterns.txt"), encoding="utf-8") as file:
        block = file.read()
    pairs = re.findall(r"^# ([^(\n]*?) *(?:\(.*\))?\n('.*)$", block, re.M)
    return {name.split(",")[0]: shlex.split(options) for name, options in pairs}


def read(path, options):
    parser = argparse.ArgumentParser()
    parser.add_argument("pattern")
    parser.add_argument("--per", type=int)
    parser.add_argument("--sum", action="store_true")
    try:
        with open(path, "rb") as file:
            return list(read_log(file, path, parser.parse_args(options)))
    except Fault as fault:
        raise SystemExit(f"{shlex.join(options)}: {fault}") from None


def require(path, expected, steps):
    """For each line the first and last iteration and its nanoseconds."""
    got = [(step.first, step.last, step.ns) for step in steps]
    if got != expected:
        wrong = [pair for pair in zip(got, expected) if pair[0] != pair[1]]
        raise SystemExit(f"{path}: {len(got)} steps of {len(expected)}; {wrong[:3]}")


# --- Programs that print times. Number as the program counts, milliseconds -> line.


def seconds(ms):
    return f"{ms / 1000:.3f}"


TIMES = {  # first number, interval of lines, steps a line is of, line
    "MaxText": (
        *(0, 1, 1),
        lambda n, ms: f"I0811 21:54:44.943716 138304841739136 metric_logger.py:226] completed "
        f"step: {n}, seconds: {seconds(ms)}, TFLOP/s/device: 351.0, loss: 12.979",
    ),
    "Megatron-LM": (
        *(1, 10, 10),
        lambda n, ms: f" [2026-04-27 00:00:01] iteration {n:8d}/ 99999 | consumed samples: 640 | "
        + (
            f"elapsed time per iteration (ms): {ms}.0 | lr: 1E-4 |"
            if ms % 2
            else f"elapsed time per iteration (s): {seconds(ms)}/1.5 | lr: 1E-4 |"
        ),
    ),
    "NeMo 2": (
        *(0, 10, 10),
        lambda n, ms: f"Training epoch 0, iteration {n}/99998 | lr: 1.5e-07 | global_step: {n} | "
        f"reduced_train_loss: 10.84 | train_step_timing in s: {seconds(ms)}",
    ),
    "verl": (
        *(1, 1, 1),
        lambda n, ms: f"\x1b[36m(TaskRunner pid=1)\x1b[0m step:{n} - training/global_step:{n} - "
        f"timing_s/step:1 - perf/time_per_step:np.float64({seconds(ms)}) - perf/throughput:3.5",
    ),
    "nanoGPT": (
        *(0, 10, 1),
        lambda n, ms: f"iter {n}: loss 3.2105, time {ms}.00ms, mfu 10.20%",
    ),
    "litgpt": (
        *(1, 1, 1),
        lambda n, ms: f"Epoch 1 | iter {n} step {n // 4} | loss train: 1.599, val: n/a | "
        f"iter time: {ms}.00 ms" + (" (step)" if n % 4 == 0 else ""),
    ),
    "nanotron": (
        *(1, 1, 1),
        lambda n, ms: f"10/17/2025 16:31:56 [INFO|DP=0|PP=0|TP=0]: iteration: {n} / 378950 | "
        f"consumed_tokens: 85.8G | elapsed_time_per_iteration_ms: {seconds(ms)}K | lr: 1e-05",
    ),
    "ESPnet": (
        *(1, 20, 20),
        lambda n, ms: f"2026-01-01 10:00:00,123 (trainer:732) INFO: 1epoch:train:{n - 19}-{n}"
        f"batch: iter_time=2.1e-04, loss=1.5, optim0_lr0=1e-05, train_time={ms}e-03",
    ),
    "detectron2": (
        *(0, 20, 20),
        lambda n, ms: f"[03/01 10:00:06 d2.utils.events]:  eta: 1:30:11  iter: {n}  total_loss: "
        f"2.1  time: {seconds(ms)}  last_time: 0.3099  data_time: 0.0102   lr: 0.00025",
    ),
    "mmengine": (
        *(1, 50, 10),
        lambda n, ms: f"06/01 10:00:00 - mmengine - INFO - Epoch(train)  [1][{n:4d}/18750]  lr: "
        f"1.0e-02  eta: 1:00:00  time: {seconds(ms)}  data_time: 0.0102  memory: 3028",
    ),
    "DeepSpeed": (
        *(1, 10, 10),
        lambda n, ms: f"steps: {n} loss: 5.5508 lm loss: 5.5103 iter time (s): {seconds(ms)} "
        "samples/sec: 136.706",
    ),
    "MLPerf's GNMT": (
        *(0, 10, 1),
        lambda n, ms: f"TRAIN [0][{n}/99999]\tTime {seconds(ms)} (0.1)\tData 1e-4 (2e-4)\t"
        "Tok/s 90000 (1)\tLoss/tok 1 (2)\tLR 2e-3",
    ),
    "Lightning": (*(0, 50, 1), lambda n, ms: f"0,{n},8.62,{seconds(ms)}"),
    "Marian": (
        *(1, 500, 500),
        lambda n, ms: f"[2019-01-15 05:21:36] Ep. 1 : Up. {n:,} : Sen. {64 * n:,} : Cost "
        f"7.13 * 1,200,000 @ 2,400 after 9,000,000 : Time {seconds(ms)}s : 3123.11 words/s : "
        "gNorm 1.2 : L.r. 1.5000e-04",
    ),
    "TensorFlow Estimator": (
        *(1, 100, 100),
        lambda n, ms: f"INFO:tensorflow:loss = 0.4210, step = {n} ({seconds(ms)} sec)",
    ),
    "NeMo 1": (
        *(0, 1, 1),
        lambda n, ms: f"Epoch 0:  1%| {n + 1}/999 [00:01, v_num=1, global_step={n}.0, "
        f"train_step_timing in s={seconds(ms)}]",
    ),
}
SUMS = {"Marian", "TensorFlow Estimator"}  # a time is of all steps of a line together
PREFIXED = {"MaxText", "Megatron-LM", "NeMo 2", "verl", "litgpt", "MLPerf's GNMT", "DeepSpeed"}


def drawn_times(rng, program, most):
    """Lines, and their expected results.

    When an attempt begins again, its first line is three lines back.
    """
    first, interval, count, line_of = TIMES[program]
    ranks = rng.choice([1, 1, 2, 3]) if program in PREFIXED else 1
    lines, expected = [], []
    done = interval if first == 1 or count > 1 else 1
    for attempt in range(rng.choice([1, 1, 2])):
        done -= 3 * interval if attempt and done > 5 * interval else 0
        for _ in range(rng.randint(6, 20)):
            if done - 1 + first > most:
                break
            while rng.random() < 0.3:
                lines.append(rng.choice(NOISE))
            if rng.random() < 0.1:
                lines.append(line_of(done - 1 + first, 5)[:8])
            times = [rng.randint(1, 99999) for _ in range(ranks)]
            for rank, ms in enumerate(times):
                prefix = f"{rank}: " if ranks > 1 else ""
                lines.append(prefix + line_of(done - 1 + first, ms))
            ns = max(times) * 1_000_000 // (count if program in SUMS else 1)
            expected.append((done - min(count, done), done - 1, ns))
            done += interval
    return lines, expected


def check_times(folder, rng, options):
    for program in TIMES:
        most = 999 if program == "NeMo 1" else 99000
        lines, expected = drawn_times(rng, program, most)
        path = os.path.join(folder, "times.log")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n" + TIMES[program][3](5, 5)[:-1])
        require(f"{program}, {path}", expected, read(path, options[program]))


# --- Programs whose lines have a clock. Number from 1, the time that has passed -> line.

START = datetime.datetime(2026, 2, 28, 23, 59, 0)


def with_comma(passed):
    return f"{START + passed:%Y-%m-%d %H:%M:%S},{passed.microseconds // 1000:03d}"


def in_words(passed):
    minutes, rest = divmod(int(passed.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return (f"{hours}h " if hours else "") + (f"{minutes}m " if minutes else "") + f"{rest}s"


def of_bar(passed):
    minutes, rest = divmod(int(passed.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    return (f"{hours}:{minutes:02d}" if hours else f"{minutes:02d}") + f":{rest:02d}"


CLOCKS = {  # digits behind the second, line
    "torchtitan": (
        3,
        lambda n, passed: f"[rank0]:[titan] {with_comma(passed)} - root - INFO - \x1b[31mstep: "
        f"{n:2}  \x1b[32mloss:  8.2  \x1b[33mmemory: 10.5GiB(13%)  \x1b[34mtps: 3,000\x1b[39m",
    ),
    "Hugging Face Trainer": (
        0,
        lambda n, passed: f" 12%|█▏        | {n}/9999 [{of_bar(passed)}<04:24,  3.01s/it]",
    ),
    "LLaMA-Factory": (
        0,
        lambda n, passed: json.dumps(
            {"current_steps": n, "total_steps": 9999, "loss": 1.8, "elapsed_time": str(passed)}
        ),
    ),
    "ms-swift": (
        0,
        lambda n, passed: json.dumps(
            {
                "loss": 1.1,
                "global_step/max_steps": f"{n}/9999",
                "percentage": "2.50%",
                "elapsed_time": in_words(passed),
                "remaining_time": "32m 49s",
            }
        ),
    ),
    "OpenRLHF": (
        0,
        lambda n, passed: f"Train step of epoch 0:   1%|   | {n}/9999 [{of_bar(passed)}<05:00]",
    ),
    "OpenNMT-py": (
        3,
        lambda n, passed: f"[{with_comma(passed)} INFO] Step {n}/99999; acc: 5.2; ppl: 9.1; "
        f"12345/12456 tok/s; {int(passed.total_seconds()):6d} sec;",
    ),
    "fairseq": (
        0,
        lambda n, passed: f"| epoch 001: {n:6d} / 99999 loss=7.6, wps=319403, num_updates=96, "
        f"wall={int(passed.total_seconds())}",
    ),
}


def check_clocks(folder, rng, options):
    for program, (digits, line_of) in CLOCKS.items():
        number, passed = 0, datetime.timedelta(seconds=rng.randint(0, 90000))
        lines, expected = [], []
        for i in range(rng.randint(2, 20)):
            count, ms = rng.randint(1, 10), rng.randint(1, 5000000)
            ms = ms if digits else ms // 1000 * 1000
            number, passed = number + count, passed + datetime.timedelta(milliseconds=ms)
            lines += [rng.choice(NOISE)] * rng.randint(0, 1) + [line_of(number, passed)]
            if i:
                expected.append((number - count, number - 1, ms * 10**6 // count))
        bar = "\r" if program in ("Hugging Face Trainer", "OpenRLHF") else "\n"
        path = os.path.join(folder, "clock.log")
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(bar.join(lines) + bar + line_of(number + 1, passed)[:-1])
        require(f"{program}, {path}", expected, read(path, options[program]))


def main():
    options = patterns()
    if missing := options.keys() ^ (TIMES.keys() | CLOCKS.keys()):
        raise SystemExit(f"in the document or here alone: {missing}")
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(20):
            rng = random.Random(seed)
            try:
                check_times(folder, rng, options)
                check_clocks(folder, rng, options)
            except SystemExit as error:
                raise SystemExit(f"seed {seed}: {error}") from None
    print("ok")


main()
