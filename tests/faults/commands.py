"""The inputs that are made, and a command line of every kind that reads or writes."""
import gzip
import random
import struct
import subprocess

from workshop import Case, environment

GOLDEN = "tests/golden"


def zstd_frame(data):
    """Stored, not compressed: a window of 2 MB, one raw block (RFC 8878)."""
    return b"\x28\xb5\x2f\xfd\x00\x58" + struct.pack("<I", len(data) << 3 | 1)[:3] + data


def write_manifests(folder, draw):
    lengths = [draw.randint(5, 60) for _ in range(64)]
    text = "".join(f"{length}\n" for length in lengths)
    (folder / "train.len").write_text(text)
    (folder / "target.len").write_text(
        "".join(f"{length + draw.randint(0, 5)}\n" for length in lengths)
    )
    lines = "".join(
        f'{{"audio_filepath": "/d/{i}.wav", "num_tokens": {n}}}\n' for i, n in enumerate(lengths)
    )
    (folder / "train.jsonl").write_text(lines)
    (folder / "train.jsonl.gz").write_bytes(gzip.compress(lines.encode(), mtime=0))
    (folder / "train.jsonl.zst").write_bytes(zstd_frame(lines.encode()))
    # Larger than a block, so that it is parsed on several threads and mapped.
    many = "".join(
        f'{{"audio_filepath": "/d/{i}.wav", "num_tokens": {draw.randint(5, 60)}}}\n'
        for i in range(60000)
    )
    (folder / "many.jsonl").write_text(many)


def write_measurements(folder):
    rows = [f"{i},{20 + i * 37 % 100},10" for i in range(100)]
    (folder / "run.csv").write_text("iteration,src_len,batch_size\n" + "\n".join(rows) + "\n")
    timed = [f"{row},{0.01 + 0.002 * int(row.split(',')[1]):.3f}" for row in rows]
    head = "iteration,src_len,batch_size,runtime_s\n"
    (folder / "timed.csv").write_text(head + "\n".join(timed) + "\n")
    (folder / "log.csv").write_text(head + "\n".join(timed[:60]) + "\n")


def write_inputs(folder, source, seed=1):
    folder.mkdir(parents=True)
    write_manifests(folder, random.Random(seed))
    write_measurements(folder)
    golden = source / GOLDEN
    for name, path in {
        "points.json": "project/common-explain/points.json",
        "clean.csv": "project/common-explain/clean.csv",
        "run.sqlite": "inspect/common/run.sqlite",
        "trace.json": "inspect/common/trace.json",
    }.items():
        (folder / name).write_bytes((golden / path).read_bytes())


def write_products(program, root):
    """Inputs that the program itself makes of the others, in root/in."""
    for arguments in (
        "select in/train.jsonl --batch-size 4 --points 3 -q -o in/chosen.json",
        "project in/points.json --profile v1=in/clean.csv -q -o in/earlier.json",
    ):
        subprocess.run(
            [program, *arguments.split()],
            cwd=root,
            env=environment(),
            stdout=subprocess.DEVNULL,
            check=True,
        )


def prepare(program, source, root):
    """The folder of inputs."""
    write_inputs(root / "in", source)
    write_products(program, root)
    return root / "in"


EXPORTS = ("p.json", "p.csv", "p.md", "j.xml", "g.json")

CASES = (
    Case("scan", "scan in/train.len --batch-size 4 -o out/trace.csv", ["trace.csv"]),
    Case("scan-pair", "scan in/train.len --tgt in/target.len --batch-size 4 -q"),
    Case("scan-gzip", "scan in/train.jsonl.gz --batch-size 4 -o out/trace.csv", ["trace.csv"]),
    Case("scan-zstd", "scan in/train.jsonl.zst --batch-size 4 -o out/trace.csv", ["trace.csv"]),
    Case(
        "scan-stdin", "scan - --batch-size 4 -o out/trace.csv", ["trace.csv"], stdin="train.jsonl"
    ),
    Case(
        "scan-threads",
        "scan in/many.jsonl --threads 4 --lengths-only -o out/lengths.csv",
        ["lengths.csv"],
    ),
    Case("summary", "scan in/run.csv --summary --json -q"),
    Case(
        "summary-files",
        (
            "scan in/train.len --batch-size 4 --summary --export json=out/f.json --export "
            "csv=out/f.csv"
        ),
        ["f.json", "f.csv"],
    ),
    Case(
        "select",
        "select in/train.jsonl --batch-size 4 --points 3 -o out/points.json",
        ["points.json"],
    ),
    Case("plan", "plan in/chosen.json -o out/plan", folder="plan"),
    Case("inspect", "inspect in/trace.json --export csv=out/steps.csv", ["steps.csv"]),
    Case("inspect-sqlite", "inspect in/run.sqlite -o out/steps.json", ["steps.json"]),
    Case("inspect-sqlite-stdin", "inspect - -o out/steps.json", ["steps.json"], stdin="run.sqlite"),
    Case(
        "project",
        "project in/points.json --profile v1=in/clean.csv --against in/earlier.json "
        "--max-regression 50% "
        "-o out/p.json --export csv=out/p.csv --export markdown=out/p.md --export junit=out/j.xml",
        EXPORTS,
    ),
    Case("project-stdout", "project in/points.json --profile v1=in/clean.csv -q"),
    Case(
        "explain",
        "project in/points.json --profile v1=in/clean.csv --explain -o out/d.json",
        ["d.json"],
    ),
    Case("evaluate", "evaluate v1=in/timed.csv --method median -o out/e.json", ["e.json"]),
    Case(
        "page",
        "project in/points.json --profile v1=in/clean.csv --export html=out/page.html",
        ["page.html"],
    ),
    Case("list", "list formats -q"),
    Case("schema", "list schemas plan -o out/schema.json", ["schema.json"]),
)
