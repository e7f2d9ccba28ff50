"""Texts of random words with a label, as a table."""

import csv
from pathlib import Path

import made

Path("data").mkdir(exist_ok=True)
with open("data/texts.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(("label", "text"))
    for _ in range(made.part(6000)):
        table.writerow((made.draw.choice(("good", "bad")), made.sentence(made.length(25))))
