"""Sentences of random words with marked spans, and a small encoder."""

import json

import made

rows = []
for _ in range(made.part(900)):
    words = made.sentence(made.length(18, most=60)).split()
    begins = sorted(made.draw.sample(range(len(words)), min(2, len(words))))
    ner = [[begin, begin, made.draw.choice(("person", "place"))] for begin in begins]
    rows.append({"tokenized_text": words, "ner": ner})
made.write_text("train.json", [json.dumps(rows)])
made.save_bert()
