"""The recipes of examples/ci work in a repository of a tiny training job:

    ci_recipes.py EXE SOURCE_DIR

The shell scripts of their steps are extracted from the files and run as the services run them: for
a new build that is as fast as the old one, for one that is slower, and after the data set has
changed. Steps that install packages are only read. Jobs really run and are measured. Before the
last step, the gate, their times are replaced by synthetic ones, so that results do not depend on
other load of the machine. The recipe of `seqpoint run` decides by what it measures: a slower build
sleeps. Ends with 77 without PyTorch.
"""
import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

EXE, SOURCE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
SAMPLES = 400
SLOWER = 5  # of the slower build, how many times as long an iteration takes
# What a slower build has before its training job: 30 ms, where a batch takes some 5.
SLEEP = """import time, torch
backward = torch.Tensor.backward
def slowly(*arguments):
    time.sleep(0.03)
    backward(*arguments)
torch.Tensor.backward = slowly
"""
# A comparison on a machine with many other programs may be refused.
BUSY, ATTEMPTS = "wait for a quieter machine", 3
# The training job: examples/pytorch/train.py on the lengths of the manifest.
TRAIN = """import json, runpy, sys
with open("data/train.jsonl") as rows, open("train.len", "w") as lengths:
    for row in rows:
        print(json.loads(row)["num_tokens"], file=lengths)
sys.argv[1:1] = ["language", "train.len", "--batch-size", "8", "--hidden", "16"]
runpy.run_path("job.py", run_name="__main__")
"""


def steps_of(name):
    """(what it is for, its shell) of every step; the variables that the file sets."""
    with open(os.path.join(SOURCE, "examples", "ci", name), encoding="utf-8") as file:
        lines = file.read().splitlines()
    steps, step = [], ""
    for i, line in enumerate(lines):
        step = (
            line.split("name:")[1].strip()
            if "- name:" in line
            else line.strip()
            if line.strip().endswith("script:")
            else step
        )
        block = re.match(r"( *)(?:- \||run: (\|?)(.*))$", line)
        if not block:
            continue
        indent = len(block[1])
        inside = []
        for more in lines[i + 1 :]:
            if more.strip() and len(more) - len(more.lstrip()) <= indent:
                break
            inside.append(more)
        steps.append((step, block[3] or "\n".join(inside)))
    variables = dict(
        re.findall(r"^ +([A-Z_]+): \"?([^\"#]*?)\"?(?: #.*)?$", "\n".join(lines), re.M)
    )
    choose = re.search(r"^# +(seqpoint select .*)$", "\n".join(lines), re.M)
    return steps, variables, choose and choose[1]


def shell(script, folder, variables, status=0):
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    assert done.returncode == status, (script, done.returncode, done.stdout.decode())
    return done.stdout.decode()


def git(folder, *arguments):
    return (
        subprocess.run(
            ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments],
            cwd=folder,
            check=True,
            stdout=subprocess.PIPE,
        )
        .stdout.decode()
        .strip()
    )


def repository(folder, choose):
    """A job and its points, as somebody has who followed the recipe; the commit of it."""
    os.makedirs(os.path.join(folder, "data"))
    os.makedirs(os.path.join(folder, "profiling"))
    with open(
        os.path.join(SOURCE, "examples", "data", "multi30k-train.en.len"), encoding="utf-8"
    ) as file:
        lengths = [int(next(file)) for _ in range(SAMPLES)]
    with open(os.path.join(folder, "data", "train.jsonl"), "w", encoding="utf-8") as file:
        file.writelines(
            json.dumps({"id": i, "num_tokens": n}) + "\n" for i, n in enumerate(lengths)
        )
    shutil.copy(
        os.path.join(SOURCE, "examples", "pytorch", "train.py"), os.path.join(folder, "job.py")
    )
    shutil.copytree(
        os.path.join(SOURCE, "python", "seqpoint_companion"),
        os.path.join(folder, "seqpoint_companion"),
    )
    shell(choose + " -q", folder, {})
    with open(os.path.join(folder, "train.py"), "w", encoding="utf-8") as file:
        file.write(TRAIN)
    git(folder, "init", "-q", "-b", "main")
    return commit(folder)


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "state")
    return git(folder, "rev-parse", "HEAD")


def checked_out(name, origin, old, new):
    """A job's folder, as the service makes it; GitLab's own steps make the two work trees."""
    folder = tempfile.mkdtemp(dir=os.path.dirname(origin))
    if name == "gitlab.yml":
        git(folder, "clone", "-q", origin, ".")
    else:
        for build, state in (("old", old), ("new", new)):
            git(folder, "clone", "-q", origin, build)
            git(os.path.join(folder, build), "checkout", "-q", state)
    return folder


def take_times(path, times, process):
    """Replaces the times of a measured file by `times` of 1 ms and 0.1 ms per token.

    They scatter by 1 % between rows, differently in each process.
    """
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for i, row in enumerate(rows):
        assert float(row["runtime_s"]) > 0 and float(row["cpu_s"]) > 0, row
        cost = times * (0.001 + 0.0001 * int(row["src_len"]))
        row["runtime_s"], row["cpu_s"] = (
            f"{cost * (1 + 0.01 * math.sin(i + process)):.9f}",
            f"{0.98 * cost * (1 + 0.01 * math.cos(i + process)):.9f}",
        )
    modified = os.stat(path)
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)
    os.utime(path, ns=(modified.st_atime_ns, modified.st_mtime_ns))


def run(name, origin, old, new, times, status):
    """Runs all steps with a new build that takes `times` as long; the last ends with `status`."""
    steps, variables, _ = steps_of(name)
    folder = checked_out(name, origin, old, new)
    variables.update(
        {
            "LIMIT": "100%",
            "ROUNDS": "2",
            "CI_MERGE_REQUEST_DIFF_BASE_SHA": old,
            "CI_COMMIT_SHA": new,
            "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": os.path.join(folder, "summary.md"),
        }
    )
    work = [script for step, script in steps if "apt-get" not in script]
    assert len(work) == (3 if name == "github.yml" else 4), [step for step, _ in steps]
    for script in work[:-1]:
        shell(script, folder, variables)
    for process, (build, n) in enumerate((("old", 1), ("new", 1), ("old", 2), ("new", 2))):
        take_times(
            os.path.join(folder, "measured", f"{build}-{n}.csv"),
            times if build == "new" else 1,
            process,
        )
    said = shell(work[-1], folder, variables, status)
    with open(os.path.join(folder, "projection.json"), encoding="utf-8") as file:
        projection = json.load(file)
    assert [c["name"] for c in projection["configurations"]] == ["old", "new"] and projection[
        "baseline"
    ] == "old"
    assert all(c["measured_weight"] == 1 for c in projection["configurations"])
    assert {row[1] for c in projection["configurations"] for row in c["measured"]["runtime_s"]} == {
        2
    }, "as many measurements as rounds"
    assert sorted(os.listdir(os.path.join(folder, "measured"))) == [
        "new-1.csv",
        "new-2.csv",
        "old-1.csv",
        "old-2.csv",
    ]
    began = [
        os.path.getmtime(os.path.join(folder, "measured", f"{build}-{n}.csv"))
        for n in (1, 2)
        for build in ("old", "new")
    ]
    assert began == sorted(began), "old, new, old, new"
    for kept in ("junit.xml", "page.html"):
        assert os.path.getsize(os.path.join(folder, kept)) > 0, kept
    if name == "github.yml":
        assert ("::error " in said) == (status == 1), said
        with open(variables["GITHUB_STEP_SUMMARY"], encoding="utf-8") as file:
            assert "| new | " in file.read()


def run_directly(origin, old, new, limit, status):
    """Runs the recipe of `seqpoint run`, which measures by itself."""
    name = "github-run.yml"
    steps, variables, _ = steps_of(name)
    (script,) = [script for _, script in steps if "pip install" not in script]
    folder = checked_out(name, origin, old, new)
    variables.update(
        {
            "LIMIT": limit,
            "MINUTES": "3min",
            "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": os.path.join(folder, "summary.md"),
        }
    )
    for attempt in range(ATTEMPTS):
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", script],
            cwd=folder,
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode == status or BUSY not in done.stdout:
            break
    assert done.returncode == status, (script, done.returncode, done.stdout)
    assert ("::error " in done.stdout) == (status == 1), done.stdout
    with open(variables["GITHUB_STEP_SUMMARY"], encoding="utf-8") as file:
        assert "| new | " in file.read()
    for kept in ("gate.xml", "gate/projection.json", "gate/report.html"):
        assert os.path.getsize(os.path.join(folder, kept)) > 0, kept


def refuses_other_data(name, origin, old, new):
    """A data set in another order stops the job at a batch that differs from the plan."""
    steps, variables, _ = steps_of(name)
    folder = checked_out(name, origin, old, new)
    variables.update({"CI_MERGE_REQUEST_DIFF_BASE_SHA": old, "CI_COMMIT_SHA": new})
    work = [script for step, script in steps if "apt-get" not in script]
    variables.update({"ROUNDS": "2"})
    for script in work[:-2]:
        shell(script, folder, variables)
    assert "WrongBatch" in shell(work[-2], folder, variables, 1)
    assert not os.path.exists(os.path.join(folder, "projection.json"))


def check_files(name):
    """All of the shell is bash, and the file is YAML where somebody can read that here."""
    steps, _, _ = steps_of(name)
    for step, script in steps:
        assert subprocess.run(["bash", "-n", "-c", script], check=False).returncode == 0, (
            name,
            step,
        )
    try:
        import yaml
    except ImportError:
        return
    with open(os.path.join(SOURCE, "examples", "ci", name), encoding="utf-8") as file:
        job = yaml.safe_load(file)
    if name != "gitlab.yml":
        written = [step["run"] for step in job["jobs"]["gate"]["steps"] if "run" in step]
    else:
        written = job["performance"]["before_script"] + job["performance"]["script"]
    assert [" ".join(script.split()) for script in written] == [
        " ".join(script.split()) for _, script in steps
    ], name


def main():
    names = ["github.yml", "gitlab.yml"]
    for name in [*names, "github-run.yml"]:
        check_files(name)
    if subprocess.run(
        [sys.executable, "-c", "import torch"], stderr=subprocess.DEVNULL, check=False
    ).returncode:
        print("skipped: there is no PyTorch; apt-get install python3-torch")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as root:
        os.mkdir(os.path.join(root, "bin"))
        os.symlink(EXE, os.path.join(root, "bin", "seqpoint"))
        os.symlink(sys.executable, os.path.join(root, "bin", "python3"))  # the one that has PyTorch
        os.environ["PATH"] = os.path.join(root, "bin") + ":" + os.environ["PATH"]
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
        origin = os.path.join(root, "origin")
        old = repository(origin, steps_of(names[0])[2])
        assert steps_of(names[0])[2] == steps_of(names[1])[2]
        new = commit(origin)
        for name in names:
            run(name, origin, old, new, 1, 0)
            run(name, origin, old, new, SLOWER, 1)
        run_directly(origin, old, new, "100%", 0)
        with open(os.path.join(origin, "train.py"), "w", encoding="utf-8") as file:
            file.write(SLEEP + TRAIN)
        run_directly(origin, old, commit(origin), "100%", 1)
        with open(os.path.join(origin, "data", "train.jsonl"), "r+", encoding="utf-8") as file:
            rows = file.readlines()
            file.seek(0)
            file.writelines(reversed(rows))
        other = commit(origin)
        for name in names:
            refuses_other_data(name, origin, old, other)
    print("three recipes: a build that is as fast, a slower one, another data set")


main()
