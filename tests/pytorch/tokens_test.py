"""Tokens of a batch without padding, from its masks, offsets and labels:

    tokens_test.py SOURCE_DIR
"""

import unittest

from plans import companion, torch  # noqa: F401

from seqpoint_companion.loop.token_counts import IGNORED, tokens_in

LENGTHS = [3, 7, 5]
ONE, BOTH = ["batch['input_ids']"], ["batch['input_ids']", "batch['labels']"]


def mask_of(lengths, width=7):
    return torch.tensor([[1] * n + [0] * (width - n) for n in lengths])


def labels_of(lengths, width=7):
    return torch.tensor([[4] * n + [IGNORED] * (width - n) for n in lengths])


class Tokens(unittest.TestCase):
    def test_a_mask_counts_the_source(self):
        batch = {"input_ids": torch.zeros(3, 7), "attention_mask": mask_of(LENGTHS)}
        self.assertEqual(tokens_in(batch, ONE), 15)
        self.assertEqual(tokens_in({"inputs": batch, "rows": [1, 2]}, ONE), 15)

    def test_offsets_count_packed_samples(self):
        batch = {"input_ids": torch.zeros(1, 15), "cu_seqlens": torch.tensor([0, 3, 10, 15])}
        self.assertEqual(tokens_in(batch, ONE), 15)

    def test_pairs_need_both_sides(self):
        source = {"attention_mask": mask_of(LENGTHS), "labels": labels_of([2, 1, 7])}
        self.assertEqual(tokens_in(source, BOTH), 25)
        both = {**source, "decoder_attention_mask": mask_of([2, 2, 2])}
        self.assertEqual(tokens_in(both, BOTH), 21)
        self.assertIsNone(tokens_in({"attention_mask": mask_of(LENGTHS)}, BOTH))

    def test_labels_whose_padding_cannot_be_told_count_nothing(self):
        batch = {"attention_mask": mask_of(LENGTHS), "labels": torch.zeros(3, 7)}
        self.assertIsNone(tokens_in(batch, BOTH))

    def test_a_prompt_that_the_loss_ignores_is_no_padding(self):
        batch = {"input_ids": torch.zeros(3, 7), "labels": labels_of(LENGTHS)}
        self.assertIsNone(tokens_in(batch, ONE))

    def test_a_mask_of_heads_counts_nothing(self):
        self.assertIsNone(tokens_in({"attention_mask": torch.ones(2, 1, 7, 7)}, ONE))


unittest.main()
