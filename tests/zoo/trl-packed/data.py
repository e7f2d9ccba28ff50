"""Texts of random words, and a small model."""

import made

made.write_rows(
    "texts/train.jsonl",
    ({"text": made.sentence(made.length(30, 0.8, most=250))} for _ in range(made.part(3000))),
)
made.save_llama()
