"""The blocks of group_texts, as run_clm.py of transformers' examples has it, one a batch.

    order --sampler group_texts_order:blocks lengths.csv -o order.csv

Put the function of your own script in its place. The tokens of a row are its number here.
"""

from datasets import Dataset
from seqpoint_companion.samplers import batch_of_tokens


def group_texts(examples, block_size):
    tokens = sum(examples["input_ids"], [])
    whole = len(tokens) // block_size * block_size
    return {"input_ids": [tokens[at : at + block_size] for at in range(0, whole, block_size)]}


def blocks(lengths, block_size=1024, batch_size=1000):
    rows = Dataset.from_dict({"input_ids": [[row] * of for row, of in enumerate(lengths)]})
    grouped = rows.map(
        group_texts, batched=True, batch_size=batch_size, fn_kwargs={"block_size": block_size}
    )
    for block in grouped:
        yield batch_of_tokens([block["input_ids"]], block_size)
