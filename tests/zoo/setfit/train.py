from datasets import load_dataset
from setfit import SetFitModel, Trainer, TrainingArguments

train_dataset = load_dataset("json", data_files="data/train.jsonl", split="train")
model = SetFitModel.from_pretrained("data/bert")
args = TrainingArguments(
    batch_size=16,
    num_epochs=1,
    report_to="none",
    output_dir="out",
)
trainer = Trainer(model=model, args=args, train_dataset=train_dataset)
trainer.train()
