"""Loops of JAX around seqpoint.iterate: iterate_test.py SOURCE SEQPOINT"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE, PROGRAM = (str(Path(word).resolve()) for word in sys.argv[1:3])
sys.path.insert(0, str(Path(SOURCE) / "tests" / "frameworks"))
import iterated  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from seqpoint_companion import device, libraries  # noqa: E402

EXAMPLES = Path(SOURCE) / "examples" / "jax"


class Waiting(unittest.TestCase):
    def test_what_runs_is_waited_for(self):
        @jax.jit
        def slow(x):
            return jax.lax.fori_loop(0, 300, lambda _, y: jnp.tanh(y @ x), x)

        x = jnp.eye(200)
        slow(x).block_until_ready()
        results = [slow(x + n) for n in range(3)]
        self.assertFalse(all(each.is_ready() for each in results), "it was no test")
        libraries.wait()
        self.assertTrue(all(each.is_ready() for each in results))

    def test_deleted_arrays_do_not_matter(self):
        update = jax.jit(lambda x: x + 1, donate_argnums=0)
        x = jnp.ones(1000)
        for _ in range(3):
            x = update(x)
        x.delete()
        device.wait_for_all()

    def test_an_import_alone_starts_no_backend(self):
        script = """
import jax, sys
from seqpoint_companion import device
device.wait_for_all()
assert device.name() == "cpu"
assert not sys.modules["jax._src.xla_bridge"].backends_are_initialized()
"""
        environment = {"PYTHONPATH": str(Path(SOURCE) / "python")}
        subprocess.run([sys.executable, "-c", script], env=environment, check=True)

    def test_the_device_has_a_name(self):
        jnp.ones(1).block_until_ready()
        self.assertEqual(device.name(), jax.devices()[0].device_kind)


class Runs(unittest.TestCase):
    def test_batches_by_index(self):
        rows = iterated.require_batches_of_plan(self, PROGRAM, "jax")
        self.assertIn(f"jax={jax.__version__}", rows[0]["recorded_by"])

    def test_a_stream(self):
        iterated.require_batches_of_plan(self, PROGRAM, "jax", "--stream")


class Examples(unittest.TestCase):
    def test_two_lines_are_new(self):
        before, after = (
            (EXAMPLES / name).read_text().splitlines()[1:] for name in ("before.py", "after.py")
        )
        new = [line.strip() for line in after if line not in before]
        gone = [line.strip() for line in before if line not in after]
        self.assertEqual(gone, ["for words in make_batches():"])
        self.assertEqual(new, ["import seqpoint", "for words in seqpoint.iterate(make_batches()):"])

    def test_it_is_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            done = iterated.run(PROGRAM, [EXAMPLES / "after.py"], folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("iterate at after.py:44: 500 batches", done.stderr)
        self.assertRegex(done.stdout, r"(?m)^epoch +[\d.]+ ")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
