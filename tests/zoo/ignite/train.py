import json
import logging

import torch
from ignite.engine import Events, create_supervised_trainer
from ignite.utils import setup_logger
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

logging.basicConfig(level=logging.INFO)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(500, 96)
        self.lstm = nn.LSTM(96, 192, 2, batch_first=True)
        self.output = nn.Linear(192, 2)

    def forward(self, x):
        return self.output(self.lstm(self.embedding(x))[0].mean(1))


def collate(rows):
    words = [torch.tensor(row["words"]) for row in rows]
    return pad_sequence(words, batch_first=True), torch.tensor([row["label"] for row in rows])


with open("data/rows.jsonl") as file:
    rows = [json.loads(line) for line in file]
train_loader = DataLoader(rows, batch_size=16, shuffle=True, collate_fn=collate)

model = Net()
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.005)
criterion = nn.CrossEntropyLoss()
trainer = create_supervised_trainer(model, optimizer, criterion, "cpu")
trainer.logger = setup_logger("trainer")


@trainer.on(Events.ITERATION_COMPLETED(every=100))
def log_training_loss(engine):
    state = engine.state
    print(f"Epoch[{state.epoch}], Iter[{state.iteration}] Loss: {state.output:.2f}")


trainer.run(train_loader, max_epochs=1)
