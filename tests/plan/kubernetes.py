"""kubernetes.yaml of a plan is an Indexed Job with the tasks of the plan:

    kubernetes.py EXE

The file is compared with the structure of batch/v1 Job, as far as it is used here. The command of
its container is run for every index with the variables that Kubernetes sets. No cluster is used.
Ends with 77 if Python has no YAML.
"""
import json
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
# Keys of API objects that the file may have, and their values; a list of one stands for a list of
# such objects.
CONTAINER = {
    "name": str,
    "image": str,
    "command": [str],
    "args": [str],
    "volumeMounts": [{"name": str, "mountPath": str, "subPath": str}],
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


def check(folder, name, processes):
    (folder / "train.len").write_text("".join(f"{n}\n" for n in range(1, 41)), encoding="utf-8")
    run(
        EXE,
        "select",
        "-q",
        "train.len",
        "--batch-size",
        4,
        "--points",
        3,
        "-o",
        "points.json",
        cwd=folder,
    )
    run(
        EXE,
        "plan",
        "-q",
        "points.json",
        "-o",
        name,
        "--processes",
        processes,
        "--kubernetes",
        cwd=folder,
    )
    plan = folder / name
    text = (plan / "kubernetes.yaml").read_text(encoding="utf-8")
    job = yaml.safe_load(text)
    conform(job, JOB)
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
    spec, pod = job["spec"], job["spec"]["template"]["spec"]
    assert (
        spec["completionMode"] == "Indexed"
        and spec["completions"] == spec["parallelism"] == processes
    )
    assert processes == json.loads((plan / "plan.json").read_text(encoding="utf-8"))["processes"]
    assert pod["restartPolicy"] == "Never"  # an index has a limit of its own only with this
    (container,) = pod["containers"]
    (mount,) = container["volumeMounts"]
    (volume,) = pod["volumes"]
    assert mount["name"] == volume["name"] and mount["mountPath"] == str(plan), mount

    # The line at its head fills it in.
    filling = re.search(r"^# +(sed .*) \\\n# +kubernetes.yaml \| kubectl create -f -$", text, re.M)[
        1
    ]
    filled = yaml.safe_load(run("bash", "-c", filling + " kubernetes.yaml", cwd=plan))["spec"][
        "template"
    ]["spec"]
    assert (
        filled["containers"][0]["image"],
        filled["volumes"][0]["persistentVolumeClaim"]["claimName"],
    ) == ("registry/train:1", "profiling")
    assert filled["containers"][0]["args"] == ["python", "train.py"]
    filled["containers"][0].update(image="IMAGE", args=["COMMAND"])
    filled["volumes"][0]["persistentVolumeClaim"]["claimName"] = "CLAIM"
    assert filled == pod

    command = ["bash", "-c", 'echo "$SEQPOINT_PROCESS" >"$SEQPOINT_OUT/seen"']
    for index in range(processes):
        variables = {"JOB_COMPLETION_INDEX": str(index)}
        words = [expanded(word, variables) for word in container["command"]]
        run(*words, *command, env={**os.environ, **variables}, cwd="/")
    seen = [
        (plan / "out" / f"process-{index}" / "seen").read_text(encoding="utf-8").strip()
        for index in range(processes)
    ]
    assert seen == [str(index) for index in range(processes)], seen
    again = [expanded(word, {"JOB_COMPLETION_INDEX": "0"}) for word in container["command"]]
    assert run(*again, "echo", "args", stderr=subprocess.DEVNULL) == ""  # it is measured


def main():
    for name, processes in (("plan", 2), ("plan", 1), ('it\'s "my" $(plan) $$x; \\ IMAGE # é', 3)):
        with tempfile.TemporaryDirectory() as folder:
            check(Path(folder).resolve(), name, processes)
    print("three jobs")


main()
