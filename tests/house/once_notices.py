#!/usr/bin/env python3
"""Checks that once.py reports duplicates and misplaced code, and nothing else."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from once import check

COLUMNS = '{"configuration", "metric", "kind", "value", "low", "high"}'
CLEAN = {
    "src/io/views/a.cpp": f"DataTable table{COLUMNS};\n",
    "src/io/views/html/charts/a_chart.cpp": "plot.add(disc);\n",
    "src/core/batching/distribute.cpp": "sink({.epoch = e});\n",
    "src/io/manifests/a.cpp": "// Rows go on\n// Of these some.\nint a;  ///< of a row\n",
}
WRONG = [
    {"src/io/views/b.cpp": f"DataTable other{COLUMNS};\n"},
    {"src/io/views/html/charts/b_chart.cpp": "const Scale x(0, 1, 0, 100);\n"},
    {"src/io/views/html/charts/b_chart.cpp": 'svg.mark("circle", {});\n'},
    {"src/core/batching/frameworks/new.cpp": "sink({.epoch = e, .rows = rows});\n"},
    {"src/core/batching/frameworks/new.cpp": "using Samples = std::vector<std::uint32_t>;\n"},
    {"src/core/batching/distribute.cpp": "/// Of a batch.\nint rows();\n"},
    {"src/io/manifests/a.cpp": "int a;  ///< Of a row\n"},
]


def complaints(changed):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in {**CLEAN, **changed}.items():
            Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, name).write_text(content)
        return check(Path(folder).resolve())


failed = [f"missed: {changed}" for changed in WRONG if not complaints(changed)]
failed += [f"complained: {found}" for found in complaints({})]
print("\n".join(failed))
sys.exit(1 if failed else 0)
