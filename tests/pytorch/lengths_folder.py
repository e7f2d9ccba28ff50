"""Runs `python3 -m seqpoint_companion lengths` in a folder of its own, for its tests.

The companion must be on the path when this is imported.
"""

import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path

from seqpoint_companion.lengths import lengths_command


class Folder(unittest.TestCase):
    """Runs the command in a temporary folder, in which it writes lengths.csv."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def run_command(self, *arguments):
        """The exit status and standard error."""
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = lengths_command.main([*map(str, arguments), "-o", "lengths.csv"])
        return status, said.getvalue()

    def lengths(self, *arguments):
        """The lengths that it writes; pairs of source and target if there are two columns."""
        status, said = self.run_command(*arguments)
        self.assertEqual(status, 0, said)
        rows = [tuple(map(int, row.split(","))) for row in self.lines()[1:]]
        return [row[0] if len(row) == 1 else row for row in rows]

    @staticmethod
    def lines():
        return Path("lengths.csv").read_text().splitlines()

    def refusal(self, *arguments, status=3):
        """The message for that exit status. Also checks that no file is left."""
        Path("lengths.csv").unlink(missing_ok=True)
        ended, said = self.run_command(*arguments)
        self.assertEqual(ended, status, said)
        self.assertFalse([name for name in os.listdir() if "lengths.csv" in name], said)
        return said
