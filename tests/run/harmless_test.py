"""What `seqpoint run` must not harm: queued jobs, secrets, memory, time, other folders:

    harmless_test.py PROGRAM SOURCE_DIR [TEST...]
"""

import glob
import gzip
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import unittest
import xml.etree.ElementTree

from ending import keepers_of, processes_of, wait_for
from run_test import PROGRAM, PYTHON, Folder, build, job

SLEEPS = [PYTHON, "-c", "import time; time.sleep(600)"]
NOBODY = 65534
MOST_KB = 200_000


class Launchers(Folder):
    def refused(self, said, *words):
        done = self.run_it(*words, status=2)
        self.assertIn(said, done.stderr)
        self.assertFalse(os.path.exists(self.path("seqpoint-run")))

    def test_a_command_that_only_submits_is_named_before_it_starts(self):
        for said, *words in (
            ("hint: sbatch --wait waits for it, or put `seqpoint run`", "--", "sbatch", "job.sh"),
            ("sbatch returns before its job starts", "cd x && A=1 exec sbatch -N 1 job.sh; true"),
            ("sbatch returns before", "--", "sbatch", "--wait-all-nodes=1", "job.sh"),
            ("qsub -V -sync y (Grid Engine)", "--", "qsub", "-q", "gpu", "job.sh"),
            ("hint: bsub -K waits for it", "a=bsub < job.sh", "b=true"),
            (
                "ray job submit -- seqpoint run -- COMMAND",
                "--",
                *"ray job submit -- python3".split(),
            ),
            (
                "kubectl apply starts its job where",
                "--",
                *"kubectl -n ml apply -f job.yaml".split(),
            ),
            ("kubectl create starts", "--", *"/usr/bin/kubectl create -f job.yaml".split()),
            ("'seqpoint run -- COMMAND' | at TIME", "echo bash train.sh | at now"),
        ):
            with self.subTest(words=words):
                self.refused(said, *words)

    def stand_in(self, name):
        """A program of that name that runs the words after the options, as one that waits does."""
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write('#!/bin/sh\nwhile test "${1#-}" != "$1"; do shift; done\nexec "$@"\n')
        os.chmod(self.path(name), 0o755)

    def test_one_that_waits_is_measured(self):
        self.stand_in("sbatch")
        path = f"{self.folder}:{os.environ['PATH']}"
        self.run_it("--", "sbatch", "--wait", *job(), PATH=path)
        self.run_it("-o", "short", "--", "sbatch", "-W", *job(), PATH=path)

    def test_other_words_are_no_launchers(self):
        self.run_it(f"echo sbatch job.sh 'x; sbatch y' at batch; {' '.join(job())}")

    def test_a_job_in_the_background_is_measured(self):
        self.run_it(f"nohup {' '.join(job())} &")


class Queued(Folder):
    """A job that was submitted under `run`, and that starts after it, with its environment."""

    SUBMIT = (
        "import json, os; json.dump(dict(os.environ), open('.part', 'w')); "
        "os.replace('.part', '.submitted.json')"
    )
    SEES = "import json, os; print(json.dumps(dict(os.environ)))"

    def submit(self, **environment):
        done = self.run_it("--", PYTHON, "-c", self.SUBMIT, status=3, **environment)
        self.assertIn("the job imported no PyTorch", done.stderr)
        with open(self.path(".submitted.json"), encoding="utf-8") as file:
            return json.load(file)

    def start_submitted(self, environment):
        seen = subprocess.run(
            [PYTHON, "-c", self.SEES], env=environment, capture_output=True, text=True, check=True
        )
        self.assertEqual(seen.stderr, "")
        return json.loads(seen.stdout)

    def own(self, seen):
        """What is not in the environment of this test."""
        names = ("SEQPOINT_COMPANION", "PYTHONPATH", "WANDB_MODE")
        seen = {k: v for k, v in seen.items() if k in names or k.startswith("SEQPOINT_")}
        return {k: v for k, v in seen.items() if os.environ.get(k) != v}

    def test_it_finds_the_environment_as_it_was(self):
        environment = self.submit(PYTHONPATH="/mine", WANDB_MODE="shared")
        self.assertIn("SEQPOINT_HOOK", environment)
        seen = self.own(self.start_submitted(environment))
        self.assertEqual(seen, {"PYTHONPATH": "/mine", "WANDB_MODE": "shared"})

    def test_another_run_in_the_folder_is_not_its_own(self):
        environment = self.submit()
        running = self.start("--", *SLEEPS)
        wait_for(lambda: processes_of(self.folder))
        self.assertEqual(self.own(self.start_submitted(environment)), {})
        running.terminate()
        running.communicate(timeout=30)

    def test_a_run_that_is_killed_leaves_no_report(self):
        running = self.start("--grace", "0.1s", "--", PYTHON, "-c", f"{self.SUBMIT}\n{SLEEPS[-1]}")
        wait_for(lambda: os.path.exists(self.path(".submitted.json")))
        running.kill()
        running.communicate()
        wait_for(lambda: not processes_of(self.folder))
        wait_for(lambda: not glob.glob(self.path("seqpoint-run", "unfinished", "events-*")))
        with open(self.path(".submitted.json"), encoding="utf-8") as file:
            self.assertEqual(self.own(self.start_submitted(json.load(file))), {})

    def test_the_next_run_does_not_end_the_job_of_a_scheduler(self):
        """A process with the id of a killed run, in another job of Slurm."""
        self.run_it("--", *job())
        with open(self.path("seqpoint-run", ".lock"), "w", encoding="utf-8") as file:
            file.write("killed\n")
        marked = {**os.environ, "SEQPOINT_RUN": "killed"}
        queued = subprocess.Popen(SLEEPS, env={**marked, "SLURM_JOB_ID": "4711"})
        left = subprocess.Popen(SLEEPS, env=marked)
        self.run_it("--resume", "seqpoint-run", SLURM_JOB_ID="")
        self.assertEqual(left.wait(timeout=30), -signal.SIGTERM)
        self.assertIsNone(queued.poll())
        queued.kill()
        queued.wait()


class OfTheUser(Folder):
    """Processes and files beside the run's, and words that may be the job's own."""

    def test_a_reader_that_the_shell_began(self):
        """bash becomes seqpoint, whose child the reader of its output is then."""
        command = f"exec {PROGRAM} run -- {' '.join(job())} > >(sleep 1; cat > seen)"
        subprocess.run(["bash", "-c", command], cwd=self.folder, check=True, capture_output=True)
        wait_for(lambda: os.path.exists(self.path("seen")) and os.path.getsize(self.path("seen")))
        with open(self.path("seen"), encoding="utf-8") as file:
            self.assertIn("epoch ", file.read())

    def test_a_folder_that_is_refused_stays(self):
        os.makedirs(self.path("mine", "unfinished"))
        for name in (".lock", "unfinished/draft"):
            with open(self.path("mine", name), "w", encoding="utf-8") as file:
                file.write("my own\n")
        for _ in range(2):
            done = self.run_it("-o", "mine", "--", *job(), status=2)
            self.assertIn("mine is not empty, and holds no run", done.stderr)
        with open(self.path("mine", "run.json"), "w", encoding="utf-8") as file:
            file.write("{}")  # of another program
        self.run_it("-o", "mine", "--", *job(), status=3)
        for name in (".lock", "unfinished/draft"):
            with open(self.path("mine", name), encoding="utf-8") as file:
                self.assertEqual(file.read(), "my own\n")

    def test_another_run_in_a_folder_of_the_job(self):
        """It writes run.json while this job runs."""
        self.run_it("-o", "other", "--", *job())
        self.run_it(f"{' '.join(job())}; echo >> other/run.json")

    def test_what_a_script_removes_behind_its_loop(self):
        with open(self.path("old"), "w", encoding="utf-8") as file:
            file.write("results\n")
        done = self.run_it(f"{' '.join(job())}; rm -f old", status=3)
        self.assertIn("old was removed", done.stderr)

    def test_an_option_behind_the_job_is_not_taken_from_it(self):
        done = self.run_it(*job(), "--epochs", "3", status=2)
        self.assertIn("run: --", done.stderr)
        self.assertIn("seqpoint run OPTIONS -- COMMAND", done.stderr)
        self.run_it(" ".join(job()), "-o", "one", "--max-processes", "1")

    def test_a_variable_names_no_build(self):
        for command in (f"N=4 {' '.join(job())}", f"of= {' '.join(job())}"):
            done = self.run_it(command, status=2)
            self.assertIn("sets a variable, or names a build", done.stderr)


class Keeper(Folder):
    def test_it_is_killed(self):
        """Its job's processes in other sessions and groups end, too."""
        many = f"{' '.join(map(repr, SLEEPS))} & setsid {' '.join(map(repr, SLEEPS))} & wait"
        running = self.start(many)
        wait_for(lambda: len(processes_of(self.folder)) == 2)
        for keeper in keepers_of(running.pid):
            os.kill(keeper, signal.SIGKILL)
        told = running.communicate(timeout=30)[1]
        self.assertEqual(running.returncode, 3, told)
        self.assertEqual(processes_of(self.folder), [])

    @unittest.skipIf(os.geteuid(), "only root can start a process that its user cannot end")
    def test_a_process_that_cannot_be_ended_is_named(self):
        python = self.path("rooted")
        shutil.copy(os.path.realpath(PYTHON), python)
        os.chmod(python, 0o4755)
        os.chmod(self.folder, 0o777)
        for words in ([python, "-c", "import os; os.setuid(0)"], [PROGRAM, "--version"]):
            if not succeeds(words, NOBODY):
                self.skipTest(f"here user {NOBODY} cannot run {words}")
        code = "import os, time; os.setuid(0); time.sleep(600)"
        running = subprocess.Popen(
            [PROGRAM, "run", "--grace", "0.1s", f"{python} -c '{code}' & {' '.join(job())}"],
            cwd=self.folder,
            user=NOBODY,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        told = running.communicate(timeout=200)[1]
        left = [pid for pid in all_processes() if executable(pid) == python]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.assertTrue(left)
        self.assertIn(f"processes of the job cannot be ended: {left[0]} (rooted)", told)


def succeeds(words, user):
    try:
        return not subprocess.run(words, user=user, cwd="/", capture_output=True).returncode
    except OSError:
        return False


def all_processes():
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]


def executable(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""


class Memory(Folder):
    def peak(self, words, status):
        """Standard error of the program, whose memory is bounded."""
        with open(self.path("told"), "w+", encoding="utf-8") as told:
            running = subprocess.Popen(words, cwd=self.folder, stdout=told, stderr=told)
            _, ended, usage = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(ended)
            told.seek(0)
            text = told.read()
        self.assertEqual(running.returncode, status, text)
        self.assertLess(usage.ru_maxrss, MOST_KB, text)
        return text

    def test_the_end_of_a_log_of_200_mb(self):
        flood = "yes 'a line' | head -c 200000000; echo; echo the last; exit 1"
        told = self.peak([PROGRAM, "run", flood], 3)
        self.assertEqual(told.count("  | a line"), 8)
        self.assertIn("  | the last\n", told)

    def test_a_log_of_200_mb_without_a_line_end(self):
        told = self.peak([PROGRAM, "run", "tr '\\0' x < /dev/zero | head -c 200000000; exit 1"], 3)
        self.assertIn("  | [...] xxx", told)

    def zeros(self, begin=b""):
        """A file of 2 MB that unpacks to 2 GB."""
        path = self.path("zeros.gz")
        with gzip.open(path, "wb") as file:
            file.write(begin)
            for _ in range(2000):
                file.write(bytes(1_000_000))
        return path

    def test_a_file_that_unpacks_to_zeros(self):
        path = self.zeros()
        told = self.peak([PROGRAM, "inspect", path], 3)
        self.assertIn("has no line in its first 16 MiB", told)
        for name in ("kineto", "csv"):
            self.peak([PROGRAM, "inspect", "--format", name, path], 3)
        self.peak([PROGRAM, "scan", "--lengths-only", path], 3)
        for words in ("text", "csv --length-field a", "jsonl --length-field a"):
            self.peak([PROGRAM, "scan", "--lengths-only", path, "--format", *words.split()], 3)
        self.peak([PROGRAM, "project", path, "--profile", f"a={path}"], 3)

    def test_zeros_in_a_document(self):
        path = self.zeros(b'{"traceEvents": [\n')
        self.peak([PROGRAM, "inspect", path], 3)
        self.peak([PROGRAM, "inspect", "--format", "kineto", path], 3)
        self.peak([PROGRAM, "plan", path, "-o", "plan"], 3)

    def test_a_device(self):
        self.peak([PROGRAM, "inspect", "/dev/zero"], 3)
        self.peak([PROGRAM, "scan", "--lengths-only", "/dev/zero"], 3)
        self.peak([PROGRAM, "plan", "/dev/zero", "-o", "plan"], 3)


class Secrets(Folder):
    """Values of 20 variables, URLs and options, each of which would be found anywhere."""

    VARIABLES = {
        "HF_ENDPOINT": "https://user:{}@hub.example/x",
        "HF_HUB_PAT": "{}",
        "HF_HUB_PASS": "{}",
        "TORCH_AUTH": "{}",
        "TORCHX_CREDENTIALS": "{}",
        "RANKING_DB": "postgres://u:{}@h/d",
        "NVIDIA_LOGIN": "{}",
        "TRITON_CACHE_REDIS_URL": "redis://:{}@h:6379",
        "PYTHON_KEYRING_BACKEND_ARGS": "{}",
        "HF_TOKEN": "{}",
    }
    TEXT = (
        "WANDB_API_KEY={} ; export DB=mysql://me:{}@h/db; : --api-key {} --hub-token='{}' "
        '--config \'{{"password": "{}"}}\' https://{}@git.example/a/b logging.secret={} '
        "-pwd {} s3://id:{}@bucket/x --auth {}; "
    )

    def setUp(self):
        super().setUp()
        self.planted = [f"plaNTed{n}x" for n in range(len(self.VARIABLES) + self.TEXT.count("{}"))]
        self.assertGreaterEqual(len(self.planted), 20)
        values = iter(self.planted)
        self.variables = {k: v.format(next(values)) for k, v in self.VARIABLES.items()}
        self.text = self.TEXT.format(*values)
        self.told = []

    def run_it(self, *words, status=0, **environment):
        done = super().run_it(*words, status=status, **{**self.variables, **environment})
        self.told += [done.stdout, done.stderr]
        return done

    def require_none(self, *exports):
        texts = list(self.told)
        for name in [*glob.glob(self.path("*", "*")), *map(self.path, exports)]:
            if os.path.isfile(name) and not name.endswith(".log"):  # which has the job's own words
                with open(name, encoding="utf-8", errors="replace") as file:
                    texts.append(file.read())
        self.assertIn("seqpoint/run/5", "".join(texts))
        for text in texts:
            for secret in self.planted:
                self.assertNotIn(secret, text)

    def exports(self):
        names = {"junit": "a.xml", "csv": "a.csv", "markdown": "a.md", "json": "a.json"}
        words = [word for kind, name in names.items() for word in ("--export", f"{kind}={name}")]
        return [*words, "--ci", "github"], names.values()

    def test_none_is_in_a_file_an_export_or_a_message(self):
        words, names = self.exports()
        builds = [f"{name}={self.text}{' '.join(job())}" for name in ("old", "new")]
        self.run_it("--max-regression", "90%", *words, *builds)
        self.require_none(*names)
        self.assertEqual(os.stat(self.path("seqpoint-run", "run.json")).st_mode & 0o777, 0o600)
        self.assertIn("--api-key ***", self.read("run.json").decode())
        self.assertIn("--api-key ***", self.read("report.html").decode())

    def test_none_is_in_the_report_of_a_failure(self):
        words, _ = self.exports()
        fails = f"set -x; {self.text} no-such-program"
        self.run_it("--max-regression", "3%", *words, f"old={fails}", "new=true", status=3)
        self.require_none("a.xml")

    LOUD = """
import json, os, sys
print(sys.argv, file=sys.stderr)
print(json.dumps(sys.argv), file=sys.stderr)
print(dict(os.environ), file=sys.stderr)
print("got", *sys.argv, *(word.split(" ")[-1] for word in sys.argv), file=sys.stderr)
print("values", *os.environ["PLANTED"].split(), file=sys.stderr)
sys.exit("a job must not do this")
"""

    def loud(self):
        """A job that prints its arguments as lists, the environment and all values, and fails."""
        forms = (
            *("--api-key {}", "--secret={}", "-p {}", "-H@Authorization:@Bearer@{}"),
            *("-H@authorization:@Basic@{}", "https://h/x?sv=1&sig={}&a=b", "https://u:{}@h/x"),
            *("https://s3/b?X-Amz-Signature={}", "WANDB_API_KEY={}"),
        )
        more = [f"plaNTed{n}y" for n in range(len(forms))]
        words = " ".join(form.format(value) for form, value in zip(forms, more)).split(" ")
        tokens = ["hf_aBcDeFgH12345678", "ghp_aBcDeFgH12345678", "AKIAABCDEFGH12345678"]
        self.planted += more + tokens
        for name in ("NVIDIA_LOGIN", "PYTHON_KEYRING_BACKEND_ARGS"):  # no names of secrets
            self.planted.remove(self.variables.pop(name))
        self.variables.update({"PLANTED": " ".join(more), "ONE_SECRET": "plaNTed1z"})
        self.planted.append("plaNTed1z")
        with open(self.path("loud.py"), "w", encoding="utf-8") as file:
            file.write(self.LOUD)
        return [
            PYTHON,
            "loud.py",
            *(word.replace("@", " ") if "://" not in word else word for word in words),
            *tokens,
        ]

    def test_none_is_in_what_is_quoted_of_a_log(self):
        words, _ = self.exports()
        command, summary = self.loud(), self.path("summary.md")
        for how in ([], ["-v"]):
            done = self.run_it(*how, *words, "--", *command, status=3, GITHUB_STEP_SUMMARY=summary)
            self.require_none("a.xml", "summary.md")
            self.assertIn("  | a job must not do this\n", done.stderr)
            self.assertIn("::error", done.stdout + done.stderr)
            with open(self.path("a.xml"), encoding="utf-8") as file:
                self.assertIn("a job must not do this", file.read())
        with open(self.path("seqpoint-run", "order.log"), encoding="utf-8") as file:
            self.assertIn(self.planted[-1], file.read(), "a log is what the job prints")

    def test_none_is_in_the_result_of_such_a_command(self):
        words, names = self.exports()
        script = "#!/bin/sh\nexec " + " ".join(job()) + "\n"
        with open(self.path("train.sh"), "w", encoding="utf-8") as file:
            file.write(script)
        self.run_it(*words, "--", "sh", "train.sh", *self.loud()[2:])
        self.require_none(*names)

    def test_the_command_is_compared_and_given_again(self):
        script = "#!/bin/sh\nexec " + " ".join(job()) + "\n"
        with open(self.path("train.sh"), "w", encoding="utf-8") as file:
            file.write(script)
        key = ["--", "sh", "train.sh", "--api-key", self.planted[0]]
        self.run_it(*key)
        done = self.run_it("--resume", "seqpoint-run", status=2)
        self.assertIn("hint: give the whole command line again: -- sh train.sh", done.stderr)
        self.run_it("--resume", "seqpoint-run", *key)
        other = [*key[:-1], self.planted[1]]
        done = self.run_it("--resume", "seqpoint-run", *other, status=2)
        self.assertIn("is a run of another command line", done.stderr)
        done = self.run_it("sh train.sh", f"--api-key={self.planted[2]}", status=2)
        self.assertIn("unknown option --api-key=***", done.stderr)
        self.run_it("a=true", f"sh train.sh --api-key {self.planted[2]}", status=2)
        self.require_none()

    def test_a_variable_that_changed_is_named_without_its_value(self):
        self.run_it("--", *job())
        done = self.run_it("--resume", "seqpoint-run", HF_HUB_PAT=self.planted[3], status=2)
        self.assertIn("was begun with another HF_HUB_PAT\n", done.stderr)
        done = self.run_it("--resume", "seqpoint-run", NCCL_X=self.planted[4], status=2)
        self.assertIn("was begun without NCCL_X\n", done.stderr)
        self.run_it("--resume", "seqpoint-run", HF_TOKEN=self.planted[5])
        self.require_none()


class Bounded(Folder):
    def test_a_pipe_in_the_folder(self):
        """Reading one would wait for ever."""
        self.run_it("--max-processes", "2", "--", *job())
        os.mkdir(self.path("seqpoint-run", "traces"))
        names = os.listdir(self.path("seqpoint-run"))
        for name in [*filter(lambda name: name != "traces", names), "traces/run-1.sp1.json", "new"]:
            path = self.path("seqpoint-run", name)
            kept = os.path.exists(path)
            if kept:
                os.rename(path, self.path("aside"))
            os.mkfifo(path)
            with self.subTest(name=name):
                done = self.run_it("--resume", "seqpoint-run", status=2)
                if name != "run.json":
                    self.assertIn(f"seqpoint-run/{name} is no regular file", done.stderr)
            os.remove(path)
            if kept:
                os.rename(self.path("aside"), path)
        self.run_it("--resume", "seqpoint-run")

    def test_an_order_from_a_pipe(self):
        os.mkfifo(self.path("order"))
        done = self.run_it("--order", "order", "--", *job(), status=2)
        self.assertIn("--order: order is no regular file", done.stderr)

    def quoted(self, script):
        """The lines that are quoted of a failing job's log: in messages, and in the test report."""
        with open(self.path("job.py"), "w", encoding="utf-8") as file:
            file.write(script)
        words = ["-o", "new", "--export", "junit=a.xml", "--", PYTHON, "job.py"]
        told = self.run_it(*words, status=3).stderr
        report = xml.etree.ElementTree.parse(self.path("a.xml")).find(".//error")
        return re.findall(r"(?m)^  \| (.*)$", told), report.get("message").split("\n")[1:]

    def test_a_progress_bar_is_one_line(self):
        script = """
for percent in range(1001):
    print(f"\\r{percent / 10:5.1f}% " + percent // 20 * "#", end="")
print("\\nthe first\\r\\nthe last\\r50%\\r51%")
raise SystemExit("failed")
"""
        for lines in self.quoted(script):
            self.assertEqual(lines, ["100.0% " + 50 * "#", "the first", "51%", "failed"])

    def test_a_progress_bar_that_is_longer_than_what_is_read(self):
        script = """
for step in range(20000):
    print(f"\\rstep {step}", end="")
raise SystemExit(" failed")
"""
        for lines in self.quoted(script):
            self.assertEqual(len(lines), 1)
            self.assertIn("step 19999 failed", lines[0])

    def test_what_is_quoted_has_a_bound(self):
        for lines in self.quoted(
            "for n in range(20): print(n, 6000 * 'x', n)\nraise SystemExit(1)"
        ):
            self.assertEqual(len(lines), 10)
            for n, line in zip(range(10, 20), lines):
                self.assertRegex(line, rf"^{n} x+ \[\.\.\.\] x+ {n}$")
                self.assertLess(len(line), 1100)

    def test_a_table_of_200000_columns(self):
        """Which takes hundreds of seconds if each column is compared with all others."""
        count = 200_000
        with open(self.path("wide.csv"), "w", encoding="utf-8") as file:
            file.write("iteration,src_len," + ",".join(f"m{n}_s" for n in range(count)) + "\n")
            for n in range(2):
                file.write(f"{n},{n + 7}," + ",".join(count * ["0.25"]) + "\n")
        done = subprocess.run(
            [PROGRAM, "inspect", "wide.csv", "--json"],
            cwd=self.folder,
            capture_output=True,
            check=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (60, 60)),
        )
        steps = json.loads(done.stdout)["steps"]
        self.assertEqual([len(step["metrics"]) for step in steps], [count, count])


class Names(Folder):
    def test_a_build_that_would_be_written_elsewhere(self):
        self.run_it("--max-processes", "2", build("old"), build("new"))
        with open(self.path("evil-1.csv"), "w", encoding="utf-8") as file:
            file.write("mine")
        record = self.record()
        record["request"]["builds"][0]["name"] = "../evil"
        with open(self.path("seqpoint-run", "run.json"), "w", encoding="utf-8") as file:
            json.dump(record, file)
        done = self.run_it("--resume", "seqpoint-run", status=3)
        self.assertIn("run.json: field 'request.builds[0].name': is not a name", done.stderr)
        with open(self.path("evil-1.csv"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mine")

    def test_directions_of_writing(self):
        """U+202E turns the text after it around: `gpj.exe` would read as `exe.jpg`."""
        name = "run\u202egpj\u2066\u200f\u061c"
        words = ["--export", "json=a.json", "--export", "markdown=a.md", "--export", "junit=a.xml"]
        done = self.run_it("-o", name, *words, "--ci", "github", "--", *job())
        texts = [done.stdout, done.stderr]
        for path in (self.path(name, "report.html"), *map(self.path, ("a.json", "a.md", "a.xml"))):
            with open(path, encoding="utf-8") as file:
                texts.append(file.read())
        for text in texts:
            for mark in "\u202e\u2066\u200f\u061c":
                self.assertNotIn(mark, text)
        self.run_it("--resume", name)


if __name__ == "__main__":
    unittest.main()
