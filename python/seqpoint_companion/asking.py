"""Questions to objects of the job.

A length, an attribute, a comparison, a copy or a text of an object is code of the job, which may
raise. The answer is then unknown, and the job goes on as it would without the question.
"""

import copy


def answer(question, *arguments, unknown=None):
    """question(*arguments); `unknown` if that raises."""
    try:
        return question(*arguments)
    except Exception:
        return unknown


def attribute(owner, name, unknown=None):
    """The attribute of that name; `unknown` if there is none."""
    return answer(getattr, owner, name, unknown=unknown)


def number_at(owner, name):
    """The whole number that is the attribute of that name; else 0."""
    value = attribute(owner, name, 0)
    return value if is_a(value, int) else 0


def has(owner, name):
    return answer(hasattr, owner, name, unknown=False)


def is_a(thing, kind):
    return answer(isinstance, thing, kind, unknown=False)


def length_of(thing):
    """The number of its items; None if it is unknown, as of a stream."""
    return answer(len, thing)


def text_of(thing):
    return answer(repr, thing, unknown=f"of {type(thing).__name__}")


def copy_of(thing):
    """A copy of all that is in it; the object itself if it cannot be copied."""
    return answer(copy.deepcopy, thing, unknown=thing)
