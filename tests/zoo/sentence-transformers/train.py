from datasets import load_dataset
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.losses import MultipleNegativesRankingLoss
from sentence_transformers.training_args import BatchSamplers

model = SentenceTransformer("data/bert")
train_dataset = load_dataset("json", data_files="data/triplets.jsonl", split="train")
args = SentenceTransformerTrainingArguments(
    output_dir="out",
    num_train_epochs=1,
    per_device_train_batch_size=8,
    learning_rate=2e-5,
    warmup_ratio=0.1,
    batch_sampler=BatchSamplers.NO_DUPLICATES,
    use_cpu=True,
    report_to="none",
)
trainer = SentenceTransformerTrainer(
    model=model, args=args, train_dataset=train_dataset, loss=MultipleNegativesRankingLoss(model)
)
trainer.train()
