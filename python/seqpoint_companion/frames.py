"""The frames of Python that are running."""

import sys


def running():
    """From the one that asks outwards. A frame that kept this iterator would keep itself."""
    frame = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back
