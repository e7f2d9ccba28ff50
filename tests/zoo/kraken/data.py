"""Images of lines of random words, with their text."""

from pathlib import Path

import made
from PIL import Image, ImageDraw

folder = Path("data/lines")
folder.mkdir(parents=True)
for number in range(made.part(400)):
    text = made.sentence(made.length(4, 0.6, least=1, most=14))
    image = Image.new("L", (8 * len(text) + 16, 32), 255)
    ImageDraw.Draw(image).text((8, 10), text, fill=0)
    image.save(folder / f"{number:04}.png")
    (folder / f"{number:04}.gt.txt").write_text(text + "\n")
