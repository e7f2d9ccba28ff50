"""Instructions of random words, and a small model."""

import made

made.write_rows(
    "alpaca.jsonl",
    (
        {
            "instruction": made.sentence(made.length()),
            "input": "",
            "output": made.sentence(made.length()),
        }
        for _ in range(made.part(2000))
    ),
)
made.save_llama()
