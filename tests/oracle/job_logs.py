"""Logs of jobs as `seqpoint inspect` reads them, against a reading in Python.

    python3 job_logs.py PATH/TO/seqpoint [FOLDER OF LOGS]

Logs of every kind are drawn: with lines of several ranks, jobs that begin again, lines that are cut and lines of others. What is
to come out of a line is known as it is written; the framing and the messages of TensorBoard's files are written here, with a table
of CRC-32C. Logs in a folder (NVIDIA's of GNMT in MLPerf Training, result_0.txt) are read by one regular expression.
"""

import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile

SEQPOINT = os.path.abspath(sys.argv[1])


def inspect(path):
    done = subprocess.run([SEQPOINT, "inspect", path, "--json", "-q"], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{path}: {done.stderr}")
    return json.loads(done.stdout)


def require(path, expected, steps, slack=0):
    """Of each line the first and last iteration and its nanoseconds."""
    got = [(*step["iterations"], step["host_ns"]) for step in steps]
    for i in range(max(len(got), len(expected))):
        a, b = got[i : i + 1], expected[i : i + 1]
        if not a or not b or a[0][:2] != b[0][:2] or abs(a[0][2] - b[0][2]) > slack:
            raise SystemExit(f"{path}: step {i}: {a} instead of {b}")


# --- TensorBoard

TABLE = []
for byte in range(256):
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    TABLE.append(byte)


def masked(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(data):
    size = struct.pack("<Q", len(data))
    return size + struct.pack("<I", masked(size)) + data + struct.pack("<I", masked(data))


def varint(n):
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def chunk(number, data):
    return varint(number << 3 | 2) + varint(len(data)) + data


def scalar(wall, step, tag, value, as_tensor):
    if as_tensor:  # DT_FLOAT, as TensorFlow 2 writes it, or packed float_val
        content = struct.pack("<f", value)
        tensor = b"\x08\x01" + chunk(2, b"") + chunk(4 if step % 2 else 5, content)
        number = chunk(8, tensor)
    else:
        number = varint(2 << 3 | 5) + struct.pack("<f", value)
    summary = chunk(5, chunk(1, chunk(1, tag.encode()) + number))
    return record(b"\x09" + struct.pack("<d", wall) + b"\x10" + varint(step) + summary)


VERSION = record(b"\x09" + struct.pack("<d", 1.7e9) + chunk(3, b"brain.Event:2"))


# --- logs as they are drawn

NOISE = ["WARNING: the loss scale is 64.0", "0: :iteration without a number", "\x1b[36m(Worker pid=1)\x1b[0m saving 100%|███| 3/4", "", "{'loss': 1.5}"]


def drawn_log(rng, line_of, first, singles, cut_of):
    """Lines and what they are to come out as. `singles`: times are of one iteration, else means of as many as lie between lines."""
    stride = rng.choice([1, 5, 10]) if not singles else rng.choice([1, 10])
    lines, expected, ranks = [], [], rng.choice([0, 0, 2])
    number, attempts = (0 if singles else stride), rng.choice([1, 1, 2])
    for attempt in range(attempts):
        if attempt:
            number = max(number - 3 * stride, stride)
            if not expected or number - (not singles) >= expected[-1][1]:
                break  # lines were cut: nothing shows that it began again
        for i in range(rng.randint(2, 30)):
            while rng.random() < 0.3:
                lines.append(rng.choice(NOISE))
            at = number if singles else number - 1  # from 0
            if rng.random() < 0.1 and i and not ranks:
                lines.append(cut_of(at + first))  # left out; the next mean is still of one stride
            else:
                times = [rng.randint(1, 99999) for _ in range(max(ranks, 1))]
                for rank, ms in enumerate(times):
                    lines.append((f"{rank}: " if ranks else "") + line_of(at + first, ms))
                span = (at, at) if singles else (at - stride + 1, at)
                expected.append((*span, max(times) * 1_000_000))
            number += stride
    return lines, expected, stride


KINDS = {
    "GNMT": (lambda n, ms: f"TRAIN [0][{n}/99999]\tTime {ms / 1000:.3f} (0.1)\tData 1e-4 (2e-4)\tTok/s 90000 (1)\tLoss/tok 1 (2)\tLR 2e-3", 0, True,
             lambda n: f"TRAIN [0][{n}/99999]\tTime 0.1"),
    "Megatron": (lambda n, ms: f"[2026-04-27 00:00:01] iteration {n:8d}/ 99999 | consumed samples: {64 * n} | elapsed time per iteration (ms): {ms}.0 | lr: 1E-4 |",
                 1, False, lambda n: f" iteration {n:8d}/ 99999 | consumed samples: 1 | elapsed time per iteration (ms): 12"),
    "NeMo": (lambda n, ms: f"Training epoch 0, iteration {n}/9 | lr: 0.1 | global_step: {n} | reduced_train_loss: 1.5 | train_step_timing in s: {ms / 1000:.3f} | consumed_samples: 8",
             0, True, lambda n: f"Training epoch 0, iteration {n}/9 | train_step_timing in s: "),
    "DeepSpeed": (lambda n, ms: f"steps: {n} loss: 5.5508 lm loss: 5.5103 iter time (s): {ms / 1000:.3f} samples/sec: 136.706", 1, False,
                  lambda n: f"steps: {n} loss: 5.5508 iter time (s): 0."),
    "verl": (lambda n, ms: f"step:{n} - training/global_step:{n} - timing_s/step:{ms / 1000:.3f} - perf/total_num_tokens:10 - perf/time_per_step:{ms / 1000:.3f} - perf/throughput:3.5",
             1, True, lambda n: f"step:{n} - perf/time_per_step:"),
}


def check_lines(folder, rng):
    for name, (line_of, first, singles, cut_of) in KINDS.items():
        lines, expected, stride = drawn_log(rng, line_of, first, singles, cut_of)
        path = os.path.join(folder, f"{name}.log")
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        steps = inspect(path)["steps"]
        if not singles:
            gaps = [b[1] - a[1] for a, b in zip(expected, expected[1:]) if b[1] > a[1]]
            if not gaps or min(gaps) != stride:
                continue  # nothing in such a log says how many iterations a mean is of
        require(path, expected, steps)


def check_clock(folder, rng):
    """LLaMA-Factory: whole seconds since the start, of which differences are read."""
    now, number, lines, expected = rng.randint(0, 200000), 0, [], []
    for i in range(rng.randint(2, 20)):
        count, seconds = rng.randint(1, 10), rng.randint(1, 5000)
        number, now = number + count, now + seconds
        days, rest = divmod(now, 86400)
        clock = f"{rest // 3600}:{rest // 60 % 60:02d}:{rest % 60:02d}"
        if days:
            clock = f"{days} day{'s' if days > 1 else ''}, {clock}"
        lines.append(json.dumps({"current_steps": number, "total_steps": 999, "loss": 0.5, "epoch": 0.1, "elapsed_time": clock, "remaining_time": "0:00:01"}))
        if i:
            expected.append((number - count, number - 1, seconds * 10**9 // count))
    path = os.path.join(folder, "trainer_log.jsonl")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    require(path, expected, inspect(path)["steps"])


def check_events(folder, rng):
    known = rng.random() < 0.5
    data, expected, wall, cut = VERSION, [], 1.7e9, rng.random() < 0.3
    for i in range(rng.randint(2, 40)):
        stride = rng.randint(1, 9) if not i else stride
        step, spent = (i + 1) * stride, rng.randint(1, 4000) / 64  # exact in binary
        wall += spent
        seconds = rng.randint(1, 4000) / 64
        events = [scalar(wall, step, "train/loss", 1.5, False), scalar(wall + 0.25, step, "eval/loss", 2.5, True)]
        if known:
            events.insert(rng.randint(0, 2), scalar(wall + 0.5, step, "iteration-time", seconds, rng.random() < 0.5))
            expected.append((step - stride, step - 1, int(seconds * 10**9)))
        elif i:
            expected.append((step - stride, step - 1, int(spent * 10**9) // stride))
        data += b"".join(events)
        if rng.random() < 0.2:  # a record whose bytes were changed is left out
            broken = bytearray(scalar(wall, step, "train/loss", 9, False))
            broken[20] ^= 1
            data += bytes(broken)
    path = os.path.join(folder, "events.out.tfevents.1")
    with open(path, "wb") as file:
        file.write(data + VERSION[:-1] if cut else data)
    require(path, expected, inspect(path)["steps"], slack=0 if known else 1000)  # doubles with ten digits before the point


def check_tables(folder, rng):
    rows, expected = ["epoch,step,train_loss,step_s,val_time_s"], []
    history = []
    for step in range(rng.randint(2, 30)):
        ms = rng.randint(1, 9999)
        rows += [f"0,{step},1.5,{ms / 1000:.3f},", f"0,{step},,,3.5"]
        expected.append((step, step, ms * 1_000_000))
        history.append({"step": step + 1, "loss": 1.5, "epoch": 0.1})
    path = os.path.join(folder, "metrics.csv")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(rows) + "\n")
    require(path, expected, inspect(path)["steps"])
    n, seconds = len(history), rng.randint(1, 9999)
    history.append({"step": n, "train_runtime": seconds, "total_flos": 1e18})
    path = os.path.join(folder, "trainer_state.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"global_step": n, "log_history": history, "max_steps": n}, file, indent=2, sort_keys=True)
    require(path, [(0, n - 1, round(seconds * 1e9 / n))], inspect(path)["steps"])


def check_real(path):
    pattern = re.compile(rb"TRAIN \[(\d+)\]\[(\d+)/(\d+)\]\s+Time (\d+)\.(\d{3}) \(.*Tok/s (\d+) ")
    with open(path, "rb") as file:
        lines = [pattern.search(line) for line in file if pattern.search(line)]
    expected = []
    for m in lines:
        epoch, i, of, s, ms, _ = map(int, m.groups())
        expected.append((epoch * of + i, epoch * of + i, (s * 1000 + ms) * 1_000_000))
    steps = [step for step in inspect(path)["steps"] if "iterations" in step]  # MLPerf's intervals are there, too
    require(path, expected, steps)
    for step, m in zip(steps, lines):
        tokens = step["host_ns"] * int(m.group(6)) / 1e9
        if abs(step["tokens"] - tokens) > 0.0051 * tokens:
            raise SystemExit(f"{path}: {step} instead of {tokens} tokens")
    print(f"{path}: {len(steps)} lines, {sum(step['host_ns'] for step in steps) / 1e9:.3f} s")


def main():
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(60):
            rng = random.Random(seed)
            try:
                for check in (check_lines, check_clock, check_events, check_tables):
                    check(folder, rng)
            except (SystemExit, KeyError) as error:
                raise SystemExit(f"seed {seed}: {error}")
    for folder in sys.argv[2:]:
        for name in sorted(os.listdir(folder)):
            check_real(os.path.join(folder, name))
    print("ok")


main()
