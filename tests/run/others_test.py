"""A job's files beside those of others: what `run` leaves of either.

    others_test.py PROGRAM SOURCE_DIR [TEST...]
"""

import os
import re
import shlex
import unittest

import others
from run_test import PYTHON, Folder, job

OPTIONS = ("--max-processes", "2", "--precision", "99%")


class Others(Folder):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("job"))
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.path("job"))

    def run_script(self, script, *options):
        """Runs a shell's script before a job with made-up times, in each of its starts."""
        command = f"{script}; {shlex.join(job())}"
        return self.run_it(*OPTIONS, *options, "--", command, cwd="job")

    def test_another_program_touches_the_same_files(self):
        """The first start has all cases. Files of others really change, which would end the run."""
        others.make()
        touch = shlex.join([PYTHON, others.__file__, "job"])
        done = self.run_script(f"test -e done || {{ {touch} && echo > done; }}", "--allow-writes")
        self.assertEqual(others.wrong(), {})
        removed = sum(others.Expected(*case).removed for _, case in others.CASES)
        self.assertRegex(
            done.stdout,
            rf"(?m)^files .*; {removed} new files were removed; .* and \d+ others stay: ",
        )

    def test_what_stays_is_named_and_what_is_removed_is_counted(self):
        python = (
            "import os, sqlite3; os.mkdir('out'); open('out/model.pt', 'w'); open('log.csv', 'w')\n"
            "open('a.pt', 'w'); open('b.pt', 'w')\n"
            "sqlite3.connect('t.db').execute('create table t(x)')"
        )
        script = shlex.join([PYTHON, "-c", python])
        done = self.run_script(
            f"test -e out || {{ {script}; echo row >> log.csv; touch out/mine; }}"
        )
        self.assertIn(
            "\nfiles      3 new files were removed; log.csv, out and t.db stay: they are not as "
            "the job left them\n",
            done.stdout,
        )
        self.assertEqual(sorted(os.listdir(".")), ["log.csv", "out", "seqpoint-run", "t.db"])
        self.assertEqual(os.listdir("out"), ["mine"])

    def test_what_stays_of_a_job_that_fails_is_named(self):
        make = shlex.join([PYTHON, "-c", "open('log.csv', 'w'); open('a.pt', 'w')"])
        command = f"{make}; echo row >> log.csv; {shlex.join(job('--do', 'fail'))}"
        done = self.run_it("--", command, status=3, cwd="job")
        stays = "log.csv stays: it is not as the job left it"
        self.assertIn(f"warning: seqpoint-run/order.log: {stays}\n", done.stderr)
        self.assertEqual(sorted(os.listdir(".")), ["log.csv", "seqpoint-run"])

    def test_an_old_folder_that_each_start_renames(self):
        os.makedirs("runs/exp1")
        others.write("runs/exp1/best.pt", "weights\n")
        python = "import os; os.rename('runs', 'runs.bak'); os.listdir('runs.bak/exp1')"
        done = self.run_script(shlex.join([PYTHON, "-c", python]))
        self.assertIn("\nfiles      runs stayed as it was\n", done.stdout)
        self.assertEqual(sorted(os.listdir(".")), ["runs", "seqpoint-run"])

    def test_files_that_are_written_by_descriptor_and_removed(self):
        """As tempfile does, to find a folder that it can write into."""
        script = (
            "import os, tempfile\n"
            "file = os.open('x', os.O_RDWR | os.O_CREAT | os.O_EXCL); os.write(file, b'x')\n"
            "os.close(file); os.unlink('x'); assert not os.path.exists('x')\n"
            "os.environ['TMPDIR'] = os.getcwd(); tempfile.gettempdir()"
        )
        done = self.run_script(shlex.join([PYTHON, "-c", script]))
        self.assertEqual(os.listdir("."), ["seqpoint-run"], done.stdout)
        self.assertNotIn("stayed as", done.stdout)

    def test_files_that_are_written_in_many_ways(self):
        """Staging folders, links, mapped memory, several processes; one is open at the end."""
        script = (
            "import mmap, os, pathlib, shutil, subprocess, sys, tempfile\n"
            "os.makedirs('out/tmp-1/deep'); pathlib.Path('out/tmp-1/deep/a').write_text('a')\n"
            "os.rename('out/tmp-1', 'out/1'); os.link('out/1/deep/a', 'b'); os.remove('b')\n"
            "shutil.copy('out/1/deep/a', 'out/c'); os.symlink('c', 'out/latest')\n"
            "with tempfile.NamedTemporaryFile('w', dir='.', delete=False) as file:\n"
            "  file.write('x'); os.chmod(file.name, 0o600); os.replace(file.name, 'd')\n"
            "with tempfile.TemporaryDirectory(dir='.') as folder: os.system(f'touch {folder}/z')\n"
            "log = open('log', 'a'); log.write('row'); log.flush(); os.fsync(log.fileno())\n"
            "raw = open('raw', 'ab', 0); raw.write(b'row'); log.write('row'); raw.write(b'row')\n"
            "if os.fork(): os.wait(); log.write('row')\n"
            "else: log.write('child'); log.flush(); os._exit(0)\n"
            "rank = 'open(\\'log\\', \\'a\\').write(\\'rank\\')'\n"
            "subprocess.run([sys.executable, '-c', rank], check=True); log.write('row')\n"
            "with open('cache', 'w+b') as file:\n"
            "  file.truncate(9); memory = mmap.mmap(file.fileno(), 9)\n"
            "memory[0] = 1\n"
        )
        done = self.run_script(shlex.join([PYTHON, "-c", script]))
        self.assertEqual(os.listdir("."), ["seqpoint-run"], done.stdout)
        (removed,) = re.findall(r"(?m)^files +(\d+) new files were removed$", done.stdout)
        self.assertEqual(int(removed) % 7, 0)


if __name__ == "__main__":
    unittest.main()
