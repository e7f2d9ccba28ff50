"""examples/clusters/job.yaml is an Indexed Job that runs the processes of a plan:

    kubernetes.py EXE SOURCE_DIR

The file is compared with the structure of batch/v1 Job, as far as it is used here. The command of
its container is run for every index with the variables that Kubernetes sets. No cluster is used.
Ends with 77 if Python has no YAML.
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
FILE = Path(sys.argv[2]) / "examples" / "clusters" / "job.yaml"
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


def check_form(job):
    conform(job, JOB)
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    spec, pod = job["spec"], job["spec"]["template"]["spec"]
    assert (spec["completionMode"], spec["parallelism"]) == ("Indexed", 1), "one after the other"
    assert pod["restartPolicy"] == "Never"  # an index has a limit of its own only with this
    (mount,) = pod["containers"][0]["volumeMounts"]
    assert mount["name"] == pod["volumes"][0]["name"]
    return spec["completions"], pod["containers"][0], mount["mountPath"]


def run_process(container, index, command):
    """Runs the container's command for an index, as Kubernetes does."""
    variables = {"JOB_COMPLETION_INDEX": str(index), "HOSTNAME": f"pod-{index}"}
    words = [expanded(word, variables) for word in container["command"]]
    done = subprocess.run([*words, *command], env={**os.environ, **variables}, cwd="/")
    return done.returncode


def main():
    with tempfile.TemporaryDirectory() as folder:
        claim = Path(folder).resolve()
        text = FILE.read_text(encoding="utf-8")
        processes, container, mounted = check_form(yaml.safe_load(text))
        # The claim lies here instead of at its place in the container.
        container["command"] = [word.replace(mounted, str(claim)) for word in container["command"]]
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
    print("every process of the plan")


main()
