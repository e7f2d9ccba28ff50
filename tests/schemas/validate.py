"""Every JSON output of the golden cases, checked with the published schemas by a foreign validator:

    validate.py EXE SOURCE_DIR

Runs each case of tests/golden again, with a wrapper around EXE that keeps its standard output and
its -o file (plan.json of a folder). Ends with 77 if Python has no jsonschema (Debian:
python3-jsonschema).
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

try:
    from jsonschema import Draft202012Validator
except ImportError:
    print("skipped: this Python has no jsonschema; tools/setup.sh test installs it")
    sys.exit(77)

KINDS = ["seqpoints", "projection", "evaluation", "profile", "plan", "forecast", "run"]
AT_LEAST = {
    "seqpoints": 30,
    "projection": 10,
    "evaluation": 4,
    "plan": 10,
    "forecast": 3,
    "run": 1,
}  # fewer would mean that nothing was collected
# Output that few golden cases write: (files from this golden folder, command).
MORE = [
    ("evaluate/common", "seqpoint evaluate v1=v1.csv v2=v2.csv --draws 3 --fail-above 1% --json"),
    ("evaluate/common", "seqpoint evaluate v1=v1.csv --draws 1 --points 2 --json"),
    (
        "project/common",
        "printf 'src_len,runtime_s,util_pct,mem_mb\\n10,1,50,1\\n20,2,,3\\n' >v3.csv; seqpoint "
        "project points.json --profile v1=v1.csv "
        "--profile v3=v3.csv --aggregate util_pct=rate --aggregate mem_mb=max --epoch-overhead 1 "
        "--max-regression 5% --require-weight 90% --json",
    ),
    (
        "project/common",
        "printf 'src_len,batch_size\\n10,4\\n50,4\\n' >a.csv; seqpoint project points.json "
        "--profile v1=v1.csv --profile v2=v2.csv "
        "--for a.csv --epoch-overhead 2 --cold-start-cost 1 --json",
    ),
    ("scan/common", "seqpoint scan --summary list.txt --batch-size 3 --epochs 2 --json"),
    (
        "scan/common",
        (
            "seqpoint scan --summary list.txt --sampler megatron:seq-length=8 --batch-size 1 "
            "--shape varlen --json"
        ),
    ),
    (
        "project/common-explain",
        "seqpoint project points.json --explain --profile v1=clean.csv --json",
    ),
    (
        "project/common-explain",
        (
            "head -9 clean.csv | grep -v sp3 >some.csv; seqpoint project points.json --explain "
            "--profile v1=clean.csv --profile v1=some.csv --json"
        ),
    ),
    (
        "project/common-explain",
        (
            "grep 'point\\|sp[36]' clean.csv >two.csv; seqpoint project points.json --explain "
            "--profile v1=two.csv --json"
        ),
    ),
    (
        "scan/common",
        "seqpoint run -o jobs --max-processes 2 -- python3 SOURCE/tests/run/fake_job.py",
    ),
    (
        "project/common-page",
        "seqpoint project points.json --profile v1=run.csv --truth run.csv --json",
    ),
]
WRITES_JSON = re.compile(
    r"seqpoint (select|plan|project|evaluate|inspect|scan|run)\b.*( -o |--json|--export json)"
)
KEEPER = """#!/usr/bin/env bash
kept=$(mktemp -d "$KEPT/XXXXXX")
"$REAL" "$@" | tee -p "$kept/stdout"
status=${PIPESTATUS[0]}
while (( $# )); do
  case $1 in
    -o | --output)
      [[ -f ${2-} ]] && cp "$2" "$kept/file"
      for name in plan run; do
        [[ -f ${2-}/$name.json ]] && cp "$2/$name.json" "$kept/$name"
      done ;;
  esac
  shift
done
exit "$status"
"""
# Until there is a profile among the golden cases; and the keys that scripts rely on.
INSPECTION = {
    "schema": "seqpoint/profile/2",
    "format": "kineto",
    "unattributed_gpu_ops": 0,
    "steps": [
        {
            "key": "ProfilerStep#101",
            "host_ns": 35115869,
            "gpu_ops": 1219,
            "gpu_sum_ns": 94569795,
            "gpu_busy_ns": 94569795,
            "gpu_span_ns": None,
            "weak_gpu_ops": 0,
            "weak_gpu_sum_ns": 0,
            "warmup": False,
        }
    ],
}


def refuse(constant):
    raise ValueError(f"{constant} is no JSON")


def load_schemas(exe, source):
    schemas = {}
    for kind in KINDS:
        with open(os.path.join(source, "share", "schemas", kind + ".json"), "rb") as file:
            text = file.read()
        printed = subprocess.run(
            [exe, "list", "schemas", kind], stdout=subprocess.PIPE, check=True
        ).stdout
        assert printed == text, f"`seqpoint list schemas {kind}` is not share/schemas/{kind}.json"
        schemas[kind] = json.loads(text)
        Draft202012Validator.check_schema(schemas[kind])
        assert re.fullmatch(
            f"seqpoint/{kind}/[1-9]", schemas[kind]["properties"]["schema"]["const"]
        )
    for name in {name for schema in schemas.values() for name in schema["$defs"]} & {
        "provenance",
        "gate",
        "count",
        "positive",
    }:
        texts = {
            json.dumps(schema["$defs"][name])
            for schema in schemas.values()
            if name in schema["$defs"]
        }
        assert len(texts) == 1, f"$defs/{name} is not the same in all schemas"
    return schemas


def cases(source):
    golden = os.path.join(source, "tests", "golden")
    for command in sorted(os.listdir(golden)):
        for case in (
            sorted(os.listdir(os.path.join(golden, command)))
            if os.path.isdir(os.path.join(golden, command))
            else []
        ):
            cmd = os.path.join(golden, command, case, "cmd")
            if os.path.exists(cmd) and WRITES_JSON.search(
                open(cmd, encoding="utf-8", errors="replace").read()
            ):
                yield os.path.join(golden, command, case)


def run_case(case, exe, command=("cmd",)):
    """The bytes of every artefact that the case's command makes; `command` are bash's arguments."""
    with tempfile.TemporaryDirectory() as sandbox:
        for folder in ("bin", "home", "tmp", "kept"):
            os.mkdir(os.path.join(sandbox, folder))
        keeper = os.path.join(sandbox, "bin", "seqpoint")
        with open(keeper, "w", encoding="utf-8") as file:
            file.write(KEEPER)
        os.chmod(keeper, 0o755)
        work = os.path.join(sandbox, "work")
        shutil.copytree(case, work)
        environment = {
            "PATH": os.path.join(sandbox, "bin") + ":" + os.environ["PATH"],
            "HOME": os.path.join(sandbox, "home"),
            "TMPDIR": os.path.join(sandbox, "tmp"),
            "LC_ALL": "C",
            "TERM": "xterm",
            "REAL": exe,
            "KEPT": os.path.join(sandbox, "kept"),
        }
        subprocess.run(
            ["bash", "-o", "pipefail", *command],
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
            timeout=100,
        )
        for folder, _, files in os.walk(os.path.join(sandbox, "kept")):
            for name in files:
                with open(os.path.join(folder, name), "rb") as file:
                    bytes_ = file.read()
                if bytes_.startswith(b'{\n "schema": "seqpoint/'):
                    yield bytes_


def check_that_it_can_fail(kind, schema, artefact):
    """A schema that lets everything pass would be no check of anything."""
    validator = Draft202012Validator(schema)
    for key in schema["required"]:
        assert not validator.is_valid(
            {k: v for k, v in artefact.items() if k != key}
        ), f"{kind}: {key} can be missing"
    for key in artefact.keys() & schema["properties"].keys():
        assert not validator.is_valid({**artefact, key: True}), f"{kind}: {key} can be anything"
    assert validator.is_valid(
        {**artefact, "a key of a later version": [1]}
    ), f"{kind}: unknown keys are refused"
    for part in ("run", "method"):
        if part in artefact:
            assert validator.is_valid(
                {**artefact, part: {**artefact[part], "later": {"x": None}}}
            ), f"{kind}: unknown keys are refused"


def main():
    exe, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    schemas = load_schemas(exe, source)
    found = {kind: [] for kind in KINDS}
    ran = 0
    runs = [(case, run_case(case, exe)) for case in cases(source)]
    runs += [
        (
            command,
            run_case(
                os.path.join(source, "tests", "golden", folder),
                exe,
                ("-c", command.replace("SOURCE", source)),
            ),
        )
        for folder, command in MORE
    ]
    for case, texts in runs:
        ran += 1
        for text in texts:
            artefact = json.loads(text.decode("utf-8"), parse_constant=refuse)
            kind = artefact["schema"].split("/")[1]
            errors = [
                f"{'/'.join(map(str, e.absolute_path))}: {e.message}"
                for e in Draft202012Validator(schemas[kind]).iter_errors(artefact)
            ]
            assert not errors, f"{case}: {errors[:5]}"
            found[kind].append(artefact)
    found["profile"].append(INSPECTION)
    for kind, artefacts in found.items():
        assert len(artefacts) >= AT_LEAST.get(kind, 1), f"only {len(artefacts)} of {kind}"
        check_that_it_can_fail(kind, schemas[kind], artefacts[0])
    assert Draft202012Validator(schemas["profile"]).is_valid(INSPECTION)
    print(ran, "cases:", ", ".join(f"{len(a)} {kind}" for kind, a in found.items()))


main()
