"""Noise of varying duration, with random words."""

import json
import wave
from pathlib import Path

import made
import numpy as np

draw = np.random.default_rng(3)
folder = Path("data/wav")
folder.mkdir(parents=True)
rows = {}
for number in range(made.part(800)):
    duration_s = float(np.clip(draw.lognormal(0.6, 0.5), 0.5, 8))
    samples = (draw.normal(size=int(duration_s * 16000)) * 3000).astype("<i2")
    path = folder / f"{number:04}.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(samples.tobytes())
    rows[f"u{number:04}"] = {"wav": str(path), "length": len(samples) / 16000, "spk": number % 20}
made.write_text("train.json", [json.dumps(rows)])
