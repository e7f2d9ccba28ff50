import json

from gliner import GLiNER

with open("data/train.json") as file:
    train_dataset = json.load(file)

config = {"model_name": "data/bert", "hidden_size": 128, "max_width": 6, "max_len": 128}
model = GLiNER.from_config(config)
model.train_model(
    train_dataset=train_dataset,
    eval_dataset=None,
    output_dir="out",
    num_train_epochs=1,
    max_steps=-1,
    per_device_train_batch_size=8,
    learning_rate=1e-5,
    use_cpu=True,
    bf16=False,
    report_to="none",
)
