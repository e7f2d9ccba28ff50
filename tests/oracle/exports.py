"""Every export as other programs read it, with names that try to break out of it:

    exports.py EXE

Python's own parsers of JSON, CSV and XML read the program's output. Text that GitHub's runner would
take for a workflow command is found in the way of its ActionCommand.cs.
"""
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

HOSTILE = [
    b"<script>alert(1)</script>",
    b"::error file=a,line=1::boo",
    b"::error::boo",
    b"  \xc2\xa0::warning::boo",
    b"##[error]boo",
    b"quo\"ted 'both' ways",
    b"two\nlines\r\nor three",
    b"a\n::error::second line",
    b"pipe|d \\| and [link](javascript:x) *bold* `code` _under_line_",
    b"bell\x07 esc\x1b[31m del\x7f csi\xc2\x9b31m",
    b"bad\xff\xc3utf8\xed\xa0\x80",
    b"100% & more: a, b %0A ]]>",
    "naïve — 日本語 \U0001f600".encode(),
    b"-dash",
    b"=cmd|' /C calc'!A0",
    b"  @SUM(1+1)*cmd",
    b"+1+1",
    b"",
]
SEQPOINTS = """{"schema": "seqpoint/seqpoints/2",
 "run": {"iterations": 5, "samples": 20, "epochs": 1, "tokens": 300, "padded_tokens": 400,
         "signature": ["src_len", "batch_size"], "histogram": [[10, 4, 2], [20, 4, 2], [40, 4, 1]]},
 "method": {"name": "bins", "points": 3, "parameters": {}},
 "points": [{"id": "sp1", "src_len": 10, "weight": 2, "share": 0.4, "iterations": [0, 2]},
            {"id": "sp2", "src_len": 20, "weight": 2, "share": 0.4, "iterations": [1, 4]},
            {"id": "sp3", "src_len": 40, "weight": 1, "share": 0.2, "iterations": [3]}]}"""
EXPORTS = ["json", "csv", "markdown", "junit"]
CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")


def text_of(name):
    return name.decode("utf-8", "replace")


def visible(text):
    """The text as one line: control characters become blanks."""
    return CONTROLS.sub(" ", text)


def replaced(text):
    """The text without control characters, except line ends and tabs."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]", "\ufffd", text)


def no_formula(text):
    """A spreadsheet runs what begins so, and takes an apostrophe for the sign of text."""
    return "'" + text if re.match(r"[ \t\r\n]*[=+\-@]", text) else text


# --- text that the runner takes for a command -----------------------------------------------------


def unescape(text, pairs):
    for replacement, token in pairs:
        text = text.replace(replacement, token)
    return text


DATA = [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")]
PROPERTY = [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")]


def command_in(line):
    """(command, properties, message), or None."""
    trimmed = line.lstrip()  # all of Unicode's white space, as .NET's TrimStart
    if trimmed.startswith("::") and "::" in trimmed[2:]:
        info, data = trimmed[2:].split("::", 1)
        name, _, properties = info.partition(" ")
        pairs = [p.split("=", 1) for p in properties.strip().split(",") if "=" in p]
        return name, {k: unescape(v, PROPERTY) for k, v in pairs}, unescape(data, DATA)
    if "##[" in line and "]" in line[line.index("##[") :]:
        return "legacy", {}, line
    return None


def commands_in(text):
    return [c for c in map(command_in, re.split("\r\n|\r|\n", text)) if c]


# --- one run --------------------------------------------------------------------------------------


def run(exe, arguments, folder, **environment):
    done = subprocess.run(
        [exe, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "TERM": "dumb", **environment},
        check=False,
    )
    return (
        done.returncode,
        done.stdout.decode("utf-8"),
        done.stderr.decode("utf-8"),
    )  # a byte that is not UTF-8 ends the test


def rows_of_markdown(text):
    rows = [line for line in text.split("\n") if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)(?:\\\\)*\|", row)[1:-1]] for row in rows]


def no_markup(cell):
    """A cell of Markdown as a reader sees it."""
    assert not re.search(r"[<>]|&(?!amp;|lt;|gt;)", cell), cell
    assert not re.search(r"(?<!\\)(?:\\\\)*[*`\[\]~]", cell), cell
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")):
        cell = cell.replace(entity, character)
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cell)


def check_exports(exe, folder, metric, name):
    metric = metric.strip(b" ")  # a header's blanks are no part of its names
    profile = os.path.join(folder, "profile.csv")
    with open(profile, "wb") as file:
        file.write(b'src_len,"' + metric.replace(b'"', b'""') + b'"\n10,0.5\n20,1\n40,2\n')
    with open(
        os.path.join(folder, "again.csv"), "wb"
    ) as file:  # a file of its own: one file is no second configuration
        file.write(b'"' + metric.replace(b'"', b'""') + b'",src_len\n0.5,10\n1,20\n2,40\n')
    exports = [argument for e in EXPORTS for argument in ("--export", f"{e}=out.{e}")]
    status, out, err = run(
        exe,
        [
            "project",
            "points.json",
            "--profile",
            b"base=profile.csv",
            "--profile",
            name + b"=again.csv",
            "--max-regression",
            "50%",
            "--ci",
            "github",
            *exports,
        ],
        folder,
        GITHUB_STEP_SUMMARY=os.path.join(folder, "summary"),
    )
    assert status == 0, (status, err)
    assert not commands_in(out), out
    assert not commands_in(err), err
    read = {
        e: open(os.path.join(folder, "out." + e), encoding="utf-8", newline="").read()
        for e in EXPORTS
    }

    document = json.loads(read["json"])
    assert document["configurations"][1]["name"] == text_of(name)
    assert list(document["configurations"][1]["metrics"]) == [text_of(metric)]

    rows = list(csv.reader(io.StringIO(read["csv"], newline="")))
    assert {len(row) for row in rows} == {len(rows[0])}, rows
    assert rows[2][:2] == [
        no_formula(replaced(text_of(name))),
        no_formula(replaced(text_of(metric))),
    ], rows

    for text in (read["markdown"], open(os.path.join(folder, "summary"), encoding="utf-8").read()):
        assert not commands_in(text), text
        table = [
            row for row in rows_of_markdown(text) if len(row) == len(rows_of_markdown(text)[-1])
        ]  # the gates are before it
        assert no_markup(table[3][0]) == visible(text_of(name)).strip(), table

    suites = ElementTree.fromstring(read["junit"].encode())
    cases = suites.findall("testsuite/testcase")
    assert cases[1].get("name") == replaced(text_of(name)) + ": projected", cases[1].get("name")
    for suite in [suites, *suites.findall("testsuite")]:
        assert int(suite.get("tests")) == len(cases) == 3
        for kind, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            assert int(suite.get(kind)) == len(suites.findall(f".//{element}"))


def check_annotations(exe, folder, name):
    """A regression of a hostile configuration: one command, with the message of standard error."""
    with open(os.path.join(folder, "slow.csv"), "w", encoding="utf-8") as file:
        file.write("src_len,runtime_s\n10,5\n20,10\n")
    arguments = [
        "project",
        "points.json",
        "--profile",
        b"base=profile.csv",
        "--profile",
        name + b"=slow.csv",
        "--max-regression",
        "5%",
        "--metric",
        "runtime_s",
        "--ci",
        "github",
    ]
    with open(os.path.join(folder, "profile.csv"), "w", encoding="utf-8") as file:
        file.write("src_len,runtime_s\n10,0.5\n20,1\n40,2\n")
    status, out, _ = run(
        exe, arguments, folder, GITHUB_STEP_SUMMARY=os.path.join(folder, "summary")
    )
    assert status == 1
    commands = commands_in(out)
    assert [(c[0], c[1].get("file")) for c in commands] == [
        ("error", None),
        ("warning", None),
        ("warning", "slow.csv"),
    ], commands
    kept = re.sub(
        "[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]", " ", text_of(name)
    )  # line ends are kept: they can be escaped
    assert commands[0][2].startswith(kept + ": runtime_s: no interval"), commands[0]
    undecided = f"INCONCLUSIVE  {kept} is 900 % slower than base; limit 5 %"
    assert commands[1][2].startswith(undecided), commands[1]
    assert commands[2][2].startswith(kept + ": not measured: sp3"), commands[2]
    status, out, err = run(exe, [*arguments, "--json"], folder, GITHUB_STEP_SUMMARY="summary")
    json.loads(out)  # with standard output taken, annotations are on the other stream
    assert [c[0] for c in commands_in(err)] == ["error", "warning", "warning"], err


def main():
    exe = os.path.abspath(sys.argv[1])
    for hostile in HOSTILE:
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "points.json"), "w", encoding="utf-8") as file:
                file.write(SEQPOINTS)
            if hostile and b"=" not in hostile:
                check_exports(exe, folder, b"runtime_s", hostile)
                os.remove(os.path.join(folder, "summary"))
                check_annotations(exe, folder, hostile)
                os.remove(os.path.join(folder, "summary"))
            check_exports(exe, folder, hostile + b"_bytes", b"other")
    print(len(HOSTILE), "hostile names in", len(EXPORTS), "exports, annotations and summary")


main()
