"""A training job that saves through a library, over checkpoints of an earlier run.

job.py transformers|lightning|accelerate|distributed|safetensors
"""

import os
import pathlib
import sys

import torch

LENGTHS = [3 + (7 * row) % 40 for row in range(160)]


class Samples(torch.utils.data.Dataset):
    def __len__(self):
        return len(LENGTHS)

    def __getitem__(self, row):
        return {"input_ids": torch.ones(LENGTHS[row], dtype=torch.long)}


def pad(samples):
    rows = [of["input_ids"] for of in samples]
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return {"input_ids": ids, "labels": ids}


def loader():
    return torch.utils.data.DataLoader(Samples(), batch_size=8, shuffle=True, collate_fn=pad)


def network():
    return torch.nn.Sequential(torch.nn.Embedding(8, 4), torch.nn.Linear(4, 8))


def loss_of(model, batch):
    return torch.nn.functional.cross_entropy(
        model(batch["input_ids"]).flatten(0, 1), batch["labels"].flatten()
    )


def tokenizer():
    from tokenizers import Tokenizer, models
    from transformers import PreTrainedTokenizerFast

    words = models.WordLevel({"a": 0, "b": 1}, unk_token="b")
    return PreTrainedTokenizerFast(tokenizer_object=Tokenizer(words))


def transformers():
    from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments
    from transformers.trainer_utils import get_last_checkpoint

    sizes = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1}
    config = LlamaConfig(vocab_size=8, num_attention_heads=1, num_key_value_heads=1, **sizes)
    model = LlamaForCausalLM(config)
    arguments = TrainingArguments(
        output_dir="out",
        per_device_train_batch_size=8,
        num_train_epochs=1,
        save_steps=5,
        save_total_limit=2,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
    )
    trainer = Trainer(model, arguments, train_dataset=Samples(), data_collator=pad)
    trainer.processing_class = tokenizer()
    trainer.train()
    trainer.save_model("final")
    trainer.save_state()
    LlamaForCausalLM.from_pretrained("final")
    last = get_last_checkpoint("out")
    assert os.path.basename(last) == "checkpoint-20", last
    assert os.path.exists(os.path.join(last, "optimizer.pt"))


def lightning():
    import lightning
    from lightning.pytorch.callbacks import ModelCheckpoint

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = network()

        def training_step(self, batch, _):
            return loss_of(self.model, batch)

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1)

    keeps = ModelCheckpoint(dirpath="out", save_top_k=1, every_n_train_steps=5, save_last=True)
    trainer = lightning.Trainer(
        max_epochs=1, callbacks=[keeps], accelerator="cpu", enable_progress_bar=False
    )
    trainer.fit(Module(), loader())
    trainer.save_checkpoint("final.ckpt")
    assert torch.load("final.ckpt", weights_only=False)["global_step"] == 20
    assert os.path.exists("out/last.ckpt")


def accelerate():
    from accelerate import Accelerator

    accelerator = Accelerator(cpu=True)
    model = network()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    model, optimiser, batches = accelerator.prepare(model, optimiser, loader())
    for number, batch in enumerate(batches):
        loss = loss_of(model, batch)
        accelerator.backward(loss)
        optimiser.step()
        optimiser.zero_grad()
        if number % 5 == 0:
            accelerator.save_state("out")
    accelerator.save_model(model, "final")
    accelerator.load_state("out")


def plain(save):
    model = network()
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for number, batch in enumerate(loader()):
        optimiser.zero_grad()
        loss_of(model, batch).backward()
        optimiser.step()
        if number % 5 == 0:
            save(model)


def distributed():
    import torch.distributed.checkpoint as checkpoints

    plain(lambda model: checkpoints.save(model.state_dict(), checkpoint_id="out"))
    state = network().state_dict()
    checkpoints.load(state, checkpoint_id="out")


def safetensors():
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file

    plain(lambda model: save_file(model.state_dict(), pathlib.Path("model.safetensors")))
    assert "0.weight" in load_file("model.safetensors")
    with safe_open("model.safetensors", framework="pt") as file:
        assert "0.weight" in file.keys()


globals()[sys.argv[1]]()
print("trained")
