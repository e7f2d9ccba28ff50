#!/usr/bin/env python3
"""Every row of docs/2.0.md about what is gone: what it says to do instead is done, or tested.

  tests/docs/moves.py SEQPOINT SOURCE_DIR

A row with a command, an option or a recipe needs an entry in CHECKS, which runs the row's own
text on the input that version 1 was tested with and compares the result, or in COVERED, which
names the tests that run it. Words that stand for files and numbers are replaced before.
"""
import html
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SEQPOINT, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
GOLDEN, INPUTS = SOURCE / "tests" / "golden", SOURCE / "tests" / "docs" / "moves"
WORDS = r"seqpoint|python3|jq|duckdb|awk|sed|tar|xz|for|plan|project|select|order|eta|lengths|from"
COMMAND = re.compile(rf"(?:{WORDS}) .|plan/process\.sh |-qq?$|--\w")
RECIPE = re.compile(r"\]\((?:formats\.md|profiles\.md)?#")


class Fault(Exception):
    """What a row says is not what happens."""


class Row:
    def __init__(self, line):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        self.gone, self.instead = cells[0], cells[1]
        codes = re.findall(r"`([^`]+)`", self.instead)
        self.codes = [code.replace("\\|", "|") for code in codes if COMMAND.match(code)]
        self.left = list(self.codes)
        self.needs_test = bool(self.codes or RECIPE.search(self.instead))

    def code(self, start, **words):
        """The only command that begins so, with its placeholders replaced; counts as run."""
        found = [code for code in self.codes if code.startswith(start)]
        exact = [code for code in found if code == start] or found
        require(len(exact) == 1, f"{len(exact)} commands begin with {start!r}")
        if exact[0] in self.left:
            self.left.remove(exact[0])
        return replaced(exact[0], words)


def replaced(text, words):
    for word, value in words.items():
        word = PLACEHOLDERS.get(word, word)
        require(word in text, f"{word!r} is not in {text!r}")
        text = text.replace(word, value)
    return text


# Placeholders that are no names of Python.
PLACEHOLDERS = {
    "dots": "...",
    "profile": "NAME=FILE",
    "manifests": "MANIFEST...",
    "shards": "SHARD.csv...",
    "name": "[NAME]",
    "aggregate": "COLUMN=total|rate|max",
    "old": "old=...",
    "new": "new=...",
    "limit": "412",
    "all": "*.json",
    "truth": "NAME=TRACE",
    "trace": "NAME=FILE",
}


def require(condition, said):
    if not condition:
        raise Fault(said)


def equal(got, expected):
    require(got == expected, f"gives {got!r}, not {expected!r}")


def contains(text, *parts):
    for part in parts:
        require(part in text, f"has no {part!r}: {text[:600]!r}")


def near(value, expected, share=1e-6):
    require(abs(value - expected) <= share * abs(expected), f"is {value}, not {expected}")


class Sandbox:
    """A folder with files under the names that commands have; seqpoint is in the path."""

    def __init__(self, folder):
        self.folder = Path(folder) / "work"
        self.folder.mkdir()
        (Path(folder) / "bin").mkdir()
        (Path(folder) / "bin" / "seqpoint").symlink_to(SEQPOINT)
        python = str(Path(sys.executable).parent)
        self.environment = {
            **os.environ,
            "PATH": ":".join((f"{folder}/bin", python, os.environ["PATH"])),
            "PYTHONPATH": str(SOURCE / "python"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def done(self, command, status=0):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        said = f"{command}\n  ends with {done.returncode}: {done.stdout}{done.stderr}"
        require(done.returncode == status, said)
        return done

    def out(self, command, status=0):
        return self.done(command, status).stdout

    def json(self, command):
        return json.loads(self.out(command))

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def take(self, case):
        """The files of a golden case."""
        shutil.copytree(GOLDEN / case, self.folder, dirs_exist_ok=True)


def profiles(box):
    """Lengths 10, 20, 10, 40, 20: v1 takes 0.05 s a step of length, 5 s; v2 takes 3 s."""
    box.take("project/common")


def projection(box):
    profiles(box)
    project = "seqpoint project points.json --profile v1=v1.csv --profile v2=v2.csv -q"
    box.out(f"{project} -o projection.json")


def points(box, more="--points 6"):
    """Batches of 16 up to lengths 16, 32, ... 96, of which each is a point."""
    box.write("train.len", "".join(f"{n}\n" for n in range(1, 97)))
    box.out(f"seqpoint select -qq train.len --sampler sorted --batch-size 16 {more} -o points.json")


def plan_rows(box, folder="plan"):
    lines = [line.split("\t") for line in box.read(f"{folder}/rows.txt").splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def run_of_eta(box):
    """100 iterations of lengths 20 to 119, shuffled; a step of length takes 2 ms, and each 10."""
    box.take("eta/common")
    box.out(". ./make.sh")
    return [float(line.split(",")[3]) for line in box.read("whole.csv").splitlines()[1:]]


def lists(box, row):
    document = (SOURCE / "docs" / "formats.md").read_text(encoding="utf-8")
    for kind, heading in (("formats", "format"), ("samplers", "sampler")):
        code = row.code(f"seqpoint list {kind}")
        table = re.search(rf"\n\| {heading} \|.*?\n\n", document, re.S)[0]
        cells = re.findall(r"^\| (`.*?) \|", table, re.M)
        names = {name for cell in cells for name in re.findall(r"`([\w-]+)`", cell)}
        listed = set(re.findall(r"^\S+$", box.out(code.replace(" [NAME]", "")), re.M))
        equal(sorted(names - listed), [])
    contains(box.out(row.code("seqpoint list samplers", name="sorted")), "--descending")
    contains(box.out(row.code("seqpoint list methods", name="bins")), "ISPASS 2020")


def schemas(box, row):
    kinds = box.out(row.code("seqpoint list schemas")).split()
    files = SOURCE / "share" / "schemas"
    equal(sorted(kinds), sorted(path.stem for path in files.glob("*.json")))
    for kind in kinds:
        text = box.out(row.code("seqpoint list schemas KIND", KIND=kind))
        equal(json.loads(text), json.loads((files / f"{kind}.json").read_text(encoding="utf-8")))


def merge(box, row):
    """Thirty pairs in shards of seven: the bytes of one scan."""
    pairs = [f"u{n},{n * 139 % 401},{n * 73 % 397}\n" for n in range(1, 31)]
    head = "id,src_tokens,tgt_tokens\n"
    box.write("data.csv", head + "".join(pairs))
    for at in range(0, 30, 7):
        box.write("piece.csv", head + "".join(pairs[at : at + 7]))
        box.out(f"seqpoint scan piece.csv --lengths-only -q -o shard-{at:02}.csv")
    box.out("seqpoint scan data.csv --lengths-only -q -o whole.csv")
    box.out(row.code("seqpoint scan", shards="shard-*.csv"))
    equal(box.read("lengths.csv"), box.read("whole.csv"))


def manual(box, row):
    for command in ("scan", "select", "plan", "project"):
        contains(box.out(row.code("seqpoint COMMAND", COMMAND=command)), f"seqpoint {command}")


def forecast(box, row):
    """The figures of version 1 for eight samples on two ranks."""
    box.take("scan/common")
    batches = "--batch-size 3 --sampler pytorch-distributed --no-shuffle --world-size 2 -q"
    summary = row.code("seqpoint scan", manifests="list.txt") + f" {batches}"
    more = row.code("--buckets", N="2") + " " + row.code("--export", FILE="figures.csv")
    found = box.json(f"{summary} {more} {row.code('--json')}")
    equal([found["run"][key] for key in ("iterations", "tokens", "padded_tokens")], [2, 31, 50])
    figures = dict(line.split(",") for line in box.read("figures.csv").splitlines())
    equal(figures["waiting"], "0.242424242424")
    equal(figures["src_len_padded_to_best_bounds"], "33")


def preflight(box, row):
    points(box)
    box.out(f"seqpoint {row.code('plan --preflight')} points.json -o plan")
    contains(plan_rows(box)[0]["signature"], "src_len=96 batch_size=16")


def explain(box, row):
    profiles(box)
    code = row.code("seqpoint project", SEQPOINTS="points.json", profile="v1=v1.csv")
    contains(box.out(f"{code} -q"), "5.000 s")
    require("explanation" in box.json(f"{code} -q --json"), "the JSON has no explanation")


def truth(box, row):
    profiles(box)
    box.write("run.csv", (GOLDEN / "evaluate" / "common" / "v1.csv").read_text())
    code = row.code("project --truth", truth="v1=run.csv")
    compared = box.out(f"seqpoint {code} points.json --profile v1=v1.csv -q")
    require(re.search(r"v1 +runtime_s +5\.000 s +10\.00 s .* no", compared), compared)
    projection(box)
    for seconds, inside in (("4.5", "true\nfalse"), ("3", "false\ntrue")):
        equal(box.out(row.code("jq", limit=seconds)).strip(), inside)


def earlier(box, row):
    projection(box)
    box.out("rm *.json")
    projection(box)
    box.out("mkdir all; cp projection.json all/a.json; cp projection.json all/b.json")
    equal(json.loads(box.out(row.code("jq", limit="4.5", all="all/*.json"))), [True, False] * 2)


def page_of(box, command):
    box.out(f"{command} -q")
    text = re.sub(r"<[^>]+>", " ", html.unescape(box.read("page.html")))
    return text


def page(box, row):
    profiles(box)
    code = row.code("seqpoint project", SEQPOINTS="points.json", profile="v1=v1.csv")
    contains(page_of(box, code), "v1", "5.000 s")


def page_of_points(box, row):
    points(box)
    batches = "--sampler sorted --batch-size 16 --points 6"
    code = row.code("seqpoint select", manifests="train.len")
    contains(page_of(box, f"{code} {batches} -o points.json"), "sp6", "96")


def page_with_truth(box, row):
    profiles(box)
    box.write("run.csv", (GOLDEN / "evaluate" / "common" / "v1.csv").read_text())
    code = row.code("project --truth", trace="v1=run.csv")
    contains(page_of(box, f"seqpoint {code} points.json --profile v1=v1.csv"), "10.00 s", "5.000 s")


def plan_of_points(box, row):
    """A step's rows are those of its batch."""
    points(box)
    box.out(f"seqpoint {row.code('plan points.json')} -q")
    for step in plan_rows(box):
        longest = int(re.search(r"src_len=(\d+)", step["signature"])[1])
        equal(step["rows"], " ".join(map(str, range(longest - 16, longest))))


TRAIN = "import os, shutil; shutil.copy('times.csv', os.environ['SEQPOINT_OUT'] + '/profile.csv')"


def measured_by(box, code, process):
    """The results of a process; its job takes 1 ms a step of length."""
    times = "".join(f"{n},{n / 1000}\n" for n in range(16, 97, 16))
    box.write("times.csv", "src_len,runtime_s\n" + times)
    box.write("train.py", TRAIN)
    box.out(code)
    profile = f"plan/out/process-{process}/profile.csv"
    found = box.json(f"seqpoint project points.json --profile v1={profile} -q --json")
    near(found["configurations"][0]["metrics"]["runtime_s"]["value"], 0.336)


def process_script(box, row):
    points(box)
    box.out(f"seqpoint {row.code('plan --slurm')} points.json -o slurm -q")
    box.out(f"seqpoint plan {row.code('--kubernetes')} points.json -o plan -q")
    equal(box.read("slurm/process.sh").count("\n"), box.read("plan/process.sh").count("\n"))
    measured_by(box, row.code("plan/process.sh"), 0)


def one_job_per_process(box, row):
    points(box)
    box.out("seqpoint plan points.json --processes 2 --slurm -o plan -q")
    measured_by(box, row.code("plan/process.sh", N="1") + " python3 train.py", 1)


def columns_of_rows(box, _):
    points(box)
    box.out("seqpoint plan points.json -o plan -q")
    columns = ["index", "point", "iteration", "signature", "weight", "repeat", "rows", "selection"]
    equal(box.read("plan/rows.txt").split("\n")[0].split("\t")[:8], columns)


def builds(box, row):
    """In turns by hand, and the gate: 5 s against 3 s fails, 3 s against 5 s passes."""
    profiles(box)
    turns = row.code("for turn", dots="echo $turn")
    equal(box.out(turns).split("\n")[:4], ["old 0", "new 0", "new 1", "old 1"])
    for old, new, status in (("v1", "v2", 0), ("v2", "v1", 1)):
        gate = row.code("project --profile", old=f"old={old}.csv", new=f"new={new}.csv")
        box.out(f"seqpoint {gate} points.json -q", status)


def timings(box, row, start="--timings", command="select "):
    """1 + 2 + 1 + 4 + 1.5 s are 9.5 s."""
    box.take("select/common")
    code = row.code(start, TRACE="run.csv")
    said = box.done(f"seqpoint {command}{code} run.csv -o points.json").stderr
    contains(said, "(9.50 s)")
    plan = re.search(r"(\d+) batches \(([\d.]+) s\)", said)
    require(plan and float(plan[2]) >= int(plan[1]), "the time of the plan is not printed")


def exports(box, row):
    profiles(box)
    both = row.code("--export json", FILE="a.json") + " " + row.code("--export csv", FILE="a.csv")
    project = "seqpoint project points.json --profile v1=v1.csv -q"
    box.out(f"{project} {both}")
    equal(json.loads(box.read("a.json"))["configurations"][0]["metrics"]["runtime_s"]["value"], 5)
    equal(box.out(f"{project} --export csv"), box.read("a.csv"))


def processes(box, row):
    points(box)
    box.out(f"seqpoint plan points.json {row.code('--processes', N='3')} -o plan -q")
    equal(sorted({list(step.values())[-1] for step in plan_rows(box)}), ["0", "1", "2"])


def project_option(case, start, expected, status=0, more="", **words):
    """A golden case's profile, projected with the option of the row."""

    def check(box, row):
        box.take(f"project/{case}")
        code = f"seqpoint project points.json {row.code(start, **words)}"
        given = more or "--profile v1=v1.csv"
        done = box.done(f"{code} {given} -q", status)
        require(re.search(expected, done.stdout + done.stderr), f"{done.stdout}{done.stderr}")

    return check


def skip(box, row):
    """Both files begin with a slow row."""
    case = "warmup-leaves-out-first-rows-of-every-file"
    both = "--profile v1=a.csv --profile v1=b.csv"
    project_option(case, "--skip", r"v1 +5\.000 s", more=both, N="1")(box, row)
    points(box)
    box.out(f"seqpoint {row.code('plan --warmup', N='3')} points.json --processes 1 -o plan -q")
    equal([step["point"] for step in plan_rows(box)][:3], [""] * 3)


def inconclusive(box, row):
    """3.6 % slower with a limit of 5 %."""
    box.take("project/inconclusive-says-what-would-decide-it")
    box.out("awk -F, -v OFS=, 'NR > 1 { $2 *= 1.036 } 1' clean.csv >slower.csv")
    gate = "seqpoint project points.json --profile a=clean.csv --profile b=slower.csv"
    box.out(f"{gate} --max-regression 5% -q")
    box.out(f"{gate} --max-regression 5% -q {row.code('--on-inconclusive')}", 1)


def quiet(box, row):
    box.take("project/repeats-are-averaged-robust-takes-the-median")
    project = "seqpoint project points.json --profile v1=v1.csv"
    contains(box.done(f"{project} {row.code('-q')}").stderr, "seqpoint: warning: v1: v1.csv:6")
    equal(box.done(f"{project} {row.code('-qq')}").stderr, "")


def select_each(box, row):
    """The weights of each order reproduce its own totals."""
    lengths = [5 + i * 37 % 61 + i % 7 for i in range(1, 61)]
    box.write("train.len", "".join(f"{n}\n" for n in lengths))
    for sampler, total in (("pytorch --seed 1", 1365), ("sorted", 1170)):
        code = row.code("seqpoint select")
        box.out(
            f"{code} train.len --sampler {sampler} --batch-size 2 --points 6 -qq -o points.json"
        )
        chosen = json.loads(box.read("points.json"))["points"]
        near(sum(point["weight"] * point["src_len"] for point in chosen), total, 1e-5)


def for_each_run(box, row):
    """1 ms a step of length: 16 + 48 + 96, and 32 + 64 + 80 + 80."""
    points(box)
    times = "".join(f"{n},{n / 1000}\n" for n in range(16, 97, 16))
    box.write("v1.csv", "src_len,runtime_s\n" + times)
    for name, lengths in (("A", (16, 48, 96)), ("B", (32, 64, 80, 80))):
        box.write(name, "src_len,batch_size\n" + "".join(f"{n},16\n" for n in lengths))
    totals = re.findall(r"^v1 +(\S+ \S+)", box.out(row.code("for run")), re.M)
    equal(totals, ["160.0 ms", "256.0 ms"])


def cold_start(box, row):
    """3 shapes of 2 s beside 5 s."""
    profiles(box)
    code = row.code("project --cold-start-cost", **{"cost S": "cost 2"})
    box.out(f"seqpoint {code} points.json --profile v1=v1.csv -q -o projection.json")
    near(json.loads(box.out(row.code("jq") + " projection.json")), 11)


def between_processes(box, row):
    """2 % is assumed if nothing else is known; more is wider, by the square root of squares."""
    profiles(box)
    project = "points.json --profile v1=v1.csv -q --json"

    def half(options):
        found = box.json(f"seqpoint {options} {project}")["configurations"][0]["metrics"]
        return found["runtime_s"]["high"] - found["runtime_s"]["value"]

    def with_share(share):
        return half(row.code("project --between", **{" P": f" {share}"}))

    near(with_share("2%"), half("project"))
    near(
        (with_share("6%") ** 2 - with_share("0%") ** 2)
        / (with_share("3%") ** 2 - with_share("0%") ** 2),
        4,
        0.01,
    )


def estimated(box, row):
    """Version 1's tests: words between blanks, and a token for each 4 bytes."""
    code = row.code("python3 -m seqpoint_companion lengths")
    box.write("chat.jsonl", (INPUTS / "sharegpt.json").read_text(encoding="utf-8"))
    box.out(code)
    equal(box.read("lengths.csv").split(), ["src_len", "4", "5"])
    box.write("alpaca.json", (INPUTS / "alpaca.json").read_text(encoding="utf-8"))
    words = {"chat.jsonl": "alpaca.json", "--tokenizer words": row.code("--tokenizer")}
    box.out(replaced(code, words))
    counted = box.read("lengths.csv").split()[1:]
    equal([math.ceil(int(number) / 4) for number in counted], [6, 7])


def duckdb(box, row):
    """Run where DuckDB's program is installed; it reads CSV as it reads Parquet."""
    code = row.code("duckdb")
    if shutil.which("duckdb") is None:
        LEFT_OUT.append("duckdb")
        return
    box.write("data/a.csv", 'input_ids,lang\n"[1, 2, 3]",en\n"[4]",de\n"[5, 6]",en\n')
    code = replaced(
        code, {"'data/*.parquet'": "read_csv('data/a.csv', types={input_ids: 'INT[]'})"}
    )
    box.out(code)
    equal(box.read("lengths.txt").split(), ["3", "2"])


def xz(box, row):
    box.write("list.txt", "3\n1\n4\n1\n5\n")
    if shutil.which("xz") is None:
        row.code("xz")
        LEFT_OUT.append("xz")
        return
    box.out("xz list.txt")
    code = row.code("xz", FILE="list.txt.xz")
    equal(box.out(f"{code} --lengths-only -q").split(), ["src_len", "3", "1", "4", "1", "5"])


def read_as(cases):
    """Formats that have no name any more are recognised, with the lengths of version 1."""

    def check(box, row):
        require("leave `--format` out" in row.instead, row.instead)
        row.code("--format")
        for case, name, lengths in cases:
            box.take(f"scan/{case}")
            equal(box.out(f"seqpoint scan {name} --lengths-only -q").split()[1:], lengths)

    return check


def mozilla_order(box, row):
    """Version 1's test: two samples of as many frames are in the order of the list."""
    box.write("list.csv", "duration\n1.009\n1.001\n0.5\n2\n3\n")
    scan = f"seqpoint scan list.csv {row.code('--sampler')} --front-end mozilla --batch-size 2 -q"
    batches = [line.split(",") for line in box.out(f"{scan} --rows").splitlines()[1:]]
    equal([batch[1] for batch in batches], ["49", "99"])
    equal([batch[5] for batch in batches], ["2 0", "1 3"])


def sorta_grad(box, row):
    """The first epoch of deepspeech.pytorch: batches of the manifest, as they are."""
    box.write("list.csv", "duration\n1\n2\n0.5\n3\n4\n")
    scan = f"seqpoint scan list.csv {row.code('--sampler')} --batch-size 2 -q --rows"
    equal([line.split(",")[5] for line in box.out(scan).splitlines()[1:]], ["0 1", "2 3", "4"])


def eta_of_log(box, row):
    """31 of 100 iterations are done; the interval has what the others take."""
    times = run_of_eta(box)
    box.out("head -32 whole.csv | cut -d, -f1,4 >log.csv")
    found = box.json(f"seqpoint {row.code('eta', TRACE='run.csv', LOG='log.csv')} --json -q")
    equal(found["seconds_done"], round(sum(times[:31]), 3))
    low, high = found["seconds_left"]["low"], found["seconds_left"]["high"]
    require(low <= sum(times[31:]) <= high, f"{low} to {high} does not contain {sum(times[31:])}")


def left(found):
    return found["seconds_left"]["value"]


CLOCKED = "iteration,src_len,batch_size\n" + "".join(f"{i},512,8\n" for i in range(500))


def eta_of_clock(box, row):
    """1.5 s an iteration, of which 200 of 500 are done: 450 s are left."""
    box.write("run.csv", CLOCKED)
    clocks = "".join(f"0,{i},{1.5 * (i + 1)}\n" for i in range(200))
    box.write("clock.csv", "epoch,step,elapsed_s\n" + clocks)
    found = box.json(f"seqpoint eta run.csv clock.csv {row.code('--match')} --json -q")
    near(left(found), 450)
    box.write("steps.csv", "iteration,elapsed_s\n" + "".join(f"{i},1.5\n" for i in range(200)))
    code = row.code("eta TRACE", TRACE="run.csv", LOG="steps.csv", COLUMN="elapsed_s")
    near(left(box.json(f"seqpoint {code} --json -q")), 450)


def lightning(box, row):
    box.write("run.csv", CLOCKED)
    rows = "".join(f"0,{i},{9 - i / 100},1.5\n" for i in range(200))
    box.write("metrics.csv", "epoch,step,train_loss,step_s\n" + rows)
    found = box.json(f"seqpoint eta run.csv metrics.csv {row.code('--match')} --json -q")
    near(left(found), 450)
    box.out(f"{row.code('sed')} metrics.csv >table.csv")
    near(left(box.json("seqpoint eta run.csv table.csv --metric step_s --json -q")), 450)


def progress_bar(box, row):
    """A bar of tqdm, which states whole seconds: 200 of 500 in 300 s."""
    box.write("run.csv", CLOCKED)
    bars = (
        f"{i // 5}%|###   | {i}/500 [{3 * i // 120:02}:{3 * i // 2 % 60:02}<10:00,  1.50s/it]"
        for i in range(0, 201, 2)
    )
    box.write("bar.log", "\r".join(bars) + "\n")
    near(left(box.json(f"seqpoint eta run.csv bar.log {row.code('--match')} --json -q")), 450, 0.01)


def log_as_run(box, row):
    """Version 1's test: times and rates make 6000 and 9000 tokens."""
    line = "0: TRAIN [0][{}/40]\tTime {} (0.1)\tData 1e-4 (2e-4)\tTok/s {} (1)\tLoss/tok 1.5\n"
    lines = (line.format(0, "0.100", 60000), line.format(35, "0.125", 72000))
    box.write("log.txt", "a line of the job\n" + "".join(lines))
    box.out(row.code("awk", LOG="log.txt"))
    equal(box.read("run.csv").split()[1:], ["0,6000,0,0.100", "1,9000,0,0.125"])
    box.out(f"{row.code('seqpoint select')} --method bins --points 2 -qq -o points.json")
    chosen = json.loads(box.read("points.json"))["points"]
    equal([point["tokens"] for point in chosen], [6000, 9000])


def clock_of_tensorboard(box, _):
    """What the document's lines print of events, read by its command."""
    text = (SOURCE / "docs" / "2.0.md").read_text(encoding="utf-8")
    code = re.search(r"^seqpoint eta run\.csv clock\.log .*$", text, re.M)[0]
    box.write("run.csv", CLOCKED)
    clocks = "".join(f"{i} {1700000000 + 1.5 * i}\n" for i in range(200))
    box.write("clock.log", clocks)
    near(left(box.json(f"{code} --json -q")), 450)


def github_benchmark(box, row):
    profiles(box)
    given = "points.json --profile v1=v1.csv --profile v2=v2.csv -q"
    found = box.json(replaced(row.code("seqpoint project"), {" ... ": f" {given} "}))
    expected = [("v1/runtime_s", "s", 5), ("v2/runtime_s", "s", 3)]
    equal([(entry["name"], entry["unit"], entry["value"]) for entry in found], expected)


def bencher(box, row):
    profiles(box)
    given = "points.json --profile v1=v1.csv --profile v2=v2.csv -q"
    found = box.json(replaced(row.code("seqpoint project"), {" ... ": f" {given} "}))
    projected = box.json(f"seqpoint project {given} --json")["configurations"]
    for configuration, value in zip(projected, (5, 3)):
        time = configuration["metrics"]["runtime_s"]
        got = found[configuration["name"]]["projected-run-time"]
        limits = {"lower_value": time["low"], "upper_value": time["high"]}
        equal(got, {"value": value, **limits})


def evaluated(box, row):
    """Version 1's test: the median is off by 0 and 25 %."""
    box.take("evaluate/common")
    traces = "v1=v1.csv v2=v2.csv --method median -q"
    found = box.json(row.code("seqpoint evaluate", dots=traces))
    expected = [("median/error on v1", "%", 0), ("median/error on v2", "%", 25)]
    equal([tuple(entry.values()) for entry in found], expected)
    found = box.json(f"seqpoint evaluate {traces} --json | {row.code('jq')}")
    equal(found, {"median": {"error on v1": {"value": 0}, "error on v2": {"value": 25}}})


def simpoints(box, row):
    """Interval and cluster, ascending by interval; shares 2/5, 2/5 and 1/5."""
    box.take("select/common")
    box.out("seqpoint select run.csv --method bins -qq -o points.json")
    code = row.code("jq", PREFIX="run")
    box.out(code)
    intervals = [line.split()[0] for line in box.read("run.simpoints").splitlines()]
    equal(intervals, ["0", "1", "3"])
    box.out(replaced(code, {'"\\(.value.iterations[0]) ': '"\\(.value.share) '}))
    equal(
        [line.split()[0] for line in box.read("run.simpoints").splitlines()], "0.4 0.4 0.2".split()
    )


def table_of(text):
    return [(line.split("\t")[0], *map(float, line.split("\t")[1:])) for line in text.splitlines()]


def price(box, row):
    """8 GPUs times 5 s are 0.0111 h, at 2.5 an hour 0.0278."""
    projection(box)
    (name, hours, cost), _ = table_of(box.out(row.code("jq")))
    equal(name, "v1")
    near(hours, 8 * 5 / 3600)
    near(cost, 2.5 * 8 * 5 / 3600)


def price_of_epochs(box, row):
    """Three epochs cost three times as much."""
    projection(box)
    above = next(other for other in ROWS if other.gone == "`project --gpus N --price P`")
    per_epoch = re.search(r"`E (\*[^`]+)`", row.instead)[1]
    words = {"* .metrics.runtime_s.value": f"* 3 {per_epoch}"}
    near(table_of(box.out(replaced(above.codes[0], words)))[0][2], 3 * 2.5 * 8 * 5 / 3600)


def flops(box, row):
    """300 tokens x 6e9 over 8 x 1e11 x 5 s: 45 %."""
    projection(box)
    near(table_of(box.out(row.code("jq")))[0][1], 0.45)


def pairs(box, row):
    """2 x 4 x 10^2 + 2 x 4 x 20^2 + 4 x 40^2."""
    profiles(box)
    equal(box.json(row.code("jq")), 10400)


def package(box, row):
    code, module = row.code("from seqpoint_companion"), row.code("python3 -m")
    if subprocess.run([sys.executable, "-c", "import torch"], capture_output=True).returncode:
        LEFT_OUT.append("torch")
        return
    box.out(f"python3 -c '{code}; Plan, Recorder'")
    contains(box.out(f"{module} --help"), "measure")


def module(box, row):
    contains(box.out(row.code("python3 -m") + " --help"), "measure", "order", "lengths")


LEFT_OUT = []  # programs that are not installed
CHECKS = {
    "`formats`, `samplers`": lists,
    "`schema KIND`": schemas,
    "`merge SHARD": merge,
    "`manual COMMAND`": manual,
    "`forecast MANIFEST": forecast,
    "`forecast --profile": preflight,
    "`diagnose SEQPOINTS": explain,
    "`diagnose --truth": truth,
    "`diagnose --earlier": earlier,
    "`report SEQPOINTS PROJECTION`": page,
    "`report SEQPOINTS`": page_of_points,
    "`report --trace": page_with_truth,
    "`plan POINTS MANIFEST": plan_of_points,
    "`plan/run.sh`": process_script,
    "`plan.tsv`": columns_of_rows,
    "`plan --chunk`": one_job_per_process,
    "`plan --build": builds,
    "`plan --dry-run": lambda box, row: timings(box, row, "select --timings", ""),
    "`--export-json": exports,
    "`--sessions N`": processes,
    "`--stat COLUMN`": project_option("stat", "--metric", r"v1 +900\.0", COLUMN="instructions"),
    "`project --kind": project_option(
        "kind", "--aggregate", r"util_pct +60\.00", aggregate="util_pct=rate"
    ),
    "`--onto TRACE`": project_option(
        "onto-another-run",
        "--for",
        r"v1 +5\.000 s",
        more="--profile v1=v1.csv --allow-partial",
        TRACE="other.csv",
    ),
    "`--overhead SECONDS`": project_option(
        "common", "--epoch-overhead", r"v1 +9\.000 s", SECONDS="4"
    ),
    "`--calibration TRACE`": timings,
    "`project --robust`": project_option(
        "repeats-are-averaged-robust-takes-the-median", "--median", r"v1 +7\.000 s"
    ),
    "`project`, `inspect`, `eta --warmup": skip,
    "`project --inconclusive fail`": inconclusive,
    "`project --require-coverage P`": project_option(
        "require-coverage", "--require-weight", r"measured weight is 80\.00 %", 1, **{" P": " 100%"}
    ),
    "`-q`, which hid": quiet,
    "`select --also": select_each,
    "`project --onto A": for_each_run,
    "`project --first-seen-cost": cold_start,
    "`evaluate --model session": between_processes,
    "`--sql QUERY`": duckdb,
    "`--length-field estimate-words`": estimated,
    "the names `azure-llm`": read_as(
        [
            ("azure-llm-trace", "requests.csv", ["4808", "3180", "110"]),
            ("vidur-trace", "requests.csv", ["4808", "3180", "110"]),
        ]
    ),
    "the names `mooncake`": read_as(
        [
            ("mooncake-trace", "requests.jsonl", ["6758", "2290"]),
            ("lhotse-recordings-supervisions-features", "recordings.jsonl", ["1088"]),
            ("lhotse-recordings-supervisions-features", "supervisions.jsonl", ["174", "250"]),
            ("lhotse-recordings-supervisions-features", "features.jsonl", ["778"]),
        ]
    ),
    "commands for `.npz`": xz,
    "`--sampler deepspeech-pytorch`": sorta_grad,
    "`--sampler mozilla-deepspeech`": mozilla_order,
    "`eta TRACE --log": eta_of_log,
    "`eta` of a profiler": eta_of_clock,
    "`tensorboard`": clock_of_tensorboard,
    "`lightning`": lightning,
    "`trainer-state`": progress_bar,
    "a job's log as a run": log_as_run,
    "`project --export-gh-benchmark": github_benchmark,
    "`project --export-bmf": bencher,
    "`evaluate --export-gh-benchmark`": evaluated,
    "`select --export-simpoints": simpoints,
    "`project --gpus N --price": price,
    "`project --gpus N --epochs": price_of_epochs,
    "`project --flops-per-token": flops,
    "`project --flops-per-pair": pairs,
    "`examples/pytorch/seqpoint_companion.py`": package,
    "`seqpoint-run`": module,
}

LENGTHS, LIBRARIES = "tests/pytorch/lengths_test.py", "tests/frameworks/main/lengths_test.py"
RECIPES, BLOCKS = "tests/docs/length_recipes.py", "docs/2.0.md"
WRAPPER, LOGS = "tests/pytorch/wrapper_test.py", "tests/oracle/job_logs.py"
RECORDED = ((WRAPPER, '["order", "--lengths", "-o", "run.csv"]'),)


def orders(folder, *names):
    """A framework's orders: its test runs the function of the row."""
    return tuple((f"tests/frameworks/{folder}/orders_test.py", name) for name in names)


# By row: tests that run what it says, and words of each, such as the name of its function.
STEPS_BY_NAME = "tests/golden/inspect/steps-that-a-pattern-names/cmd"
COVERED = {
    "`completion SHELL`": (("tests/completion.py", "_seqpoint"),),
    "small manifests": ((WRAPPER, '["measure", '),),
    "`plan --build": (("tests/run/run_test.py", "def test_builds_take_turns"),),
    '`Plan("plan.json", accumulate=N)`': (
        ("tests/pytorch/job_loops_test.py", "def test_a_loop_may_accumulate_by_itself"),
    ),
    "Parquet": ((LIBRARIES, "def test_parquet_of_every_compression"),),
    "Arrow files": (
        (LIBRARIES, "def test_arrow_files_and_streams"),
        (LIBRARIES, "def test_a_saved_set_of_several_files"),
    ),
    "NumPy arrays": ((LENGTHS, "def test_arrays"), (LIBRARIES, "def test_vectors")),
    "MosaicML's shards": (
        ("tests/frameworks/streaming/mosaic_test.py", "def test_the_sets_of_version_1"),
        (LIBRARIES, "def test_energon"),
    ),
    "WebDataset": ((LIBRARIES, "def test_web_dataset"), (LENGTHS, "def test_braces")),
    "`datatrove`": ((RECIPES, '"datatrove": '),),
    "`--tokenizer` (SentencePiece)": (
        (LIBRARIES, "def test_sentencepiece"),
        (LIBRARIES, "def test_chats_by_the_models_template"),
        (LENGTHS, "def test_turns_in_every_form"),
        (LENGTHS, "def test_the_text_around_an_instruction_has_to_be_stated"),
    ),
    "`--probe-audio`": ((LIBRARIES, "def test_files_and_lists"),),
    "`kaldi-wav-scp`": (("tests/golden/scan/kaldi-utt2dur/cmd", "seqpoint scan"),),
    "`deepspeech-csv`": ((LIBRARIES, "def test_files_and_lists"),),
    "`wenet`": ((RECIPES, '"wenet": '),),
    "`speechbrain-json`": ((RECIPES, '"speechbrain": '),),
    "`mozilla-csv`": ((RECIPES, '"mozilla": '),),
    "`common-voice`": ((RECIPES, '"common-voice": '),),
    "`ljspeech`": ((RECIPES, '"ljspeech": '),),
    "`burstgpt`": ((RECIPES, '"burstgpt": '),),
    "`--sampler axolotl`": orders(
        "axolotl", "axolotl_order:shuffled", "MultipackBatchSampler", "BatchSamplerShard"
    ),
    "`--sampler espnet`": orders("espnet", "espnet_order:batches"),
    "`--sampler fairseq2`": orders(
        "fairseq2", "fairseq2_order:", "bucket_by_length", "num_elements"
    ),
    "`--sampler funasr`": orders("funasr", "@funasr_order:Dataset"),
    "`--sampler hf-group-texts`": orders("main", "group_texts_order:blocks"),
    "`--sampler llama-factory`": orders("llamafactory", "llamafactory_order:", "blocks"),
    "`--sampler mosaicml-streaming`": orders("streaming", "mosaicml_order:batches"),
    "`--sampler nemo-semi-sorted`": orders("nemo", "asr_batching:SemiSortBatchSampler"),
    "`--sampler nemo-rl`": RECORDED,
    "`--sampler opennmt`": orders("opennmt", "opennmt_order:batches"),
    "`--sampler sockeye`": orders("sockeye", "sockeye_order:Batches"),
    "`--sampler speechbrain`": orders("speechbrain", "sampler:DynamicBatchSampler"),
    "`--sampler tf-bucket`": orders("tensorflow", "tensorflow_order:Batches"),
    "`--sampler torchtune`": orders("torchtune", "torchtune_order:packs"),
    "`--sampler verl`": orders("verl", "verl_order:micro_batches"),
    "`--sampler wenet`": RECORDED,
    "`--sampler fairseq`": RECORDED,
    "`--sampler nmt`": orders("tensorflow", "tensorflow_order:Batches"),
    "`--sampler torchtext`": RECORDED,
    "logs of Megatron-LM": ((LOGS, '"Megatron-LM": '), (LOGS, '"MLPerf\'s GNMT": ')),
    "the interval of a log's means": (
        ("tests/golden/eta/a-log-that-a-job-wrote/cmd", "--per 10"),
        ("tests/golden/eta/a-log-that-a-job-wrote/cmd", "--per 2"),
    ),
    "steps in traces that vLLM or SGLang name": (
        (STEPS_BY_NAME, "execute_(?<tokens>[0-9]+)_context"),
        (STEPS_BY_NAME, "( toks=(?<tokens>[0-9]+))?"),
    ),
    # The blocks of the document itself, which docs.commands.2.0 runs.
    "`mllog`": ((BLOCKS, "$ sed -n 's/.*:::MLLOG //p' result_0.txt | jq"),),
    "`hyperfine`, `google-benchmark`": (
        (BLOCKS, "hyperfine.json\nseqlen,runtime_s"),
        (BLOCKS, "$ jq -r"),
    ),
    "`rocprof` v1 and v2": (
        ("tests/unit/profile_databases_test.cpp", "rocpd"),
        (BLOCKS, "sp3,6000e-9"),
    ),
    "`nsys-stats`": (
        ("tests/golden/inspect/a-nsight-systems-database/cmd", "seqpoint inspect"),
        (BLOCKS, "128,90000000e-9"),
    ),
}


def rows_of_document():
    """Rows of what is gone, and the number of those that only state a difference."""
    gone, differences, table = [], 0, None
    for line in (SOURCE / "docs" / "2.0.md").read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            table = None
        elif table is None:
            table = line
        elif set(line) <= set("|- "):
            continue
        elif table.startswith("| gone |"):
            gone.append(Row(line))
        else:
            differences += 1
    return gone, differences


def entry(table, row):
    """The entry whose key begins the row; the longest, because some begin others."""
    keys = [key for key in table if row.gone.startswith(key)]
    return max(keys, key=len, default=None)


def run(check, row):
    try:
        with tempfile.TemporaryDirectory() as folder:
            check(Sandbox(folder), row)
    except (Fault, KeyError, IndexError, StopIteration, OSError, ValueError) as fault:
        return [f"{type(fault).__name__}: {fault}"]
    return []


def missing_tests(tests):
    for path, words in tests:
        file = SOURCE / path
        if not file.is_file() or words not in file.read_text(encoding="utf-8"):
            yield f"{path} has no {words!r}"


def faults_of(row, is_run, is_covered):
    if is_run:
        yield from run(CHECKS[is_run], row)
    if is_covered:
        yield from missing_tests(COVERED[is_covered])
    elif is_run:
        yield from (f"is not run: {code}" for code in row.left)
    elif row.needs_test:
        yield "has a command, and no test"


ROWS, DIFFERENCES = rows_of_document()


def main():
    faults, used, counts = [], set(), {"run": 0, "covered by another test": 0, "no command": 0}
    for row in ROWS:
        is_run, is_covered = entry(CHECKS, row), entry(COVERED, row)
        kind = "run" if is_run else "covered by another test" if is_covered else "no command"
        counts[kind] += 1
        used |= {is_run, is_covered}
        faults += [f"{row.gone}: {fault}" for fault in faults_of(row, is_run, is_covered)]
    unused = [key for key in [*CHECKS, *COVERED] if key not in used]
    faults += [f"no row begins with {key}" for key in unused]
    print(*faults, sep="\n")
    kinds = ", ".join(f"{number} {kind}" for kind, number in counts.items())
    print(f"{len(ROWS)} rows: {kinds}; {DIFFERENCES} more state a difference")
    print(f"not installed, so not run: {', '.join(sorted(set(LEFT_OUT))) or 'nothing'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
