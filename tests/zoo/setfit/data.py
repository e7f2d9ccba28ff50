"""Sentences of random words with a label, and a small encoder."""

import made

made.write_rows(
    "train.jsonl",
    (
        {"text": made.sentence(made.length(25)), "label": number % 4}
        for number in range(made.part(64))
    ),
)
made.save_bert()
