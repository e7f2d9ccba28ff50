"""Errors that the user can correct, with the exit status of `seqpoint`."""

USAGE, BAD_INPUT, CANNOT_WRITE = 2, 3, 4


class OrderError(Exception):
    def __init__(self, text, hint="", status=USAGE):
        super().__init__(text)
        self.hint, self.status = hint, status

    def __reduce__(self):  # a rank's process sends it
        return OrderError, (str(self), self.hint, self.status)
