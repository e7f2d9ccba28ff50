"""Texts of random words with marked names, in spaCy's own format."""

from pathlib import Path

import made
import spacy
from spacy.tokens import DocBin

nlp = spacy.blank("en")
Path("data").mkdir(exist_ok=True)
for name, number in (("train", made.part(8000)), ("dev", 50)):
    texts = DocBin()
    for _ in range(number):
        text = nlp(made.sentence(made.length(25)))
        begin = made.draw.randrange(len(text))
        text.ents = [spacy.tokens.Span(text, begin, begin + 1, label="NAME")]
        texts.add(text)
    texts.to_disk(f"data/{name}.spacy")
