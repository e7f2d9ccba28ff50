"""The action's comment on a pull request, with a stand-in for GitHub's program `gh`:

    comment.py EXE SOURCE_DIR

The stand-in keeps comments in a file. The program and its gates are real. Filters for comments are
run by jq; ends with 77 if that is missing.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EXE, SOURCE = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
SCRIPT = SOURCE / "packaging" / "action" / "run.sh"
EPOCHS = SOURCE / "examples" / "data" / "ds2-librispeech100"

# The part of gh that the action uses: `pr view --json comments --jq`, `pr comment --body-file`,
# `api --method PATCH`.
GH = r"""#!{python}
import argparse, json, os, re, subprocess, sys
path = os.environ["COMMENTS"]
comments = json.load(open(path, encoding="utf-8"))
command, sub = sys.argv[1], sys.argv[2]
parser = argparse.ArgumentParser()
for option in ("--repo", "--json", "--jq", "--body-file", "--method", "--field"):
    parser.add_argument(option)
parser.add_argument("positional")
given = parser.parse_args(sys.argv[3:] if command == "pr" else sys.argv[2:])
assert os.environ["GH_TOKEN"] == "a token"
if (command, sub) == ("pr", "view"):
    assert (given.positional, given.repo, given.json) == ("17", "me/mine", "comments"), sys.argv
    shown = json.dumps({{"comments": comments}}).encode()
    jq = subprocess.run(["jq", "--raw-output", given.jq], input=shown, check=False)
    sys.exit(jq.returncode)
if os.environ.get("READ_ONLY"):
    sys.exit("HTTP 403: Resource not accessible by integration (100%)\nfor you")
if (command, sub) == ("pr", "comment"):
    assert (given.positional, given.repo) == ("17", "me/mine"), sys.argv
    number = 1000 + len(comments)
    url = f"https://hub.test/me/mine/pull/17#issuecomment-{{number}}"
    comments.append({{"url": url, "viewerDidAuthor": True}})
    body = given.body_file
else:
    assert given.method == "PATCH" and given.field.startswith("body=@"), sys.argv
    number = int(re.fullmatch(r"repos/me/mine/issues/comments/(\d+)", given.positional)[1])
    body = given.field[len("body=@"):]
(comment,) = [one for one in comments if one["url"].endswith(f"-{{number}}")]
comment["body"] = open(body, encoding="utf-8").read()
assert len(comment["body"]) <= 65536
json.dump(comments, open(path, "w", encoding="utf-8"))
print(comment["url"])
"""


class Comment(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "bin").mkdir()
        self.program(self.root / "bin" / "gh", GH.format(python=sys.executable))
        subprocess.run(
            [
                EXE,
                "select",
                EPOCHS / "skylakex.csv",
                "--method",
                "bins",
                "--points",
                "8",
                "-q",
                "-o",
                self.root / "points.json",
            ],
            check=True,
        )
        # Someone else's comment with the same words; our comment of another name; ours, which only
        # quotes one.
        self.others = [
            self.earlier(1, False, "<!-- seqpoint: gate -->\nmine"),
            self.earlier(2, True, "<!-- seqpoint: gate 2 -->\nother"),
            self.earlier(3, True, "> <!-- seqpoint: gate -->\nquoted"),
        ]
        self.write(self.others)

    @staticmethod
    def program(path, text):
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    @staticmethod
    def earlier(number, own, body):
        return {
            "url": f"https://hub.test/me/mine/pull/17#issuecomment-{number}",
            "viewerDidAuthor": own,
            "body": body,
        }

    def write(self, comments):
        (self.root / "comments.json").write_text(json.dumps(comments), encoding="utf-8")

    def comments(self):
        """Those that are not the others, which are as they were."""
        comments = json.loads((self.root / "comments.json").read_text(encoding="utf-8"))
        self.assertEqual(comments[:3], self.others)
        return comments[3:]

    def run_action(self, *arguments, **more):
        """The step's status and output; `summary` is the step's summary."""
        summary = self.root / "summary.md"
        summary.write_text("", encoding="utf-8")
        environment = {
            **os.environ,
            "PATH": f"{self.root / 'bin'}:{os.environ['PATH']}",
            "PROGRAM": str(EXE),
            "ARGUMENTS": "\n".join(arguments),
            "COMMENT": "gate",
            "NUMBER": "17",
            "GH_TOKEN": "a token",
            "COMMENTS": str(self.root / "comments.json"),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_SERVER_URL": "https://hub.test",
            "GITHUB_REPOSITORY": "me/mine",
            "GITHUB_RUN_ID": "5",
            **more,
        }
        done = subprocess.run(
            ["bash", SCRIPT],
            cwd=self.root,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        self.summary = summary.read_text(encoding="utf-8")
        return done.returncode, done.stdout

    def gate(self, limit, **more):
        profiles = [
            f"--profile={name}={EPOCHS / file}.csv"
            for name, file in (("before", "skylakex"), ("after", "haswell"))
        ]
        return self.run_action(
            "project",
            "points.json",
            *profiles,
            "--metric",
            "runtime_s",
            "--max-regression",
            limit,
            **more,
        )

    def test_a_run_updates_the_comment_of_the_one_before(self):
        status, said = self.gate("5%")
        self.assertEqual(status, 1, said)
        (first,) = self.comments()
        self.assertTrue(first["body"].startswith("<!-- seqpoint: gate -->\n### "), first)
        self.assertIn(": 1 of 1 checks failed\n", first["body"])
        self.assertRegex(first["body"], r"\n\| after \| ")
        self.assertIn("[This run](https://hub.test/me/mine/actions/runs/5)", first["body"])
        self.assertIn(self.summary, first["body"])
        self.assertIn("::error title=seqpoint::FAIL  after is 15 %25 slower than before", said)
        status, said = self.gate("90%")
        self.assertEqual(status, 0, said)
        (second,) = self.comments()
        self.assertEqual(second["url"], first["url"])
        self.assertIn(": passed\n", second["body"])
        self.assertNotIn("failed", second["body"])

    def test_what_is_inconclusive_is_said(self):
        status, _ = self.gate("15%")
        self.assertEqual(status, 0)
        self.assertIn(": 1 of 1 checks undecided", self.comments()[0]["body"])

    def test_no_verdict_replaces_an_earlier_one(self):
        self.gate("90%")
        status, _ = self.run_action(
            "project", "points.json", "--profile", "after=nowhere.csv", "--ci", "github"
        )
        self.assertEqual(status, 3)
        (only,) = self.comments()
        self.assertIn("no verdict, exit status 3", only["body"])
        self.assertNotIn("passed", only["body"])
        self.assertIn("no verdict, exit status 3", self.summary)

    def test_where_it_may_not_write_the_summary_says_so(self):
        for limit, status in (("5%", 1), ("90%", 0)):
            ended, said = self.gate(limit, READ_ONLY="1")
            self.assertEqual((ended, self.comments()), (status, []), said)
            self.assertRegex(
                self.summary,
                (
                    r"\| after \| [\s\S]*\*No comment on the pull request; the table is in the "
                    r"job summary\."
                ),
            )
            self.assertIn("Resource not accessible", self.summary)
            self.assertRegex(
                said,
                r"(?m)^::warning title=seqpoint::No comment .*HTTP 403: .*\(100%25\)%0Afor you$",
            )

    def test_without_gh(self):
        for name in ("bash", "awk", "cat", "mktemp", "rm"):
            os.symlink(shutil.which(name), self.root / "bin" / name)
        (self.root / "bin" / "gh").unlink()
        status, said = self.gate("5%", PATH=str(self.root / "bin"))
        self.assertEqual(status, 1, said)
        self.assertRegex(said, "::warning title=seqpoint::No comment .*gh: command not found")
        self.assertIn("| after | ", self.summary)

    def test_without_a_pull_request(self):
        status, said = self.gate("90%", NUMBER="")
        self.assertEqual((status, self.comments()), (0, []), said)
        self.assertIn("::notice title=seqpoint::no comment, as this is no pull request", said)
        self.assertIn("| after | ", self.summary)

    def test_names(self):
        self.run_action("project", "points.json", COMMENT="gate 2")
        self.assertEqual(
            json.loads((self.root / "comments.json").read_text())[1]["body"].count("no verdict"), 1
        )
        for name in ('x" or true or "', "x --> y", "a\nb"):
            status, said = self.run_action("--version", COMMENT=name)
            self.assertEqual(status, 2, said)
            self.assertRegex(said, "^::error title=seqpoint::comment: [^\n]*is no name for one")

    def test_without_a_name_the_program_is_run(self):
        self.program(self.root / "says", '#!/bin/sh\nprintf "%s|" "$@"\nexit 7\n')
        self.assertEqual(
            self.run_action("project", "a b", COMMENT="", PROGRAM=str(self.root / "says")),
            (7, "project|a b|"),
        )
        self.assertEqual(self.comments(), [])

    def test_long_summaries_are_cut_between_lines(self):
        self.program(
            self.root / "long",
            '#!/bin/sh\nyes "| \u00e4 | b |" | head -n 20000 >"$GITHUB_STEP_SUMMARY"\n',
        )
        status, said = self.run_action("project", PROGRAM=str(self.root / "long"))
        self.assertEqual(status, 0, said)
        body = self.comments()[0]["body"]
        self.assertGreater(len(body), 40000)
        self.assertRegex(body, r"\n\| \u00e4 \| b \|\n\n\*Truncated: [^\n]*\*\n\n\[This run\]")
        self.assertEqual(self.summary.count("\n"), 20000)


if __name__ == "__main__":
    if not shutil.which("jq"):
        print("skipped: there is no jq, which filters comments; apt-get install jq")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
