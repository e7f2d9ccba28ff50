#!/usr/bin/env python3
"""Checks that words.py reports words that are written again, and no others."""
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from words import check

TABLE = """inline constexpr std::array<Word<Kind>, 2> kKinds{{{"total", Kind::total, "adds up"},
                                                   {"gpu-sum", Kind::gpu_sum}}};
"""
WRONG = [
    'if (name == "total") return Kind::total;',
    'case project::Kind::gpu_sum: return "gpu-sum";',
]
RIGHT = [
    'if (column == "total") return 1;',
    "return kind == Kind::total;",
    'case Kind::total: return "sum";',
]


def complaints(text, table=TABLE):
    with tempfile.TemporaryDirectory() as folder:
        for name, content in {
            "include/seqpoint/kind.hpp": table,
            "src/io/a.cpp": text + "\n",
        }.items():
            Path(folder, name).parent.mkdir(parents=True, exist_ok=True)
            Path(folder, name).write_text(content)
        return check(Path(folder).resolve())


failed = [f"missed: {text}" for text in WRONG if not complaints(text)]
failed += [f"complained of {text}" for text in RIGHT if complaints(text)]
failed += ["missed: no table"] if not complaints("", "") else []
print("\n".join(failed))
sys.exit(1 if failed else 0)
