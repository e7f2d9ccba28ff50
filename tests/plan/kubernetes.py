"""Jobs of Kubernetes in examples/clusters: job.yaml runs the processes of a plan, run.yaml a run:

    kubernetes.py EXE SOURCE_DIR

The files are compared with the structure of batch/v1 Job, as far as it is used here; strictly with
all of it where Python has `kubernetes-validate`. The commands of their containers are run with the
variables that Kubernetes sets. No cluster is used. Ends with 77 if Python has no YAML.
"""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import yaml
except ImportError:
    print("skipped: there is no YAML for Python; apt-get install python3-yaml")
    sys.exit(77)

EXE = os.path.abspath(sys.argv[1])
SOURCE = Path(sys.argv[2]).resolve()
FAKE = SOURCE / "tests" / "run" / "fake_job.py"
VERSIONS = ("1.29", "1.33")  # of Kubernetes
# Keys of API objects that the file may have, and their values; a list of one stands for a list of
# such objects.
CONTAINER = {
    "name": str,
    "image": str,
    "command": [str],
    "args": [str],
    "volumeMounts": [{"name": str, "mountPath": str}],
}
POD = {
    "restartPolicy": str,
    "containers": [CONTAINER],
    "volumes": [{"name": str, "persistentVolumeClaim": {"claimName": str}}],
}
JOB = {
    "apiVersion": str,
    "kind": str,
    "metadata": {"generateName": str},
    "spec": {
        "completionMode": str,
        "completions": int,
        "parallelism": int,
        "backoffLimitPerIndex": int,
        "backoffLimit": int,
        "template": {"spec": POD},
    },
}


def conform(value, form, where="the file"):
    if isinstance(form, dict):
        assert isinstance(value, dict) and value.keys() <= form.keys(), f"{where}: {value}"
        for key in value:
            conform(value[key], form[key], f"{where}: {key}")
    elif isinstance(form, list):
        assert isinstance(value, list) and value, f"{where}: {value}"
        for item in value:
            conform(item, form[0], where)
    else:
        assert type(value) is form, f"{where}: {value!r} is no {form.__name__}"


def expanded(word, variables):
    """Expands a container's command as Kubernetes does.

    $(NAME) is the variable, $$ a dollar sign, any other dollar sign itself.
    """
    return re.sub(
        r"\$(?:\$|\((\w+)\))", lambda found: variables[found[1]] if found[1] else "$", word
    )


def run(*command, **more):
    return subprocess.run(
        [str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True, **more
    ).stdout


def validate(job):
    try:
        import kubernetes_validate
    except ImportError:
        return print("kubernetes-validate is not installed: its parts that are used were compared")
    for version in VERSIONS:
        kubernetes_validate.validate(job, version, strict=True)


def read_job(name, claim):
    """(its spec, its container), with the claim at another place than in the container."""
    path = SOURCE / "examples" / "clusters" / name
    job = yaml.safe_load(path.read_text(encoding="utf-8"))
    conform(job, JOB)
    validate(job)
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    pod = job["spec"]["template"]["spec"]
    assert pod["restartPolicy"] == "Never"  # an index has a limit of its own only with this
    (container,), (volume,) = pod["containers"], pod["volumes"]
    (mount,) = container["volumeMounts"]
    assert mount["name"] == volume["name"]
    container["command"] = [
        word.replace(mount["mountPath"], str(claim)) for word in container["command"]
    ]
    return job["spec"], container


def run_process(container, index, command):
    """Runs the container's command for an index, as Kubernetes does."""
    variables = {"JOB_COMPLETION_INDEX": str(index), "HOSTNAME": f"pod-{index}"}
    words = [expanded(word, variables) for word in container["command"]]
    done = subprocess.run([*words, *command], env={**os.environ, **variables}, cwd="/")
    return done.returncode


def check_run():
    """A pod runs, and the next one goes on with what an evicted one has left."""
    with tempfile.TemporaryDirectory() as folder:
        claim = Path(folder).resolve()
        _, container = read_job("run.yaml", claim)
        (claim / "bin").mkdir()
        (claim / "bin" / "seqpoint").symlink_to(EXE)
        os.environ["PATH"] = f"{claim}/bin:{os.environ['PATH']}"
        fails = f"if test -e {claim}/again; then set --; else set -- --do crash --in run-2.csv; fi"
        job = f'{fails}; exec {sys.executable} {FAKE} --batches 400 "$@"'
        assert run_process(container, 0, ["sh", "-c", job]) != 0
        kept = (claim / "run" / "run-1.csv").read_bytes()
        (claim / "again").touch()
        assert run_process(container, 1, ["sh", "-c", job]) == 0
        assert (claim / "run" / "run-1.csv").read_bytes() == kept
        assert (claim / "run" / "projection.json").exists()


def main():
    check_run()
    with tempfile.TemporaryDirectory() as folder:
        claim = Path(folder).resolve()
        spec, container = read_job("job.yaml", claim)
        assert (spec["completionMode"], spec["parallelism"]) == ("Indexed", 1), "one by one"
        processes = spec["completions"]
        (claim / "train.len").write_text("".join(f"{n}\n" for n in range(1, 41)), encoding="utf-8")
        run(EXE, "select", "-qq", "train.len", "--batch-size", 4, "-o", "points.json", cwd=claim)
        run(EXE, "plan", "-qq", "points.json", "--processes", processes, "-o", "plan", cwd=claim)

        fails = ["bash", "-c", 'echo half >"$SEQPOINT_OUT/seen"; false']
        assert run_process(container, 0, fails) != 0
        assert not list((claim / "plan" / "out").iterdir()), "a failed process has no results"
        see = 'test -e "$SEQPOINT_PLAN"; echo "$SEQPOINT_PROCESS" "$@" >"$SEQPOINT_OUT/seen"'
        for index in range(processes):
            assert run_process(container, index, ["bash", "-euc", see, "x", "a b"]) == 0
        out = claim / "plan" / "out"
        seen = [
            (out / f"process-{n}" / "seen").read_text(encoding="utf-8") for n in range(processes)
        ]
        assert seen == [f"{index} a b\n" for index in range(processes)], seen
        assert (
            run_process(container, 0, fails[:1] + ["-c", "true"]) != 0
        ), "results are not replaced"
    print("a run that goes on, and every process of a plan")


main()
