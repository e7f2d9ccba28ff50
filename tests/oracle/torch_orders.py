"""Batch orders of the installed PyTorch, compared with those of `seqpoint scan --rows`.

    python3 torch_orders.py PATH/TO/seqpoint

Exit status 77 (skipped) if PyTorch cannot be imported. Random cases, with a fixed seed: sizes,
batch sizes, seeds, epochs, drop_last, generators, persistent workers, a validation loader in
between, replacement, and DistributedSampler.
"""

import random
import subprocess
import sys

try:
    import torch
    from torch.utils.data import DataLoader, RandomSampler
    from torch.utils.data.distributed import DistributedSampler
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

SEQPOINT = sys.argv[1]
EPOCHS = 3
KEYS = (  # of --sampler
    "generator-seed replacement val-loaders rng-skip persistent-workers no-shuffle no-set-epoch"
).split()


def scanned(n, options):
    """Batches of every rank, [epoch][step][rank][row], as seqpoint predicts them."""
    own = ",".join(word for word in map(str, options) if word.split("=")[0] in KEYS)
    others = [word for word in map(str, options) if word.split("=")[0] not in KEYS]
    if own:
        others[1] += ":" + own  # behind --sampler
    command = [SEQPOINT, "-q", "scan", "-", "--rows", "--epochs", str(EPOCHS), *others]
    lengths = "".join(f"{7 + i % 90}\n" for i in range(n))
    done = subprocess.run(command, input=lengths, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    lines = done.stdout.splitlines()
    columns = lines[0].split(",")
    epoch, rows = columns.index("epoch"), columns.index("rows")
    epochs = [[] for _ in range(EPOCHS)]
    for line in lines[1:]:
        fields = line.split(",")
        ranks = [[int(row) for row in rank.split()] for rank in fields[rows].split("|")]
        epochs[int(fields[epoch])].append(ranks)
    return epochs


def loaded(loader, between_epochs=lambda: None):
    epochs = []
    for _ in range(EPOCHS):
        epochs.append([[batch.tolist()] for batch in loader])
        between_epochs()
    return epochs


def loader_case(draw):
    n, batch = draw.randint(1, 200), draw.randint(1, 40)
    seed, drop_last = draw.getrandbits(64) - 2**63, draw.random() < 0.5
    kind = draw.choice(
        ["plain", "generator", "validation", "replacement", "replacement+generator", "skip"]
    )
    if drop_last and n < batch:
        drop_last = False
    options = ["--sampler", "pytorch", "--batch-size", batch]
    arguments = {"batch_size": batch, "drop_last": drop_last, "num_workers": 0}
    data = list(range(n))
    torch.manual_seed(seed)
    between = lambda: None
    if drop_last:
        options += ["--drop-last"]
    if "generator" in kind:
        own_seed = draw.getrandbits(63)
        arguments["generator"] = torch.Generator().manual_seed(own_seed)
        options += [f"generator-seed={own_seed}"]
    else:
        options += ["--seed", seed]
    if "replacement" in kind:
        arguments["sampler"] = RandomSampler(
            data, replacement=True, generator=arguments.get("generator")
        )
        options += ["replacement"]
    else:
        arguments["shuffle"] = True
    if kind == "validation":
        validation = DataLoader(list(range(3)), batch_size=2)
        between = lambda: list(validation)
        options += ["val-loaders=1"]
    if kind == "skip":
        torch.nn.Linear(draw.randint(1, 20), draw.randint(1, 20))
        torch.randn(draw.randint(1, 40))
        torch.randint(0, 2, (draw.randint(1, 500),))
        options += [f"rng-skip={outputs_drawn(seed)}"]
    return n, options, loaded(DataLoader(data, **arguments), between)


def outputs_drawn(seed):
    """The number of 32-bit outputs of the default generator since torch.manual_seed.

    `seqpoint list samplers pytorch` explains how to count them.
    """
    own, drawn = torch.Generator().manual_seed(seed), 0
    while not torch.equal(own.get_state()[:5016], torch.get_rng_state()[:5016]):
        torch.randint(2, (1,), generator=own)
        drawn += 1
        assert drawn < 10_000
    return drawn


def persistent_case(draw):
    n, batch, seed = draw.randint(2, 60), draw.randint(1, 16), draw.getrandbits(32)
    torch.manual_seed(seed)
    loader = DataLoader(
        list(range(n)), batch_size=batch, shuffle=True, num_workers=1, persistent_workers=True
    )
    options = [
        "--sampler",
        "pytorch",
        "--batch-size",
        batch,
        "--seed",
        seed,
        "persistent-workers",
    ]
    return n, options, loaded(loader)


def distributed_case(draw):
    n, batch, world = draw.randint(1, 150), draw.randint(1, 12), draw.randint(1, 8)
    seed, drop_last, shuffle, told = (
        draw.getrandbits(31),
        draw.random() < 0.5,
        draw.random() < 0.8,
        draw.random() < 0.8,
    )
    if drop_last and n < world * batch + world:
        drop_last = False
    ranks = []
    for rank in range(world):
        sampler = DistributedSampler(
            range(n), world, rank, shuffle=shuffle, seed=seed, drop_last=drop_last
        )
        loader = DataLoader(list(range(n)), batch_size=batch, sampler=sampler, drop_last=drop_last)
        epochs = []
        for epoch in range(EPOCHS):
            if told:
                sampler.set_epoch(epoch)
            epochs.append([rows.tolist() for rows in loader])
        ranks.append(epochs)
    steps = [
        [[ranks[r][e][s] for r in range(world)] for s in range(len(ranks[0][e]))]
        for e in range(EPOCHS)
    ]
    options = [
        "--sampler",
        "pytorch-distributed",
        "--batch-size",
        batch,
        "--world-size",
        world,
        "--seed",
        seed,
    ]
    options += (
        ["--drop-last"] * drop_last + ["no-shuffle"] * (not shuffle) + ["no-set-epoch"] * (not told)
    )
    return n, options, steps


def main():
    draw = random.Random(20200824)
    compared = 0
    for case, times in ((loader_case, 300), (distributed_case, 150), (persistent_case, 3)):
        for _ in range(times):
            n, options, expected = case(draw)
            if scanned(n, options) != expected:
                print(f"differs: n={n} {' '.join(map(str, options))}")
                sys.exit(1)
            compared += EPOCHS
    print(f"PyTorch {torch.__version__}: {compared} epochs, all equal")


main()
