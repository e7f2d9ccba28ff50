import pandas as pd
from simpletransformers.classification import ClassificationModel

train_df = pd.read_csv("data/texts.csv")
model = ClassificationModel(
    "bert",
    "data/bert",
    use_cuda=False,
    args={"output_dir": "out", "num_train_epochs": 1, "fp16": False, "train_batch_size": 8},
)
model.train_model(train_df)
