"""Converts the numbers of a data set to lengths: units, and the frames of audio."""

import math

from ..faults import NoLength

UNITS = ("seconds", "ms", "samples", "frames", "tokens", "bytes")
AUDIO = ("seconds", "ms", "samples")
UNIT_OF = {"duration": "seconds", "seconds": "seconds", "duration_ms": "ms"}  # by a column's name
LARGEST = 2**32 - 1  # the largest length that seqpoint reads
LARGEST_EXACT = 2**53  # larger numbers have no fraction as a double


def unit_of_name(name):
    """The unit that a column's name states; None if it states none."""
    name = name.rsplit(".", 1)[-1]
    if name in UNIT_OF:
        return UNIT_OF[name]
    return next((unit for unit in ("samples", "frames") if name.endswith(unit)), None)


class Converter:
    """Converts numbers of one unit to lengths, or audio to seconds if `options.seconds` is set.

    Frames are those of `seqpoint scan`'s front end `plain`: samples / hop, rounded down. The hop is
    rate x shift as a whole number, and samples are seconds x rate, rounded half to even.
    """

    def __init__(self, unit, options):
        self.unit, self.rate = unit, options.sample_rate
        self.hop = math.floor(options.sample_rate * options.frame_shift + 0.5)
        self.in_seconds = options.seconds

    def __call__(self, number):
        """The length, a whole number, or seconds as a float. NoLength if it cannot be one."""
        if not math.isfinite(number):
            raise NoLength(f"{number} is not a finite number")
        if number < 0:
            raise NoLength(f"{number} is negative")
        if self.in_seconds:
            return self.seconds(number)
        if self.unit == "seconds":
            number = round(number * self.rate)
        elif self.unit == "ms":
            number = round(number * self.rate / 1000.0)
        if number > LARGEST_EXACT:
            raise NoLength(f"{number} is too large for a length")
        if number != int(number):
            raise NoLength(f"{number} is not a whole number; is its unit seconds?")
        length = int(number) // self.hop if self.unit in AUDIO else int(number)
        if length > LARGEST:
            raise NoLength(f"{number} is too large for a length")
        return length

    def seconds(self, number):
        if self.unit == "seconds":
            return float(number)
        if self.unit == "ms":
            return number / 1000.0
        if self.unit == "samples":
            return number / self.rate
        raise NoLength(f"{number} has no seconds: its unit is {self.text()}")

    def text(self):
        """The unit for the note about a source."""
        if self.unit is None:
            return "as it stands"
        if self.unit in AUDIO and not self.in_seconds:
            return f"{self.unit} at {self.rate:g} Hz, a frame every {self.hop} samples"
        return self.unit
