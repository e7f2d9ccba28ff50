"""All mistakes: importing a file registers those in it.

A mistake is a function of a copy of a clean set-up, which it changes, and of random numbers. It
returns names that a program may use to report it (Told), the reason why no program can (Hidden), or
None if it does not apply.
"""

import times
import selections
import files
import columns
import projections
import options
import points
import traces
