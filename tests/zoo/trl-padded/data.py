"""Prompts and completions of random words, and a small model."""

import made

made.write_rows(
    "chat/train.jsonl",
    (
        {"prompt": made.sentence(made.length()), "completion": " " + made.sentence(made.length())}
        for _ in range(made.part(1600))
    ),
)
made.save_llama()
