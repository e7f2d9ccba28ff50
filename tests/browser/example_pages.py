"""Pages of the examples: the program makes them in a folder that also contains the examples."""
import csv
import json
import os
import shlex
import subprocess

DATA = "examples/data"


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


class ExamplePages:
    """Every function writes a page and gives its name; `commands` has what was run for it."""

    def __init__(self, exe, source, folder):
        self.exe, self.source, self.folder, self.commands, self.said = exe, source, folder, {}, ""
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

    def page(self, name, made, command, status=0):
        """Makes the page by the command; `made` is the command that made its points."""
        self.commands[name] = [made, self.run(*command, status=status)]
        return name

    def measured(self, points, corpus, names, full=True):
        """Options for the times of single measurements in the logs of a corpus: the first three of
        each point's shape as profiles and, if `full`, all of them as the truth."""
        with open(os.path.join(self.folder, points), encoding="utf-8") as file:
            chosen = json.load(file)["points"]
        options = []
        for name in names:
            rows = rows_of(os.path.join(self.folder, DATA, corpus, name + ".csv"))
            for row in rows:
                row["runtime_s"] = row.pop("single_s")
            shape = [key for key in ("src_len", "tgt_len", "batch_size") if key in rows[0]]
            at_points = []
            for point in chosen:
                at_shape = [
                    row for row in rows if all(int(row[key]) == point[key] for key in shape)
                ]
                at_points += [
                    {key: row[key] for key in [*shape, "runtime_s"]} for row in at_shape[:3]
                ]
            write_rows(os.path.join(self.folder, f"{corpus}-{name}.csv"), at_points)
            write_rows(os.path.join(self.folder, f"{corpus}-{name}-epoch.csv"), rows)
            options += ["--profile", f"{name}={corpus}-{name}.csv"]
            options += ["--truth", f"{name}={corpus}-{name}-epoch.csv"] if full else []
        return options

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
        selected = self.run("select", *run, "-o", "speech.json")
        return self.page(
            "librispeech.html",
            selected,
            [
                "project",
                "speech.json",
                *self.measured("speech.json", "ds2-librispeech100", ["haswell", "skylakex"]),
                "--export",
                "html=librispeech.html",
            ],
        )

    def gnmt(self):
        log = f"{DATA}/gnmt-multi30k/haswell.csv"
        selected = self.run("select", log, "--points", "8", "-o", "pairs.json")
        return self.page(
            "gnmt.html",
            selected,
            [
                "project",
                "pairs.json",
                *self.measured("pairs.json", "gnmt-multi30k", ["nehalem", "haswell", "skylakex"]),
                "--require-weight",
                "90%",
                "--max-regression",
                "5%",
                "--export",
                "html=gnmt.html",
            ],
        )

    def failed(self):
        """Points close to each other, limits that are not met, points without a measurement."""
        log = f"{DATA}/gnmt-multi30k/haswell.csv"
        selected = self.run("select", log, "--points", "24", "-o", "many.json")
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
        options = []
        for name in ("skylakex", "nehalem"):
            log = f"{name}={DATA}/gnmt-multi30k/{name}.csv"
            options += ["--profile", log, "--truth", log]
        return self.page(
            "failed.html",
            selected,
            [
                "project",
                "many.json",
                *options,
                "--profile",
                "gap=gap.csv",
                "--metric",
                "runtime_s",
                "--max-regression",
                "5%",
                "--require-weight",
                "99%",
                "--export",
                "html=failed.html",
            ],
            status=1,
        )

    def processes(self):
        """Four processes, of which the last was slowed down. `said` is what the terminal showed."""
        case = os.path.join(self.source, "tests", "golden", "project", "a-disturbed-process")
        names = ["1.csv", "2.csv", "3.csv", "4.csv"]
        for name, factor in zip(names, (1.004, 1.008, 1.012, 20)):
            rows = rows_of(os.path.join(case, "clean.csv"))
            for row in rows:
                row["runtime_s"] = float(row["runtime_s"]) * factor
                row["session"] = name
            write_rows(os.path.join(self.folder, name), rows)
        points = os.path.join(case, "points.json")
        done = subprocess.run(
            [self.exe, "project", points, *names, "--export", "html=processes.html"],
            cwd=self.folder,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = done.stderr
        return "processes.html"

    def one(self):
        """One configuration in three processes, as the page of a run."""
        points = os.path.join(
            self.source, "tests", "golden", "project", "a-disturbed-process", "points.json"
        )
        files = ["1.csv", "2.csv", "3.csv"]
        self.run("project", points, *files, "--export", "html=one.html")
        return "one.html"

    def evaluation(self):
        runs = [
            f"{name}={DATA}/gnmt-multi30k/{name}.csv" for name in ("nehalem", "haswell", "skylakex")
        ]
        options = ["--draws", "5", "--points", "8", "--export", "html=evaluation.html"]
        self.run("evaluate", *runs, *options)
        return "evaluation.html"

    def one_shape(self):
        """Batches of one shape, which became slower in the course of two of three processes."""
        with open(os.path.join(self.folder, "same.txt"), "w", encoding="utf-8") as file:
            file.write("128\n" * 4000)
        self.run("select", "same.txt", "--batch-size", "8", "-o", "same.json")
        files = []
        for process in range(3):
            files.append(f"same-{process + 1}.csv")
            rows = [
                {
                    "point": "sp1",
                    "runtime_s": f"{0.1 * (1 + process * i / 4000) + i % 7 / 5000:.6f}",
                }
                for i in range(120)
            ]
            write_rows(os.path.join(self.folder, files[-1]), rows)
        self.run("project", "same.json", *files, "--export", "html=one-shape.html")
        return "one-shape.html"

    def phases(self):
        """Two builds of three processes; the backward pass of one takes longer in long batches."""
        case = os.path.join(self.source, "tests", "golden", "project", "by-phase")
        options = []
        for build, slower in (("old", 1), ("new", 1.2)):
            for process in (1, 2, 3):
                path = f"{build}-{process}.csv"
                options += ["--profile", f"{build}={path}"]
                rows = []
                for row in rows_of(os.path.join(case, "clean.csv")):
                    total = float(row["runtime_s"]) * (1 + process / 1000)
                    backward = 0.6 * total * (slower if row["point"] >= "sp6" else 1)
                    rows.append(
                        {
                            "point": row["point"],
                            "runtime_s": 0.4 * total + backward,
                            "forward_s": 0.4 * total,
                            "backward_s": backward,
                        }
                    )
                write_rows(os.path.join(self.folder, path), rows)
        points = os.path.join(case, "points.json")
        self.run("project", points, *options, "--by", "phase", "--export", "html=phases.html")
        return "phases.html"
