"""Triplets of random sentences, and a small encoder."""

import made

made.write_rows(
    "triplets.jsonl",
    (
        {
            "anchor": made.sentence(made.length(12)),
            "positive": made.sentence(made.length()),
            "negative": made.sentence(made.length()),
        }
        for _ in range(made.part(800))
    ),
)
made.save_bert()
