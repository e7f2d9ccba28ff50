"""The packed sequences of LLaMA-Factory, one a batch: `packing: true` of fine-tuning, and
pretraining.

    order --sampler llamafactory_order:packs lengths.csv -o order.csv
    order --sampler llamafactory_order:blocks lengths.csv -o order.csv

cutoff_len is that of the YAML. The tokens of a row are its number here. Data sets are mapped by
1000 rows (preprocessing_batch_size) in one process (preprocessing_num_workers).
"""

import types

from llamafactory.data.processor.pretrain import PretrainDatasetProcessor
from llamafactory.data.processor.supervised import PackedSupervisedDatasetProcessor
from seqpoint_companion.samplers import batch_of_tokens


class Packed(PackedSupervisedDatasetProcessor):
    def _encode_data_example(self, prompt, **_):
        row, length = prompt[0]
        return [row] * length, [row] * length


def processor(kind, cutoff_len):
    options = types.SimpleNamespace(
        cutoff_len=cutoff_len - 1, packing=True, neat_packing=False, template="none"
    )
    tokenizer = Tokenizer()
    return kind(template=None, tokenizer=tokenizer, processor=None, data_args=options)


class Tokenizer:
    """Makes the tokens of texts that are "ROW LENGTH"."""

    pad_token_id, eos_token, add_bos_token = -1, "", False

    def __call__(self, texts, **_):
        rows = [map(int, text.split()) for text in texts]
        return {"input_ids": [[row] * length for row, length in rows]}


def packs(lengths, cutoff_len=1024, preprocessing_batch_size=1000):
    packing = processor(Packed, cutoff_len)
    for rows in mapped(lengths, preprocessing_batch_size):
        examples = {
            key: [[]] * len(rows) for key in ("_images", "_videos", "_audios", "_system", "_tools")
        }
        examples["_prompt"] = [[(row, lengths[row])] for row in rows]
        examples["_response"] = [[None]] * len(rows)
        for sequence in packing.preprocess_dataset(examples)["input_ids"]:
            yield batch_of_tokens([sequence], cutoff_len)


def blocks(lengths, cutoff_len=1024, preprocessing_batch_size=1000):
    packing = processor(PretrainDatasetProcessor, cutoff_len)
    for rows in mapped(lengths, preprocessing_batch_size):
        texts = [[{"content": f"{row} {lengths[row]}"}] for row in rows]
        for sequence in packing.preprocess_dataset({"_prompt": texts})["input_ids"]:
            yield batch_of_tokens([sequence], cutoff_len - 1)


def mapped(lengths, size):
    rows = range(len(lengths))
    return [rows[begin : begin + size] for begin in range(0, len(rows), size)]
