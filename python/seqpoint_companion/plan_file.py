"""Reads a plan.json without PyTorch, so that an invalid file is rejected before the job begins."""

import json

SCHEMA = "seqpoint/plan/2"
GIVE_PLAN = "give the plan.json of `seqpoint plan`"


class NoPlan(ValueError):
    """A file that is not a plan: the problem, and a way out."""

    def __init__(self, fault, hint=GIVE_PLAN):
        super().__init__(f"{fault}: {hint}")
        self.fault, self.hint = fault, hint


def read_plan(path):
    try:
        with open(path, encoding="utf-8") as file:
            plan = json.load(file)
    except OSError as error:
        raise NoPlan(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise NoPlan(f"{path}: is not a plan, because it is not JSON") from None
    schema = plan.get("schema") if isinstance(plan, dict) else None
    if schema == SCHEMA:
        return plan
    fault = f"{path}: schema is {schema!r}, not {SCHEMA!r}"
    if str(schema).startswith("seqpoint/plan/"):
        raise NoPlan(fault, "use `seqpoint` and seqpoint_companion of one version, and plan again")
    raise NoPlan(fault)


def one_length(steps):
    """The lengths that all steps have, by their columns; {} if lengths differ."""
    sides = [side for side in ("src_len", "tgt_len") if side in steps[0]]
    lengths = {side: steps[0][side] for side in sides}
    return lengths if all(step[side] == lengths[side] for step in steps for side in sides) else {}
