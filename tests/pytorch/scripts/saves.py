"""A loop that saves every 5 batches, rotates its checkpoints, reads them, and saves at its exit.

Each check fails in a job that does not find its own checkpoints under their own names.
"""

import atexit
import glob
import os
import pathlib
import pickle
import shutil

import corpus
import torch
from torch.utils.data import DataLoader

model = corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(corpus.Pairs(), batch_size=8, shuffle=True, collate_fn=corpus.pad)
atexit.register(lambda: torch.save(model.state_dict(), "exit.pt"))


def save_last(number):
    torch.save({"number": number}, "last.tmp")
    os.replace("last.tmp", "last.pt")
    assert torch.load("last.pt")["number"] == number
    with open("weights.pth", "wb") as file:
        pickle.dump(number, file)
    with open("weights.pth", "rb") as file:
        assert pickle.load(file) == number
    if os.path.islink("latest"):
        os.remove("latest")
    os.symlink("last.pt", "latest")
    assert torch.load("latest")["number"] == number


def save_step(number):
    folder = pathlib.Path("steps") / f"step-{number}"
    os.makedirs(f"{folder}.part")  # an error if an earlier process of the job has left it
    torch.save(model.state_dict(), f"{folder}.part/model.pt")
    (pathlib.Path(f"{folder}.part") / "state.json").write_text("{}")
    os.rename(f"{folder}.part", folder)
    assert not os.path.exists(f"{folder}.part")
    assert sorted(os.listdir(folder)) == ["model.pt", "state.json"], os.listdir(folder)
    assert [path.name for path in folder.glob("*.pt")] == ["model.pt"]
    assert (folder / "model.pt").stat().st_size > 100
    torch.load(folder / "model.pt")


def rotate():
    """Keeps the two newest folders, as trainers do: older ones may be those of an earlier run."""
    folders = sorted(glob.glob("steps/step-*"), key=os.path.getmtime)
    for folder in folders[:-2]:
        shutil.rmtree(folder)
        assert not os.path.exists(folder)
    assert len(os.listdir("steps")) <= 2, os.listdir("steps")


for number, batch in enumerate(loader):
    optimiser.zero_grad()
    model(**batch)["loss"].backward()
    optimiser.step()
    if number % 5 == 0:
        save_last(number)
        save_step(number)
        rotate()
    if number == 5:
        os.remove("best.ckpt")
        assert not os.path.exists("best.ckpt") and "best.ckpt" not in os.listdir(".")
        with open("metrics.json", "w", encoding="utf-8") as file:
            file.write("{}")
print(os.environ["SEQPOINT_MODE"], os.environ["WANDB_MODE"])
