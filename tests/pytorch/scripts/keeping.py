"""Keeps files as training jobs do, over those of an earlier run, and prints what it then sees.

As Hugging Face's Trainer with save_total_limit, Lightning's ModelCheckpoint, an atomic pickle, a
rotation by links, TensorBoard's events and a CSV that is appended to.
"""

import csv
import glob
import hashlib
import json
import os
import pickle
import shutil
import tempfile

import corpus
import torch
from torch.utils.data import DataLoader

torch.manual_seed(1)
model = corpus.Network()
optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(corpus.Pairs(), batch_size=8, shuffle=True, collate_fn=corpus.pad)


def save_checkpoint(step):
    """A folder for each step, written under another name; the two newest stay."""
    folder = f"out/checkpoint-{step}"
    staging = f"out/tmp-checkpoint-{step}"
    os.makedirs(staging, exist_ok=True)
    torch.save(model.state_dict(), f"{staging}/model.bin")
    with open(f"{staging}/trainer_state.json", "w", encoding="utf-8") as file:
        json.dump({"step": step}, file)
    if os.path.exists(folder):
        shutil.rmtree(folder)
    os.rename(staging, folder)
    folders = sorted(glob.glob("out/checkpoint-*"), key=lambda name: int(name.split("-")[1]))
    for oldest in folders[:-2]:
        shutil.rmtree(oldest, ignore_errors=True)


class Best:
    """The best file: the one before is removed, and a name that is taken gets a version."""

    path = ""

    def save(self, step):
        path, version = f"best/step={step}.ckpt", 0
        while os.path.exists(path):
            version += 1
            path = f"best/step={step}-v{version}.ckpt"
        torch.save({"step": step, "model": model.state_dict()}, path)
        shutil.copyfile(path, "best/last.ckpt")
        if self.path and os.path.exists(self.path):
            os.remove(self.path)
        self.path = path


def pickle_atomically(value):
    with tempfile.NamedTemporaryFile("wb", dir=".", delete=False) as file:
        pickle.dump(value, file)
    os.chmod(file.name, 0o644)
    os.replace(file.name, "state.pkl")


def rotate_by_links(step):
    if os.path.exists("rotated.pt"):
        if os.path.exists("rotated.previous.pt"):
            os.unlink("rotated.previous.pt")
        os.link("rotated.pt", "rotated.previous.pt")
    torch.save(step, "rotated.tmp.pt")
    os.replace("rotated.tmp.pt", "rotated.pt")


def seen():
    """{path: digest} of all that the job sees."""
    found = {}
    for at, _, names in os.walk("."):
        for path in (os.path.join(at, name) for name in names):
            with open(path, "rb") as file:
                found[path] = hashlib.sha256(file.read()).hexdigest()
    return found


best = Best()
os.makedirs("logs", exist_ok=True)
with open("logs/events.out.tfevents.2", "ab") as events:
    for step, batch in enumerate(loader):
        optimiser.zero_grad()
        loss = model(**batch)["loss"]
        loss.backward()
        optimiser.step()
        events.write(f"{step}\n".encode())
        if step % 5 == 0:
            save_checkpoint(step)
            best.save(step)
            pickle_atomically({"step": step})
            rotate_by_links(step)
            with open("history.csv", "a", newline="", encoding="utf-8") as file:
                csv.writer(file).writerow([step, f"{loss.item():.3f}"])
print(json.dumps(seen(), sort_keys=True))
