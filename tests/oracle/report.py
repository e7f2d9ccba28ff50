"""The page of `--export html` as Python's HTML parser reads it:

    report.py EXE SOURCE_DIR [--million]

Its tables and its embedded JSON are compared with the output files and traces that it was made
from, and with counts and quantiles made here. Names that try to break out stay names. Only the
script runs whose hash the page's policy has, and it is the vendored libraries and ours. Pages have
the same bytes twice. --million: instead, the page of a million iterations is below 700 kB.
"""
import base64
import csv
import hashlib
import html.parser
import json
import math
import os
import random
import re
import subprocess
import sys
import tempfile
import unicodedata

HOSTILE = [
    "<script>alert(1)</script>",
    "</script><img src=x onerror=alert(1)>",
    "</title></style></svg>",
    "quo\"ted ' & both",
    "]]>-->",
    "two\nlines\ttab",
    "bell\x07 esc\x1b[31m",
    "line\u2028separator\u2029s",
    "\u202egnp.exe",
    "naïve — 日本語 \U0001f600",
    "&lt;b&gt; &amp;amp;",
    "javascript:alert(1)",
    "x" * 300,
]
TAGS = set(
    """html head meta link title style body main header p h1 h2 ul li dl dt dd div b bdi i data
    figure figcaption details summary table caption thead tbody tr th td footer br pre code
    script""".split()
)
# Classes and marks by which Unicode changes the direction of writing.
DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
MARKS = "\u061c\u200e\u200f"
LIBRARIES = ("d3.min.js", "plot.umd.min.js")


class Page(html.parser.HTMLParser):
    """Tables by id, the embedded JSON, the text, and whatever could load or run something."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tables, self.scripts, self.text, self.loads, self.tags, self.data = (
            {},
            [],
            "",
            [],
            set(),
            [],
        )
        self.table = self.row = self.policy = None
        self.inside = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.add(tag)
        self.loads += [
            (tag, k, v)
            for k, v in attributes
            if k.startswith("on")
            or k in ("src", "srcset", "action", "style", "xlink:href", "formaction")
        ]
        self.loads += (
            [(tag, "href", given["href"])] if given.get("href", "data:,") != "data:," else []
        )
        if tag == "script":
            assert given == (
                {} if self.scripts else {"type": "application/json", "id": "seqpoint-data"}
            ), given
            self.scripts.append("")
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag == "table":
            name = given.get("id", given.get("class")).removeprefix("table-")
            self.table = self.tables.setdefault(name, [])
        if tag == "tr":
            self.row = []
            self.table.append(self.row)
        if tag in ("td", "th"):
            self.row.append("")
        if tag == "data":
            self.data.append(float(given["value"]))
        self.inside = tag

    def handle_startendtag(self, tag, attributes):
        inside = self.inside
        self.handle_starttag(tag, attributes)
        self.inside = inside

    def handle_endtag(self, tag):
        self.inside = ""
        if tag == "table":
            self.row = None

    def handle_data(self, text):
        if self.inside == "script":
            self.scripts[-1] += text
        elif self.inside in ("td", "th") or (self.inside == "b" and self.row):
            self.row[-1] += text
        else:
            self.text += text


def visible(name):
    """A name on the page: control characters that HTML cannot hold are replaced, and those that
    change the direction of writing."""
    return "".join(
        "\ufffd"
        if (ord(c) < 32 and c not in "\n\t\r")
        or 127 <= ord(c) < 160
        or unicodedata.bidirectional(c) in DIRECTIONS
        or c in MARKS
        else c
        for c in name
    )


def read_page(path):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    assert text.count("<script") == 2 and text.count("</script") == 2, "scripts"
    page = Page(text)
    assert page.tags <= TAGS, page.tags - TAGS
    assert not page.loads, page.loads
    data, script = page.scripts
    assert not re.search("[\u2028\u2029<>&]", data), "what could end the element or a line"
    hashed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert page.policy.startswith(f"default-src 'none'; script-src 'sha256-{hashed}';"), page.policy
    embedded = json.loads(data)
    gates = page.tables.pop("gates", [])
    assert [t["id"] for t in embedded["tables"]] == list(page.tables)
    for table in embedded["tables"]:
        same_table(table, page.tables[table["id"]])
    page.gates = gates
    return (
        page,
        embedded,
        {t["id"]: [dict(zip(t["columns"], row)) for row in t["rows"]] for t in embedded["tables"]},
    )


def check_libraries(source, page):
    """The page has the libraries as they were published: share/page/README.md has their digests."""
    folder = os.path.join(source, "share", "page")
    with open(os.path.join(folder, "README.md"), encoding="utf-8") as file:
        digests = dict(re.findall(r"^\| `(\S+)` \|.*`([0-9a-f]{64})` \|$", file.read(), re.M))
    assert set(digests) == set(LIBRARIES), digests
    for name, digest in digests.items():
        with open(os.path.join(folder, name), "rb") as file:
            library = file.read()
        assert hashlib.sha256(library).hexdigest() == digest, name
        assert library.decode() in page.scripts[1], name


def same_table(table, shown):
    """Every cell that is shown is the one that is embedded, to five digits."""
    assert [name.rstrip("\n") for name in shown[0]] == table["columns"] and len(shown) == len(
        table["rows"]
    ) + 1, table["id"]
    for cells, row in zip(shown[1:], table["rows"]):
        for text, value in zip(
            [c.rstrip("\n") if i == len(cells) - 1 else c for i, c in enumerate(cells)], row
        ):
            if value is None:
                assert text == "", (table["id"], text)
            elif isinstance(value, str):
                assert text.rstrip("\n") == visible(value).rstrip("\n"), (table["id"], text, value)
            else:
                close = math.isclose(float(text), value, rel_tol=5.1e-5)
                whole = isinstance(value, int) and "." not in text
                assert float(text) == value or (close and not whole), (table["id"], text, value)


def lengths_of(seqpoints):
    """(length as the axis has it, count) of every signature."""
    names = seqpoints["run"]["signature"]
    pairs = "tgt_len" in names
    whole = not any("length_group" in p for p in seqpoints["points"])
    return [
        (row[0] + (row[1] if pairs and whole else 0), row[-1])
        for row in seqpoints["run"]["histogram"]
    ]


def check_run(tables, embedded, seqpoints):
    for key in ("iterations", "samples", "epochs", "tokens", "padded_tokens"):
        assert embedded["run"][key] == seqpoints["run"][key], key
    lengths = lengths_of(seqpoints)
    assert sum(row["iterations"] for row in tables["lengths"]) == seqpoints["run"]["iterations"]
    for row in tables["lengths"]:
        assert row["iterations"] == sum(
            n for at, n in lengths if row["from"] <= at <= row["to"]
        ), row
    assert len(tables["points"]) == len(seqpoints["points"])
    for row, point in zip(tables["points"], seqpoints["points"]):
        assert (
            set(row) >= (set(point) - {"iterations", "samples", "near"})
            and row["iteration"] == point["iterations"][0]
        ), (row, point)
        assert all(
            value == point.get(key)
            for key, value in row.items()
            if key not in ("iteration", "length")
        ), (row, point)
        assert row["length"] in {at for at, _ in lengths}, row
    measured = any(
        figure["id"] == "totals" or "costs" in figure["id"] for figure in embedded["figures"]
    )
    sizes = [] if measured else seqpoints["method"].get("sizes", [])
    sizes = [size for size in sizes if size.get("expected_error_pct") is not None]
    shown = tables.get("sizes", [])
    assert len(shown) == (len(sizes) if len(sizes) > 1 else 0)
    for row, size in zip(shown, sizes):
        assert all(same(row[key], value) for key, value in size.items()), (row, size)
    for row in shown:  # the choice is as many points as its phase has
        assert (row["chosen"] == "yes") == (
            row["points"]
            == sum(p.get("phase", 0) == row.get("phase", 0) for p in seqpoints["points"])
        ), row


def change_of(speedup):
    """A change in percent over the baseline, whose time is `speedup` times as long."""
    return None if speedup is None else 100 * (1 / speedup - 1)


def check_projection(page, tables, projection):
    measured = {row[key] for row in tables.get("measured", []) for key in ("measured", "projected")}
    wanted = []
    for c in projection["configurations"]:
        for name, m in c["metrics"].items():
            speedup = c["speedup"].get(name, {})
            throughput = (
                c["throughput"] if c["throughput"] and c["throughput"]["time"] == name else {}
            )
            wanted.append(
                {
                    "configuration": c["name"],
                    "metric": name,
                    **{key: m.get(key) for key in ("kind", "value", "low", "high", "per_epoch")},
                    **{key: figure for key, figure in throughput.items() if key.endswith("_per_s")},
                    "change_pct": change_of(speedup.get("value")),
                    "change_low_pct": change_of(speedup.get("high")),
                    "change_high_pct": change_of(speedup.get("low")),
                    "measured_weight": m.get("measured_weight", c["measured_weight"]),
                }
            )
    shown = tables.get("configurations", [])
    assert len(shown) == len(wanted) or (len(wanted) == 1 and not shown)
    for row, cells in zip(shown, wanted):
        for column, cell in cells.items():
            figure = row[column]
            if isinstance(cell, float):  # changes are of speedups that are rounded to twelve digits
                assert math.isclose(figure, cell, rel_tol=1e-11, abs_tol=1e-8), (row, cells)
            else:
                assert figure == cell or not cell, (row, cells)
    estimates = [
        (c["name"], p["name"], p["estimate"])
        for c in projection["configurations"]
        for p in c.get("processes", [])
    ]
    assert estimates == [
        (r["configuration"], r["process"], r["value"]) for r in tables.get("processes", [])
    ]
    points = {
        (r["configuration"], r["point"]): [r["measurements"], r["value"], r["least"], r["most"]]
        for r in tables.get("costs", [])
    }
    first = next(iter(projection["configurations"][0]["measured"]))
    assert points == {
        (c["name"], row[0]): row[1:]
        for c in projection["configurations"]
        for row in c["measured"].get(first, [])
    }
    breakdown = projection.get("breakdown", {"configurations": []})
    assert [list(row.values()) for row in tables.get("breakdown", [])] == [
        [c["name"], r["name"], r["seconds"], r["share"], r["calls"], r["change"]]
        + [r.get("difference"), r.get("half_width")]
        for c in breakdown["configurations"]
        for r in c["rows"]
    ]
    check_differences(tables, projection)
    known = {value for row in wanted for value in row.values() if isinstance(value, (int, float))}
    assert (
        page.data and set(page.data) <= known | measured
    ), "the figures at the top are those of the projection"


def check_differences(tables, projection):
    """Phases and ranges of lengths: shares of the page are percentages."""
    phases = [
        [c["name"], phase["seconds"]]
        + [100 * phase[key] if key in phase else None for key in ("share", "change", "low", "high")]
        for c in projection["configurations"]
        for phase in c.get("phases", {}).values()
    ]
    shown = [list(row.values()) for row in tables.get("phases", [])]
    assert all(same_row([row[0], *row[2:]], phase) for row, phase in zip(shown, phases))
    assert len(shown) == len(phases)
    ranges = [
        [c["name"], *(100 * of[key] for key in ("share", "change", "others"))]
        for c in projection["configurations"]
        for of in c.get("by_length", [])
    ]
    shown = [list(row.values()) for row in tables.get("differences-by-length", [])]
    assert all(same_row([row[0], *row[2:]], of) for row, of in zip(shown, ranges))
    assert len(shown) == len(ranges)


def check_phases(exe, folder, case):
    """Two builds of three processes. The backward pass of one takes longer in long batches."""
    with open(os.path.join(case, "clean.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    profiles = []
    for build, slower in (("old", 1), ("new", 1.2)):
        for process in (1, 2, 3):
            path = os.path.join(folder, f"{build}-{process}.csv")
            profiles += ["--profile", f"{build}={path}"]
            with open(path, "w", encoding="utf-8") as file:
                file.write("point,runtime_s,forward_s,backward_s\n")
                for row in rows:
                    total = float(row["runtime_s"]) * (1 + process / 1000)
                    backward = 0.6 * total * (slower if row["point"] >= "sp6" else 1)
                    whole = 0.4 * total + backward
                    file.write(f"{row['point']},{whole},{0.4 * total},{backward}\n")
    points = os.path.join(case, "points.json")
    outputs = ("-o", "projection.json", "--export", "html=page.html")
    run(exe, folder, "project", points, *profiles, "--by", "phase", *outputs)
    page, _, tables = read_page(os.path.join(folder, "page.html"))
    check_differences(tables, load(folder, "projection.json"))
    assert len(tables["phases"]) == 4 and len(tables["differences-by-length"]) == 3
    assert "% backward" in page.text and "in batches longer than" in page.text


def same_row(shown, wanted):
    return all(
        math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) if isinstance(b, float) else a == b
        for a, b in zip(shown, wanted)
    )


def quantile(values, share):
    """As NumPy has it: linear between neighbours."""
    at = share * (len(values) - 1)
    below = int(at)
    above = min(below + 1, len(values) - 1)
    return values[below] + (at - below) * (values[above] - values[below])


def check_trace(tables, name, path, statistic, pairs):
    """The bands of a trace and what is far outside of them, counted again."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    timed = [
        (
            int(r["src_len"]) + (int(r["tgt_len"]) if pairs else 0),
            float(r[statistic]),
            int(r["iteration"]),
        )
        for r in rows
    ]
    bands = [r for r in tables["costs-batches"] if r["configuration"] == name]
    assert sum(r["batches"] for r in bands) == len(rows) and len(bands) <= 40
    far = []
    for band in bands:
        inside = [t for t in timed if band["length_from"] <= t[0] <= band["length_to"]]
        values = sorted(value for _, value, _ in inside)
        assert len(values) == band["batches"], band
        for column, share in (("p10", 0.1), ("median", 0.5), ("p90", 0.9)):
            assert math.isclose(band[column], quantile(values, share), rel_tol=1e-9), (band, column)
        lower, upper = quantile(values, 0.25), quantile(values, 0.75)
        reach = 1.5 * (upper - lower)
        far += [(i, at, v) for at, v, i in inside if not lower - reach <= v <= upper + reach]
    outliers = [
        (r["iteration"], r["length"], r["value"])
        for r in tables.get("costs-outliers", [])
        if r["configuration"] == name
    ]
    assert len(far) > 100 or outliers == sorted(far), (outliers, sorted(far))


def check_measured(page, tables, projection, traces):
    """A run that was measured in full and summed again, compared with its projection."""
    wanted = []
    for c in projection["configurations"]:
        for name, m in c["metrics"].items():
            with open(traces[c["name"]], encoding="utf-8") as file:
                total = sum(float(row[name]) for row in csv.DictReader(file))
            wanted.append(
                (
                    c["name"],
                    name,
                    total,
                    m["value"],
                    100 * (m["value"] / total - 1),
                    "yes" if m["low"] <= total <= m["high"] else "no",
                )
            )
    assert len(tables["measured"]) == len(wanted)
    for row, (configuration, name, total, value, difference, inside) in zip(
        tables["measured"], wanted
    ):
        assert (row["configuration"], row["metric"], row["projected"], row["inside_interval"]) == (
            configuration,
            name,
            value,
            inside,
        ), row
        assert math.isclose(row["measured"], total, rel_tol=1e-11) and math.isclose(
            row["difference_pct"], difference, rel_tol=1e-6, abs_tol=1e-9
        ), row
        assert ("inside the interval" if inside == "yes" else "outside the interval") in page.text


def run(exe, folder, *arguments):
    subprocess.run([exe, *arguments, "-q"], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def load(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return json.load(file)


def check_corpus(exe, folder, traces, pairs, manifest, *select):
    run(exe, folder, "select", *manifest, *select, "-o", "points.json")
    profiles = [part for name, path in traces.items() for part in ("--profile", f"{name}={path}")]
    project = ["project", "points.json", *profiles, "--metric", "runtime_s"]
    given = [part for name, path in traces.items() for part in ("--truth", f"{name}={path}")]
    run(exe, folder, *project, "-o", "projection.json", "--export", "html=short.html")
    for page in ("page.html", "again.html"):
        run(exe, folder, *project, *given, "--export", f"html={page}")
    assert (
        open(os.path.join(folder, "page.html"), "rb").read()
        == open(os.path.join(folder, "again.html"), "rb").read()
    )
    seqpoints, projection = load(folder, "points.json"), load(folder, "projection.json")
    for name in ("page.html", "short.html"):
        page, embedded, tables = read_page(os.path.join(folder, name))
        check_run(tables, embedded, seqpoints)
        check_projection(page, tables, projection)
    page, _, tables = read_page(os.path.join(folder, "page.html"))
    for name, path in traces.items():
        check_trace(tables, name, path, "runtime_s", pairs)
    check_measured(
        page,
        tables,
        projection,
        {name: os.path.join(folder, path) for name, path in traces.items()},
    )
    size = os.path.getsize(os.path.join(folder, "page.html"))
    assert size < 700_000, size
    return size


def check_without_measurements(exe, folder, manifest, *select):
    """Runs of other kinds: without padding, in phases."""
    run(exe, folder, "select", manifest, *select, "-o", "points.json", "--export", "html=page.html")
    page, embedded, tables = read_page(os.path.join(folder, "page.html"))
    check_run(tables, embedded, load(folder, "points.json"))
    return page


def same(shown, value):
    """Numbers are rounded to twelve digits, twice on the page: the last may differ."""
    if isinstance(value, float) and isinstance(shown, (int, float)):
        return math.isclose(shown, value, rel_tol=1e-11)
    return shown == value or (value is None and not shown)


# Gates whose text names their option.
LIMITS = {"require-weight": "--require-weight", "fail-above": "--fail-above"}


def check_gates(path, projection):
    """One gate is the headline; of several each has a row, failed ones first, with a word besides
    its colour."""
    page, embedded, _ = read_page(path)
    words = {"pass": "\u2713 pass", "inconclusive": "inconclusive", "unmatched": "inconclusive"}
    wanted = [
        (0 if not gate["passed"] else 2 if gate["verdict"] == "pass" else 1, gate)
        for gate in projection["gates"]
    ]
    wanted = [gate for _, gate in sorted(wanted, key=lambda pair: pair[0])]
    shown = [[cell.rstrip("\n") for cell in row] for row in page.gates]
    if len(wanted) == 1:
        assert not shown
        shown = [["", embedded["title"]]]
    else:
        assert [mark for mark, _ in shown] == [
            words[gate["verdict"]] if gate["passed"] else "\u2717 failed" for gate in wanted
        ], shown
    for (_, what), gate in zip(shown, wanted):
        assert what.startswith(visible(gate["subject"])) and (
            gate["value"] is None or LIMITS.get(gate["gate"], "") in what
        ), what
    return len(shown)


def check_gates_of_runs(exe, folder, old, new):
    """Gates with limits that are met and that are not."""
    run(exe, folder, "select", old, "--points", "8", "-o", "points.json")
    for limits, status in (
        (["--max-regression", "1%", "--require-weight", "50%"], 0),
        (["--max-regression", "0.1%"], 1),
    ):
        both = [
            "--profile",
            f"a={new if status else old}",
            "--profile",
            f"b={old if status else new}",
        ]
        done = subprocess.run(
            [
                exe,
                "project",
                "points.json",
                *both,
                *limits,
                "-o",
                "gated.json",
                "--export",
                "html=gated.html",
                "-q",
            ],
            cwd=folder,
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        assert done.returncode == status, done
        gated = load(folder, "gated.json")
        assert check_gates(os.path.join(folder, "gated.html"), gated) == len(gated["gates"]) > 0


def check_hostile(exe, folder, name):
    """A hostile name as configuration, metric, point and method at once."""
    seqpoints = {
        "schema": "seqpoint/seqpoints/2",
        "run": {
            "iterations": 5,
            "samples": 20,
            "epochs": 1,
            "tokens": 300,
            "padded_tokens": 400,
            "signature": ["src_len", "batch_size"],
            "histogram": [[10, 4, 2], [20, 4, 2], [40, 4, 1]],
        },
        "method": {"name": name, "points": 2, "parameters": {}},
        "points": [
            {"id": name, "src_len": 10, "weight": 2, "share": 0.4, "iterations": [0]},
            {"id": "sp2", "src_len": 20, "weight": 3, "share": 0.6, "iterations": [1]},
        ],
    }
    with open(os.path.join(folder, "h.json"), "w", encoding="utf-8") as out:
        json.dump(seqpoints, out)
    metric = name.strip() or "runtime_s"
    for file in ("h.csv", "o.csv"):
        with open(os.path.join(folder, file), "w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(
                [["src_len", metric], [10, 1], [20, 2 if file == "h.csv" else 3]]
            )
    label = name.replace("=", " ") or "unnamed"
    run(
        exe,
        folder,
        "project",
        "h.json",
        f"--profile={label}=h.csv",
        "--profile=other=o.csv",
        f"--metric={metric}",
        "--export",
        "html=h.html",
    )
    page, embedded, tables = read_page(os.path.join(folder, "h.html"))
    assert tables["points"][0]["id"] == name
    assert visible(name) in page.text, "the name is shown as it is"
    return page


def write_million(path, statistic_of, draw):
    with open(path, "w", encoding="utf-8") as file:
        file.write("iteration,src_len,tgt_len,batch_size,tokens,runtime_s,energy_j,instructions\n")
        for i in range(1_000_000):
            s = 1 + i * 7919 % 900
            t = 1 + (s + i * 104729 % 301) % 1000
            v = statistic_of * (s + t) * draw.uniform(0.2, 2)
            file.write(f"{i},{s},{t},32,{20 * (s + t)},{v:.6f},{v * 3:.4f},{int(v * 1e6)}\n")


def check_million(exe, folder):
    """Two configurations with scattered values, three metrics: the maximum number of cells."""
    draw = random.Random(1)
    for name, cost in (("a", 0.001), ("b", 0.002)):
        write_million(os.path.join(folder, name + ".csv"), cost, draw)
    run(exe, folder, "select", "a.csv", "--method", "bins", "--points", "12", "-o", "points.json")
    run(
        exe,
        folder,
        "project",
        "points.json",
        "--profile",
        "a=a.csv",
        "--profile",
        "b=b.csv",
        "--truth",
        "a=a.csv",
        "--truth",
        "b=b.csv",
        "--metric",
        "all",
        "-o",
        "projection.json",
        "--export",
        "html=page.html",
    )
    size = os.path.getsize(os.path.join(folder, "page.html"))
    assert size < 700_000, size
    page, embedded, tables = read_page(os.path.join(folder, "page.html"))
    check_projection(page, tables, load(folder, "projection.json"))
    for table in ("costs-batches", "costs-2-batches", "costs-3-batches"):
        assert sum(row["batches"] for row in tables[table]) == 2_000_000, table
    for table in ("costs-outliers", "costs-2-outliers", "costs-3-outliers"):
        assert len(tables.get(table, [])) <= 200, table
    return size


def main():
    exe, data = os.path.abspath(sys.argv[1]), os.path.join(
        os.path.abspath(sys.argv[2]), "examples", "data"
    )
    with tempfile.TemporaryDirectory() as folder:
        if "--million" in sys.argv:
            print("a page of 1e6 iterations:", check_million(exe, folder), "bytes")
            return
        speech = {name: f"{data}/ds2-librispeech100/{name}.csv" for name in ("haswell", "skylakex")}
        pairs = {
            name: f"{data}/gnmt-multi30k/{name}.csv" for name in ("nehalem", "haswell", "skylakex")
        }
        sizes = [
            check_corpus(exe, folder, speech, False, [speech["haswell"]]),
            check_corpus(exe, folder, pairs, True, [pairs["haswell"]], "--points", "8"),
            check_corpus(
                exe, folder, pairs, False, [pairs["haswell"]], "--method", "bins", "--points", "8"
            ),
        ]
        check_libraries(sys.argv[2], read_page(os.path.join(folder, "page.html"))[0])
        check_gates_of_runs(exe, folder, pairs["nehalem"], pairs["skylakex"])
        golden = os.path.join(os.path.abspath(sys.argv[2]), "tests", "golden")
        check_phases(exe, folder, os.path.join(golden, "project", "by-phase"))
        lengths = f"{data}/librispeech-train-clean-100.csv"
        page = check_without_measurements(
            exe,
            folder,
            lengths,
            "--frame-shift",
            "0.04",
            "--batch-size",
            "64",
            "--shape",
            "varlen",
        )
        assert "number of tokens" in page.text
        check_without_measurements(
            exe,
            folder,
            lengths,
            "--frame-shift",
            "0.04",
            "--batch-size",
            "64",
            "--sampler",
            "sorted",
            "--parts",
            "3",
        )
        for name in HOSTILE:
            check_hostile(exe, folder, name)
    print(len(HOSTILE), "hostile names; pages of", ", ".join(map(str, sizes)), "bytes")


main()
