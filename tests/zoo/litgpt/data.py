"""Instructions of random words, and a small checkpoint."""

import json
import shutil
from pathlib import Path

import made
import torch
from litgpt import GPT, Config
from litgpt.utils import save_config

rows = [
    {
        "instruction": made.sentence(made.length()),
        "input": "",
        "output": made.sentence(made.length()),
    }
    for _ in range(made.part(2000))
]
made.write_text("alpaca.json", [json.dumps(rows)])

folder = Path("data/tiny")
folder.mkdir(parents=True)
config = Config(
    name="tiny",
    block_size=512,
    vocab_size=512,
    padded_vocab_size=512,
    n_layer=3,
    n_head=4,
    n_embd=128,
    rotary_percentage=1.0,
)
model = GPT(config)
model.apply(model._init_weights)
torch.save(model.state_dict(), folder / "lit_model.pth")
save_config(config, folder)
made.tokenizer().save_pretrained(folder)
(folder / "generation_config.json").write_text('{"bos_token_id": 1, "eos_token_id": 2}')
