"""Users, items and times at random, in RecBole's own format."""

from pathlib import Path

import made

folder = Path("data/made")
folder.mkdir(parents=True)
with (folder / "made.inter").open("w") as file:
    file.write("user_id:token\titem_id:token\ttimestamp:float\n")
    for time in range(made.part(20000)):
        file.write(f"u{made.draw.randrange(300)}\ti{made.draw.randrange(200)}\t{time}\n")
