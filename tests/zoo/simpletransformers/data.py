"""Texts of random words with a label, as a table, and a small encoder."""

import csv
from pathlib import Path

import made

Path("data").mkdir(exist_ok=True)
with open("data/texts.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(("text", "labels"))
    for _ in range(made.part(1500)):
        table.writerow((made.sentence(made.length(25)), made.draw.randrange(2)))
made.save_bert()
