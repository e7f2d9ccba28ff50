"""How much model and code there is: python3 tools/evaluation/count.py"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from epochs import ROOT
from source import model_constants

# The model: the code that chooses and weights points, allots measurements, projects and computes
# intervals.
MODEL = (
    "src/core/select/*.hpp",
    "src/core/select/*.cpp",
    "src/core/select/methods/calibrated.cpp",
    "src/core/project/run_estimator.*",
    "src/core/project/estimate.*",
)
# Its public headers, and what brings measurements to points.
BESIDE = ("src/core/select/select.hpp", "src/core/project/measured_points.*")
# Code that every method uses.
NOT = (
    "population",
    "selection",
    "valid_selection",
    "make_plan",
    "preflight",
    "methods",
    "expected_cost",
)


def lines(patterns):
    """[(file, lines)]"""
    files = sorted(
        {path for pattern in patterns for path in ROOT.glob(pattern) if path.stem not in NOT}
    )
    return [(path.relative_to(ROOT).as_posix(), path.read_bytes().count(b"\n")) for path in files]


def main():
    constants = model_constants()
    print(f"{len(constants):6} constants of the model: {', '.join(constants)}")
    for what, patterns in (
        ("of the model", MODEL),
        ("beside it: public headers, and what brings measurements to points", BESIDE),
    ):
        counted = lines(patterns)
        for name, count in counted:
            print(f"{count:6} {name}")
        print(f"{sum(count for _, count in counted):6} lines {what}")


if __name__ == "__main__":
    main()
