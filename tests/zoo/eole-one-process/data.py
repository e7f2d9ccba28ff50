"""Two sides of a translation, of random words."""

import made

made.write_translations(train=6000)
