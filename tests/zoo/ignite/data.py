"""Rows of random word numbers with a label."""

import made

made.write_rows(
    "rows.jsonl",
    (
        {
            "words": [made.draw.randrange(1, 500) for _ in range(made.length(30))],
            "label": made.draw.randrange(2),
        }
        for _ in range(made.part(6000))
    ),
)
