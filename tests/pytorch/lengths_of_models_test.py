"""Which axes of a batch are its lengths, for batches in the forms of the usual collators:

    lengths_of_models_test.py SOURCE_DIR

Each case has lengths that were written down beside its tensors' shapes, and the names of what is
counted and what is not.
"""

import unittest

from plans import companion, torch  # noqa: F401

from seqpoint_companion.loop.axes import Lengths
from seqpoint_companion.loop.token_counts import tokens_in
from seqpoint_companion.shapes import padded_tokens, shapes_in


def ids(*shape):
    return torch.ones(shape, dtype=torch.long)


def mask(width, *lengths):
    return torch.tensor([[1] * n + [0] * (width - n) for n in lengths])


class Models(unittest.TestCase):
    def check(self, batches, samples, expected, counted, uncounted=""):
        """`expected`: (src_len, tgt_len or None, batch_size) of each batch."""
        lengths = Lengths()
        for batch in batches:
            if not lengths.ways:
                lengths.see(shapes_in(batch), samples)
        names = ("src_len", "tgt_len", "batch_size")
        found = [lengths.of(shapes_in(batch)) for batch in batches]
        self.assertEqual([tuple(of.get(name) for name in names) for of in found], expected)
        self.assertEqual(lengths.counted(), counted)
        self.assertEqual(lengths.uncounted(), uncounted)
        return lengths

    def test_whisper_has_features_of_one_size(self):
        # WhisperFeatureExtractor pads to 30 s: (samples, mels, 3000).
        batch = lambda n: {"input_features": torch.zeros(4, 80, 3000), "labels": ids(4, n)}
        self.check(
            [batch(n) for n in (7, 12, 9)],
            4,
            [(n, None, 4) for n in (7, 12, 9)],
            "labels axis 1",
            "input_features (one size)",
        )

    def test_speech_features_that_vary_are_the_source(self):
        batch = lambda n, m: {"input_features": torch.zeros(4, n, 80), "labels": ids(4, m)}
        sizes = [(210, 7), (180, 12), (300, 9)]
        self.check(
            [batch(*of) for of in sizes],
            4,
            [(*of, 4) for of in sizes],
            "input_features axis 1 + labels axis 1",
        )

    def test_qwen_vl_has_grids_and_patches(self):
        # Qwen2VLProcessor: patches of all images in one axis, a grid of three numbers an image.
        def batch(n, patches):
            return {
                "input_ids": ids(4, n),
                "attention_mask": ids(4, n),
                "pixel_values": torch.zeros(patches, 1176),
                "image_grid_thw": ids(4, 3),
                "labels": ids(4, n),
            }

        sizes = [(90, 640), (120, 512), (100, 800)]
        self.check(
            [batch(*of) for of in sizes],
            4,
            [(n, None, 4) for n, _ in sizes],
            "input_ids axis 1",
            "pixel_values axis 0 (varies)",
        )

    def test_a_preference_has_a_prompt_and_two_completions(self):
        # TRL's DataCollatorForPreference before version 1.
        def batch(prompt, chosen, rejected):
            sizes = {"prompt": prompt, "chosen": chosen, "rejected": rejected}
            ids_of = {f"{name}_input_ids": ids(2, n) for name, n in sizes.items()}
            return {**ids_of, **{f"{name}_attention_mask": ids(2, n) for name, n in sizes.items()}}

        sizes = [(10, 20, 25), (12, 30, 11), (9, 14, 40)]
        lengths = self.check(
            [batch(*of) for of in sizes],
            2,
            [(a, b + c, 2) for a, b, c in sizes],
            "prompt_input_ids axis 1 + chosen_input_ids axis 1 + rejected_input_ids axis 1",
        )
        self.assertEqual(padded_tokens(lengths.of(shapes_in(batch(10, 20, 25)))), 110)

    def test_a_preference_in_one_tensor(self):
        # TRL since version 1: the chosen rows, then as many rejected ones.
        self.check(
            [{"input_ids": ids(4, n), "completion_mask": ids(4, n)} for n in (20, 31, 25)],
            2,
            [(n, None, 4) for n in (20, 31, 25)],
            "input_ids axis 1",
        )

    def test_a_triplet_has_three_texts(self):
        # sentence-transformers: a list of the columns' features, and labels.
        def batch(*lengths):
            texts = [{"input_ids": ids(3, n), "attention_mask": ids(3, n)} for n in lengths]
            return texts, torch.zeros(3)

        sizes = [(5, 9, 7), (6, 4, 12), (8, 10, 3)]
        self.check(
            [batch(*of) for of in sizes],
            3,
            [(a, b + c, 3) for a, b, c in sizes],
            " + ".join(["input_ids axis 1"] * 3),
        )

    def test_packed_samples_are_one_row(self):
        # varlen attention: one axis for all tokens, and the ends of the samples.
        def batch(ends):
            return {
                "tokens": ids(ends[-1]),
                "positions": ids(ends[-1]),
                "cu_seqlens": torch.tensor(ends),
                "max_seqlen": 9,
            }

        ends = [(0, 3, 10), (0, 8, 12, 15), (0, 9)]
        self.check(
            [batch(of) for of in ends], 3, [(of[-1], None, 1) for of in ends], "tokens axis 1"
        )
        self.assertEqual(tokens_in(batch((0, 3, 10)), ["batch['tokens']"]), 10)

    def test_flattened_samples_without_ends(self):
        batch = lambda n: {"input_ids": ids(n), "labels": ids(n), "position_ids": ids(n)}
        self.check(
            [batch(n) for n in (30, 44, 28)],
            4,
            [(n, None, 1) for n in (30, 44, 28)],
            "input_ids axis 1",
        )

    def test_nested_tensors_and_lists_of_samples(self):
        sizes = [(3, 7), (9, 4), (5, 5)]
        nested = lambda of: torch.nested_tensor([torch.zeros(n, 16) for n in of])
        make = getattr(torch, "nested", None)
        if make is not None and hasattr(make, "nested_tensor"):
            nested = lambda of: make.nested_tensor([torch.zeros(n, 16) for n in of])
        self.check(
            [{"x": nested(of)} for of in sizes],
            2,
            [(max(of), None, 2) for of in sizes],
            "x axis 1",
        )
        listed = lambda of: [{"input_ids": ids(n), "labels": ids(n)} for n in of]
        self.check(
            [listed(of) for of in sizes],
            2,
            [(max(of), None, 2) for of in sizes],
            "input_ids axis 1",
        )
        of_numbers = lambda of: [{"input_ids": [1] * n, "label": 0} for n in of]
        self.check(
            [of_numbers(of) for of in sizes],
            2,
            [(max(of), None, 2) for of in sizes],
            "input_ids axis 1",
        )

    def test_images_have_no_length(self):
        self.check(
            [(torch.zeros(8, 3, 32, 32), torch.zeros(8))] * 9,
            8,
            [(1, None, 8)] * 9,
            "samples of batch[0] (no axis varies)",
            "batch[0] (one size)",
        )

    def test_encoder_and_decoder_are_both_counted(self):
        # DataCollatorForSeq2Seq
        batch = lambda n, m: {
            "input_ids": ids(4, n),
            "attention_mask": ids(4, n),
            "labels": ids(4, m),
        }
        sizes = [(20, 9), (31, 12), (25, 30)]
        self.check(
            [batch(*of) for of in sizes],
            4,
            [(*of, 4) for of in sizes],
            "input_ids axis 1 + labels axis 1",
        )

    def test_tokens_of_several_sequences(self):
        batch = {
            "chosen_input_ids": ids(2, 5),
            "chosen_attention_mask": mask(5, 5, 2),
            "rejected_input_ids": ids(2, 4),
            "rejected_attention_mask": mask(4, 1, 4),
        }
        sides = ["batch['chosen_input_ids']", "other sequences"]
        self.assertEqual(tokens_in(batch, sides), 12)
        del batch["rejected_attention_mask"]
        self.assertIsNone(tokens_in(batch, sides))


if __name__ == "__main__":
    unittest.main()
