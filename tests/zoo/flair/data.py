"""Texts of random words with a label, in the format of FastText, and a small encoder."""

import made

for name, number in (("train", made.part(1500)), ("dev", 30), ("test", 30)):
    made.write_text(
        f"texts/{name}.txt",
        (
            f"__label__{made.draw.choice(('good', 'bad'))} {made.sentence(made.length(25))}"
            for _ in range(number)
        ),
    )
made.save_bert()
