"""Series of random steps."""

import csv
from pathlib import Path

import made

Path("data").mkdir(exist_ok=True)
with open("data/series.csv", "w", newline="") as file:
    table = csv.writer(file)
    table.writerow(("group", "time", "value"))
    for group in range(made.part(100)):
        value = 0.0
        for time in range(100):
            value += made.draw.gauss(0, 1)
            table.writerow((f"g{group}", time, value))
