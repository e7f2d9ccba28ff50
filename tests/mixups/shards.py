"""What is joined before anything is measured: shards of merge, manifests of scan and select."""

import copy

from cases import Hidden, Told, mistake, named
from profiles import Table
from situations import lengths_text

MERGE, SELECT, SCAN = "overlapping or repeated shards in merge", "odd input to select", "scan"
ABSURD = "train.len.*(hour|second|unit|long)"
TWICE = "same|copy|copies|twice|identical|repeat|overlap|again|duplicate|already"


def merge(catalogue):
    return catalogue.merge()


def told_shards(*names):
    return Told(rf"(?=.*({'|'.join(names)}))(?=.*({TWICE}))")


@mistake(MERGE, merge)
def a_shard_twice(setup, rng):
    name = rng.choice(sorted(setup.files))
    setup.argv.insert(setup.argv.index(name) + 1, name)
    return told_shards(name)


@mistake(MERGE, merge)
def a_shard_in_place_of_another(setup, rng):
    first, second = rng.sample(sorted(setup.files), 2)
    setup.put(second, first)
    return told_shards(first)


@mistake(MERGE, merge)
def a_copied_shard(setup, rng):
    first, second = rng.sample(sorted(setup.files), 2)
    setup.files[second] = copy.deepcopy(setup.files[first])
    return told_shards(first, second)


@mistake(MERGE, merge)
def shards_that_overlap(setup, rng):
    """The end of one is the beginning of the next: it was split at the wrong line."""
    names = sorted(setup.files)
    at = rng.randrange(len(names) - 1)
    before, after = setup.files[names[at]], setup.files[names[at + 1]]
    after.rows = [dict(row) for row in before.rows[-len(before.rows) // 3:]] + after.rows
    return told_shards(names[at], names[at + 1])


@mistake(MERGE, merge)
def the_whole_beside_a_shard(setup, rng):
    table = next(iter(setup.files.values()))
    rows = [dict(row) for shard in setup.files.values() for row in shard.rows]
    setup.files["all.csv"] = Table(rows, list(table.columns))
    name = rng.choice(sorted(set(setup.files) - {"all.csv"}))
    setup.argv = ["merge", "all.csv", name, "-o", "whole.csv"]
    return told_shards("all.csv", name)


@mistake(MERGE, merge)
def a_shard_of_another_kind(setup, rng):
    name = rng.choice(sorted(setup.files))
    table = setup.files[name]
    if "tgt_len" in table.columns:
        table.columns.remove("tgt_len")
    else:
        table.add_column("tgt_len", lambda row: row["src_len"])
    return Told(name)


@mistake(MERGE, merge)
def shards_in_another_order(setup, _rng):
    names = sorted(setup.files)
    setup.argv[1:1 + len(names)] = names[::-1]
    return Hidden("a file of lengths does not say which shard it is")


# --- scan and select -----------------------------------------------------------------------------------------------

def manifest_twice(setup, _rng):
    setup.argv.insert(setup.argv.index("train.len"), "train.len")
    return told_shards("train.len")


def a_copy_of_the_manifest(setup, _rng):
    setup.files["copy.len"] = setup.files["train.len"]
    setup.argv.insert(setup.argv.index("train.len"), "copy.len")
    if "train.tgt.len" in setup.files:
        setup.files["copy.tgt.len"] = setup.files["train.tgt.len"]
        setup.argv += ["--tgt", "copy.tgt.len"]
    return told_shards(r"train\.len", r"copy\.len", "tgt")


def source_as_target(setup, _rng):
    if "train.tgt.len" not in setup.files:
        return None
    setup.put("train.tgt.len", "train.len")
    return told_shards("train.len", "tgt", "target")


def a_copy_as_target(setup, _rng):
    if "train.tgt.len" not in setup.files:
        return None
    setup.files["train.tgt.len"] = setup.files["train.len"]
    return told_shards("train.tgt.len", "train.len", "target")


def a_shorter_target(setup, _rng):
    if "train.tgt.len" not in setup.files:
        return None
    setup.files["train.tgt.len"] = setup.files["train.tgt.len"].split("\n", 1)[1]
    return Told("train.tgt.len")


def another_target(setup, _rng):
    if "train.tgt.len" not in setup.files:
        return None
    setup.files["train.tgt.len"] = setup.other("another run").manifests["train.tgt.len"]
    return Hidden("as many rows, and nothing but the lengths to say which belong together")


def odd_lengths(change, pattern):
    def apply(setup, rng):
        values = [int(line) for line in setup.files["train.len"].split()]
        setup.files["train.len"] = change(values, rng)
        return Told(pattern)

    return apply


def seconds_table(values, factor):
    return "id,duration\n" + "".join(f"u{number},{value * factor}\n" for number, value in enumerate(values))


for name, function in {
        "a-manifest-twice": manifest_twice, "a-copy-of-the-manifest": a_copy_of_the_manifest,
        "the-source-as-target": source_as_target, "a-copy-of-the-source-as-target": a_copy_as_target,
        "a-target-of-fewer-rows": a_shorter_target, "a-target-of-another-set": another_target,
        "milliseconds-as-seconds": odd_lengths(lambda values, rng: seconds_table(values, 120), ABSURD),
        "samples-as-seconds": odd_lengths(lambda values, rng: seconds_table(values, 1600), ABSURD),
        "a-length-is-a-hundred-thousandfold": odd_lengths(
            lambda values, rng: lengths_text([values[0] * 100_000, *values[1:]]), "train.len|longest|length"),
        "all-lengths-are-zero": odd_lengths(lambda values, rng: lengths_text([0] * len(values)), "train.len|0|zero"),
        "a-negative-length": odd_lengths(lambda values, rng: lengths_text([-values[0]] + values[1:]), "train.len"),
        "a-header-alone": odd_lengths(lambda values, rng: "id,duration\n", "train.len"),
        "empty": odd_lengths(lambda values, rng: "", "train.len"),
}.items():
    named(SELECT, lambda catalogue: catalogue.select("manifest"), name, function)
    named(SCAN, lambda catalogue: catalogue.scan(), name, function)
