"""All mistakes: importing a file registers those in it.

A mistake is a function of a copy of a clean set-up, which it changes, and of random numbers. It returns what a
program that notices it names (Told), or why none can (Hidden), or None where it makes no sense.
"""

import times
import selections
import files
import columns
import projections
import options
import points
import traces
