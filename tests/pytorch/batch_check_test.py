"""The mismatches of a batch that the companion detects, and those that it has to accept:

    batch_check_test.py SOURCE_DIR
"""

import collections
import dataclasses
import itertools
import os
import random
import types
import unittest
import unittest.mock
import warnings

from plans import Folder, companion, padded, step, torch

from seqpoint_companion.check import BatchCheck

LENGTHS = random.Random(1).choices(range(5, 85), k=400)
BY_LENGTH = sorted(range(400), key=LENGTHS.__getitem__)
# Two batches of each of six points, of four samples of about one length: the rounds of warm-up run
# one and then the other.
ROWS = [
    BY_LENGTH[60 * point + 8 * repeat : 60 * point + 8 * repeat + 4]
    for repeat in range(2)
    for point in range(6)
]


@dataclasses.dataclass
class Sample:
    name: str
    tokens: torch.Tensor


def planned(index, rows, **more):
    length = max(LENGTHS[row] for row in rows)
    return {**step(index, f"sp{index % 6 + 1}", rows, repeat=index // 6), "src_len": length, **more}


class BatchChecks(Folder):
    def problem(self, batch_of, steps=None, signature=None, **keys):
        """The number of the first rejected batch and the error; None if all are accepted."""
        plan = self.plan(
            steps or [planned(index, rows) for index, rows in enumerate(ROWS)], {"rank": 0}, **keys
        )
        batches = map(batch_of, plan)
        try:
            for _ in companion.Recorder(self.out, signature, plan)(batches):
                pass
        except companion.WrongBatch as error:
            return plan.delivered - 1, str(error)
        return None

    def assertRefused(self, problem, batch, *words):
        self.assertIsNotNone(problem)
        self.assertEqual(problem[0], batch, problem[1])
        for word in words:
            self.assertIn(word, problem[1])


class Shapes(BatchChecks):
    def test_a_batch_is_looked_into_however_nested(self):
        pack = torch.nn.utils.rnn.pack_sequence
        layouts = {
            "rows first": lambda lengths: padded(lengths, 3),
            "length first": lambda lengths: padded(lengths).t(),
            "features between": lambda lengths: padded(lengths, 3).transpose(1, 2),
            "NumPy": lambda lengths: padded(lengths).numpy(),
            "mapping": lambda lengths: collections.UserDict(
                {"ids": padded(lengths), "labels": torch.zeros(len(lengths))}
            ),
            "tuple": lambda lengths: (torch.tensor(lengths), padded(lengths, 3)),
            "lists": lambda lengths: [[["name"] * len(lengths), {"x": padded(lengths)}]],
            "data class": lambda lengths: Sample("a", padded(lengths)),
            "object": lambda lengths: types.SimpleNamespace(
                sig=types.SimpleNamespace(data=padded(lengths), lengths=None)
            ),
            "packed sequence": lambda lengths: pack(
                [torch.zeros(n, 3) for n in sorted(lengths, reverse=True)]
            ),
            "samples of their own": lambda lengths: [torch.zeros(n, 3) for n in lengths],
        }
        for name, layout in layouts.items():
            with self.subTest(name):
                self.assertIsNone(
                    self.problem(lambda rows, layout=layout: layout([LENGTHS[row] for row in rows]))
                )
                fewer = self.problem(
                    lambda rows, layout=layout: layout([LENGTHS[row] for row in rows[:3]])
                )
                self.assertRefused(fewer, 0, "number of samples")
                reverse = self.problem(
                    lambda rows, layout=layout: layout([LENGTHS[399 - row] for row in rows])
                )
                self.assertIn("lengths are the planned ones in no unit", reverse[1])
                self.assertLess(reverse[0], 12)

    def test_batches_that_are_alike_are_compared_once(self):
        """The comparison is of all batches with each other, and takes time between them."""
        compare = BatchCheck._fault_of_lengths
        steps = [planned(index, ROWS[index % 6]) for index in range(60)]
        with unittest.mock.patch.object(
            BatchCheck, "_fault_of_lengths", autospec=True, side_effect=compare
        ) as compared:
            self.assertIsNone(
                self.problem(lambda rows: padded([LENGTHS[row] for row in rows]), steps)
            )
            self.assertEqual(compared.call_count, 6)
            late = itertools.count()
            cut = lambda length: min(length, 20) if next(late) >= 4 * 40 else length
            problem = self.problem(lambda rows: padded([cut(LENGTHS[row]) for row in rows]), steps)
            self.assertRefused(problem, problem[0], "lengths are the planned ones but for some")
            self.assertGreaterEqual(problem[0], 40)

    def test_a_batch_without_tensors_has_its_number_of_samples(self):
        self.assertIsNone(self.problem(lambda rows: ["text"] * len(rows)))
        self.assertRefused(
            self.problem(lambda rows: ["text"] * 5), 0, "should have 4 samples", "'batch axis 0': 5"
        )
        self.assertRefused(self.problem(lambda rows: 3), 0, "class 'int'")


class Units(BatchChecks):
    def test_no_other_unit_is_taken_for_another_batch(self):
        units = {
            "start and end": lambda n: n + 2,
            "shifted": lambda n: n - 1,
            "multiples of 8": lambda n: -(-n // 8) * 8,
            "multiples of 64": lambda n: -(-n // 64) * 64,
            "all alike": lambda n: 512,
            "samples of sound": lambda n: 160 * n + 77,
            "every fourth frame": lambda n: max(1, (n - 3) // 4),
        }
        for name, unit in units.items():
            with self.subTest(name):
                self.assertIsNone(
                    self.problem(
                        lambda rows, unit=unit: padded([unit(LENGTHS[row]) for row in rows], 3)
                    )
                )

    def test_nor_are_subwords(self):
        for seed in range(20):
            draw = random.Random(seed)
            subwords = [n + sum(draw.random() < 0.3 for _ in range(n)) for n in LENGTHS]
            self.assertIsNone(
                self.problem(
                    lambda rows, subwords=subwords: padded([subwords[row] for row in rows])
                ),
                seed,
            )

    def test_shuffled_samples_are_noticed_in_the_warm_up(self):
        for seed in range(20):
            shuffled = random.Random(seed).sample(LENGTHS, len(LENGTHS))
            number, text = self.problem(
                lambda rows, shuffled=shuffled: padded([shuffled[row] for row in rows], 3)
            )
            self.assertLess(number, 12, seed)
            for word in (
                "planned src_len: axes that vary",
                "'batch axis 1'",
                "another order",
                "signature(batch)",
            ):
                self.assertIn(word, text)

    def test_samples_stay_on_their_axis(self):
        number = iter(range(100))
        turned = lambda rows: padded([LENGTHS[row] for row in rows]).transpose(
            0, int(next(number) > 1)
        )  # from the third batch on
        self.assertRefused(self.problem(turned), 2, "not the same as so far")

    def test_one_wrong_batch_among_right_ones_is_noticed(self):
        number = iter(range(100))
        problem = self.problem(
            lambda rows: padded([LENGTHS[row] + (next(number) >= 28) for row in rows])
        )
        self.assertRefused(problem, 7, "the planned ones but for some")

    def test_pairs_are_checked_on_both_sides(self):
        other = [5 + (53 * row) % 70 for row in range(400)]
        steps = [
            planned(index, rows, tgt_len=max(other[row] for row in rows))
            for index, rows in enumerate(ROWS)
        ]
        pair = lambda source, target: lambda rows: (
            padded([source[row] for row in rows]),
            padded([target[row] for row in rows]),
        )
        self.assertIsNone(self.problem(pair(LENGTHS, other), steps))
        self.assertIsNone(self.problem(pair(other, LENGTHS), steps), "the target first")
        joined = [a + b for a, b in zip(LENGTHS, other)]
        self.assertIsNone(
            self.problem(lambda rows: padded([joined[row] for row in rows]), steps),
            "one after the other",
        )
        self.assertIsNotNone(self.problem(pair(LENGTHS, other[::-1]), steps))
        self.assertIsNotNone(self.problem(pair(LENGTHS[::-1], other), steps))


def log_normal(seed, most=609):
    """Lengths like those of sentences in tokens."""
    draw = random.Random(seed)
    return [max(2, min(most, round(draw.lognormvariate(4.2, 0.8)))) for _ in range(2000)] + [most]


class Cuts(BatchChecks):
    """Jobs that cut samples differently from the plan, and jobs that do not cut."""

    def steps_of(self, lengths, points=8, target=None):
        """Points at equal distances in length, the longest among them; two batches each."""
        at, steps = sorted(range(len(lengths)), key=lengths.__getitem__), []
        least, most = lengths[at[3]], lengths[at[-1]]
        for repeat in range(2):
            for point in range(points):
                wanted = least + (most - least) * point / (points - 1)
                last = max(
                    place for place in range(3, len(at)) if lengths[at[place]] <= wanted + repeat
                )
                rows = at[last - 3 : last + 1]
                pair = {"tgt_len": max(target[row] for row in rows)} if target else {}
                steps.append(
                    {
                        **step(len(steps), f"sp{point + 1}", rows, repeat=repeat),
                        "src_len": max(lengths[row] for row in rows),
                        **pair,
                    }
                )
        return steps

    def assertCut(self, problem):
        self.assertIsNotNone(problem)
        self.assertLess(problem[0], 16, "in the warm-up")
        self.assertIn(
            "lengths are the planned ones but for some, as where samples are cut", problem[1]
        )

    def test_samples_that_are_cut_are_noticed_in_the_warm_up(self):
        lengths = log_normal(1)
        for cut in (300, 400, 512):
            for marks in (0, 1, 2):
                with self.subTest(cut=cut, marks=marks):
                    cut_to = lambda rows: [min(lengths[row] + marks, cut) for row in rows]
                    problem = self.problem(
                        lambda rows: padded(cut_to(rows)), self.steps_of(lengths)
                    )
                    self.assertIsNotNone(problem)
                    self.assertLess(problem[0], 16, "in the warm-up")

    def test_whatever_a_batch_holds_beside_them(self):
        lengths = log_normal(2)
        whole, cut = (lambda rows: [lengths[row] for row in rows]), (
            lambda rows: [min(lengths[row], 400) for row in rows]
        )
        marked = lambda rows: {
            "input_ids": padded(cut(rows)),
            "text": padded(whole(rows)),
            "labels": padded(whole(rows)),
        }
        self.assertCut(self.problem(marked, self.steps_of(lengths)))
        self.assertCut(
            self.problem(
                lambda rows: (padded(cut(rows), 3), torch.tensor(whole(rows))),
                self.steps_of(lengths),
            )
        )
        mask = lambda rows: {"attention_mask": padded(cut(rows)), "other": padded(whole(rows))}
        self.assertCut(self.problem(mask, self.steps_of(lengths)))

    def test_cut_targets_of_pairs_are_noticed(self):
        source, draw = log_normal(3), random.Random(4)
        target = [max(2, round(n * draw.uniform(0.8, 1.2))) for n in source]
        steps = self.steps_of(source, target=target)
        sides = lambda rows, most: (
            padded([source[row] for row in rows]),
            padded([min(target[row], most) for row in rows]),
        )
        self.assertIsNone(self.problem(lambda rows: sides(rows, 9999), steps))
        self.assertLess(self.problem(lambda rows: sides(rows, 350), steps)[0], 16)
        named = lambda rows, most: dict(zip(("input_ids", "labels"), sides(rows, most)))
        self.assertIsNone(self.problem(lambda rows: named(rows, 9999), steps))
        self.assertCut(self.problem(lambda rows: named(rows, 350), steps))

    def test_labels_are_no_source(self):
        lengths, draw = log_normal(5), random.Random(6)
        text = [draw.randrange(1, 60) for _ in lengths]
        for name, unit in (
            ("input_ids", lambda n: n),
            ("input_features", lambda n: n),
            ("input_values", lambda n: 160 * n + 40),
        ):
            batch = lambda rows, unit=unit, name=name: {
                name: padded([unit(lengths[row]) for row in rows]),
                "labels": padded([text[row] for row in rows]),
            }
            self.assertIsNone(self.problem(batch, self.steps_of(lengths)), name)
        only_labels = lambda rows: {
            "inputs": padded([512] * len(rows)),
            "labels": padded([text[row] for row in rows]),
        }
        self.assertIsNotNone(
            self.problem(
                lambda rows: {"labels": padded([min(lengths[row], 300) for row in rows])},
                self.steps_of(lengths),
            )
        )
        self.assertIsNone(
            self.problem(only_labels, self.steps_of(lengths)), "the source is unknown"
        )

    def test_what_does_not_cut_is_let_pass(self):
        draw = random.Random(7)
        units = [
            lambda n: n,
            lambda n: n + 1,
            lambda n: n + 2,
            lambda n: n - 1,
            lambda n: -(-n // 8) * 8,
            lambda n: -(-n // 64) * 64,
            lambda n: (n + 1) // 2,
            lambda n: (n + 3) // 4,
            lambda n: ((n - 1) // 2 - 1) // 2 + 1,
            lambda n: n // 8 + 1,
            lambda n: 160 * n + 240,
            lambda n: 1 + n // 3,
            lambda n: 2 * n,
            lambda n: n + n // 3,
            lambda n: 1 << (n - 1).bit_length(),
            lambda n: 1024,
            lambda n: round(1.3 * n) + 2,
            lambda n: -(-(n + 2) // 8) * 8,
        ]
        for seed in range(40 if os.environ.get("SEQPOINT_SEEDS") == "all" else 5):
            lengths, points = log_normal(seed, draw.choice([90, 250, 609, 2000])), draw.randrange(
                2, 12
            )
            steps = self.steps_of(lengths, points)
            for number, unit in enumerate(units):
                batch = lambda rows, unit=unit: {
                    draw_name: padded([unit(lengths[row]) for row in rows])
                }
                draw_name = draw.choice(["input_ids", "x"])
                self.assertIsNone(self.problem(batch, steps), f"seed {seed}, unit {number}")

    def test_a_number_of_samples_is_no_length(self):
        steps = [
            {**step(n, f"sp{n + 1}", list(range(rows))), "src_len": 600 // rows}
            for n, rows in enumerate((2, 3, 4, 6))
        ]
        self.assertIsNone(self.problem(lambda rows: ["text"] * len(rows), steps))


class Doubts(BatchChecks):
    """Properties that cannot be compared are reported once."""

    def said(self, batch_of, steps=None, signature=None, **keys):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertIsNone(self.problem(batch_of, steps, signature, **keys))
        return [str(of.message) for of in caught if "cannot check" in str(of.message)]

    def test_lengths_in_another_unit_or_all_alike(self):
        unit = lambda of: lambda rows: padded([of(LENGTHS[row]) for row in rows])
        for of in (lambda n: (n + 3) // 4, lambda n: 512, lambda n: -(-n // 8) * 8):
            said = self.said(unit(of))
            self.assertEqual(len(said), 1)
            self.assertRegex(
                said[0], "cannot check from the batches whether lengths are the planned.*signature"
            )
        for of in (lambda n: n, lambda n: n + 2):
            self.assertEqual(self.said(unit(of)), [])

    def test_what_was_compared_exactly_leaves_no_doubt(self):
        right, signature = lambda rows: padded([LENGTHS[row] for row in rows]), lambda batch: {
            "src_len": batch.shape[1]
        }
        self.assertEqual(self.said(right, signature=signature), [])
        self.assertEqual(
            len(self.said(right, signature=lambda batch: {"batch_size": len(batch)})), 1
        )

    def test_one_point(self):
        steps = [planned(0, ROWS[0])]
        self.assertEqual(len(self.said(lambda rows: torch.zeros(4, 17), steps)), 1)
        self.assertEqual(self.said(lambda rows: padded([LENGTHS[row] for row in rows]), steps), [])

    def test_plans_that_have_no_lengths_to_compare(self):
        steps = [{**step(0, "sp1", [3, 5]), "tokens": 8, "sq_tokens": 34}]
        self.assertEqual(len(self.said(lambda rows: torch.zeros(1, 8), steps)), 1)
        steps = [
            planned(index, rows, rank_ends=[3, 4], heaviest_rank=1)
            for index, rows in enumerate(ROWS)
        ]
        self.assertEqual(len(self.said(lambda rows: torch.zeros(3, 5), steps, world_size=2)), 1)


class Signatures(BatchChecks):
    def test_a_signature_is_compared_exactly_and_at_once(self):
        signature = lambda batch: {"src_len": batch.shape[1], "batch_size": batch.shape[0]}
        right = lambda rows: padded([LENGTHS[row] for row in rows])
        self.assertIsNone(self.problem(right, signature=signature))
        longer = self.problem(
            lambda rows: padded([LENGTHS[row] + 1 for row in rows]), signature=signature
        )
        self.assertRefused(longer, 0, "src_len is 6", "'src_len': 5")
        self.assertRefused(
            self.problem(lambda rows: right(rows[:3]), signature=signature),
            0,
            "batch_size is another one",
        )

    def test_runs_without_padding_are_checked_by_signature(self):
        steps = [{**step(0, "sp1", [3, 5]), "tokens": 8, "sq_tokens": 34}]
        steps[0].pop("src_len")
        steps[0].pop("batch_size")
        tokens = lambda batch: {"tokens": batch.shape[1]}
        self.assertIsNone(self.problem(lambda rows: torch.zeros(1, 8), steps, tokens))
        self.assertRefused(
            self.problem(lambda rows: torch.zeros(1, 9), steps, tokens), 0, "tokens is 9"
        )

    def test_the_planned_lengths_are_those_of_the_rank_with_the_most_work(self):
        steps = [
            {**step(0, "sp1", [5, 6, 7], rank_ends=[1, 3]), "heaviest_rank": 1, "batch_size": 2}
        ]
        check = BatchCheck(self.plan(steps, {"rank": 0}, world_size=2), by_signature=True)
        ranks = lambda first, second: [
            (0, {"src_len": first, "batch_size": 1}),
            (1, {"src_len": second, "batch_size": 2}),
        ]
        self.assertEqual(
            [check.fault(steps[0], ranks(*lengths)) for lengths in ((6, 7), (9, 7), (7, 6))],
            ["", "", "src_len is 6"],
        )

    def test_of_another_rank_alone_only_the_samples_can_be_compared(self):
        steps = [
            planned(index, rows, rank_ends=[3, 4], heaviest_rank=1)
            for index, rows in enumerate(ROWS)
        ]
        self.assertIsNone(self.problem(lambda rows: torch.zeros(3, 5), steps, world_size=2))
        self.assertRefused(
            self.problem(lambda rows: torch.zeros(4, 5), steps, world_size=2),
            0,
            "Rank 0 should have 3 samples",
        )


class Loaders(BatchChecks):
    def test_a_loader_that_does_not_ask_the_plan_is_noticed(self):
        plan = self.plan()
        for batch in companion.Recorder(self.out, plan=plan)(iter(plan)):
            self.assertIsNotNone(batch)
        for right in ([torch.zeros(2, 9)], [[9, 8]]):
            with self.assertRaisesRegex(
                companion.WrongBatch,
                "batch 0 is not from the plan: give the loader batch_sampler=plan",
            ):
                list(companion.Recorder(self.out, plan=self.plan())(right))

    def test_batches_that_were_dealt_to_others_are_missed_at_the_end(self):
        plan = self.plan()
        with self.assertRaisesRegex(
            companion.WrongBatch, "took 6 batches from the plan and delivered 3"
        ):
            list(
                companion.Recorder(self.out, plan=plan)(
                    batch for n, batch in enumerate(plan) if n % 2 == 0
                )
            )


unittest.main(warnings="ignore")  # lengths in other units
