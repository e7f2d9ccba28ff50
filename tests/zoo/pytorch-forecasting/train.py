import lightning.pytorch as pl
import pandas as pd
from pytorch_forecasting import TemporalFusionTransformer, TimeSeriesDataSet
from pytorch_forecasting.data import GroupNormalizer
from pytorch_forecasting.metrics import QuantileLoss

data = pd.read_csv("data/series.csv")
max_prediction_length = 6
max_encoder_length = 24
training = TimeSeriesDataSet(
    data,
    time_idx="time",
    target="value",
    group_ids=["group"],
    min_encoder_length=max_encoder_length // 2,
    max_encoder_length=max_encoder_length,
    min_prediction_length=1,
    max_prediction_length=max_prediction_length,
    static_categoricals=["group"],
    time_varying_known_reals=["time"],
    time_varying_unknown_reals=["value"],
    target_normalizer=GroupNormalizer(groups=["group"]),
    add_relative_time_idx=True,
    add_target_scales=True,
    add_encoder_length=True,
)
train_dataloader = training.to_dataloader(train=True, batch_size=32, num_workers=0)

pl.seed_everything(42)
trainer = pl.Trainer(max_epochs=1, accelerator="cpu", gradient_clip_val=0.1)
tft = TemporalFusionTransformer.from_dataset(
    training,
    learning_rate=0.03,
    hidden_size=16,
    attention_head_size=2,
    dropout=0.1,
    hidden_continuous_size=8,
    loss=QuantileLoss(),
)
trainer.fit(tft, train_dataloaders=train_dataloader)
