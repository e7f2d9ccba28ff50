"""Pages of the examples: the program makes them in a folder that also contains the examples."""
import os
import shlex
import subprocess

DATA = "examples/data"


def measured(option, corpus, names):
    return [part for name in names for part in (option, f"{name}={DATA}/{corpus}/{name}.csv")]


class ExamplePages:
    """Every function writes a page and gives its name; `commands` has what was run for it."""

    def __init__(self, exe, source, folder):
        self.exe, self.folder, self.commands = exe, folder, {}
        os.symlink(os.path.join(source, "examples"), os.path.join(folder, "examples"))

    def run(self, *arguments, status=0):
        done = subprocess.run(
            [self.exe, *arguments, "-q"],
            cwd=self.folder,
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=None if status == 0 else subprocess.DEVNULL,
        )
        assert done.returncode == status, done
        return shlex.join(["seqpoint", *arguments])

    def page(self, name, *commands):
        self.commands[name] = [self.run(*command) for command in commands]
        return name

    def librispeech(self):
        run = [
            f"{DATA}/librispeech-train-clean-100.csv",
            "--sampler",
            "sorted",
            "--batch-size",
            "64",
            "--frame-shift",
            "0.04",
        ]
        machines = ["haswell", "skylakex"]
        return self.page(
            "librispeech.html",
            ["select", *run, "-o", "speech.json"],
            [
                "project",
                "speech.json",
                *measured("--profile", "ds2-librispeech100", machines),
                "--metric",
                "runtime_s",
                *measured("--truth", "ds2-librispeech100", machines),
                "--export",
                "html=librispeech.html",
            ],
        )

    def gnmt(self):
        machines = ["nehalem", "haswell", "skylakex"]
        return self.page(
            "gnmt.html",
            ["select", f"{DATA}/gnmt-multi30k/haswell.csv", "--points", "8", "-o", "pairs.json"],
            [
                "project",
                "pairs.json",
                *measured("--profile", "gnmt-multi30k", machines),
                "--metric",
                "runtime_s",
                "--require-weight",
                "90%",
                "--max-regression",
                "5%",
                *measured("--truth", "gnmt-multi30k", machines),
                "--export",
                "html=gnmt.html",
            ],
        )

    def failed(self):
        """Points close to each other, limits that are not met, points without a measurement."""
        self.run("select", f"{DATA}/gnmt-multi30k/haswell.csv", "--points", "24", "-o", "many.json")
        with open(
            os.path.join(self.folder, DATA, "gnmt-multi30k", "haswell.csv"), encoding="utf-8"
        ) as file:
            rows = file.read().splitlines()
        column = rows[0].split(",").index("src_len")
        longest = max(int(row.split(",")[column]) for row in rows[1:])
        with open(os.path.join(self.folder, "gap.csv"), "w", encoding="utf-8") as file:
            file.write(
                "\n".join(
                    row
                    for row in rows
                    if row.split(",")[column] not in {str(longest - i) for i in range(12)}
                )
                + "\n"
            )
        machines = ["skylakex", "nehalem"]
        self.commands["failed.html"] = [
            self.run(
                "project",
                "many.json",
                *measured("--profile", "gnmt-multi30k", ["skylakex", "nehalem"]),
                "--profile",
                "gap=gap.csv",
                "--metric",
                "runtime_s",
                "--max-regression",
                "5%",
                "--require-weight",
                "99%",
                *measured("--truth", "gnmt-multi30k", machines),
                "--export",
                "html=failed.html",
                status=1,
            )
        ]
        return "failed.html"

    def evaluation(self):
        runs = [
            f"{name}={DATA}/gnmt-multi30k/{name}.csv" for name in ("nehalem", "haswell", "skylakex")
        ]
        return self.page(
            "evaluation.html",
            [
                "evaluate",
                *runs,
                "--draws",
                "5",
                "--points",
                "8",
                "--export",
                "html=evaluation.html",
            ],
        )
