"""Progress that was not executed: the batches that a resumed job skips.

A progress bar counts them in an instant, or as fast as they are loaded. Only a clock's steps can
show that: other times are stated by the job.
"""

import statistics

FEW = 2  # a jump covers more than so many times the steps that lines usually do
FASTER = 10  # times, by steps alone: without lengths nothing finer can be said


def note_of(step, seconds, name):
    return (
        f"{name}:{step.line}: steps {step.first} to {step.last} in {seconds:.4g} s were not "
        "executed, as where a job resumes: they are left out"
    )


def is_longer(count, usual):
    return count > FEW * usual


class UsualSteps:
    """The steps that a line of a clock usually covers, and the time of one."""

    def __init__(self, steps):
        counts, seconds = [], []
        for step in steps:
            counts.append(step.last + 1 - step.first)
            seconds.append(step.ns)
        self.count = statistics.median(counts) if counts else 0
        usual = [(n, ns) for n, ns in zip(counts, seconds) if not is_longer(n, self.count)]
        steps_of_usual = sum(n for n, _ in usual)
        self.ns = sum(n * ns for n, ns in usual) / steps_of_usual if usual else 0


def without_skipped(steps, notes):
    """The steps of a log, without those of jumps that took a tenth of the usual time."""
    if not steps.is_clock or steps.unit == "epoch":
        yield from steps
        return
    usual = UsualSteps(steps)
    for step in steps:
        count = step.last + 1 - step.first
        if is_longer(count, usual.count) and FASTER * step.ns < usual.ns:
            notes.append(note_of(step, count * step.ns / 1e9, steps.name))
        else:
            yield step
