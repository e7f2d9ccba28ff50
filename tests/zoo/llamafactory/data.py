"""Instructions of random words, and a small model."""

import json

import made

rows = [
    {
        "instruction": made.sentence(made.length()),
        "input": "",
        "output": made.sentence(made.length()),
    }
    for _ in range(made.part(1600))
]
made.write_text("alpaca.json", [json.dumps(rows)])
made.write_text("dataset_info.json", [json.dumps({"made": {"file_name": "alpaca.json"}})])
made.save_llama()
