from fastai.text.all import *

df = pd.read_csv("data/texts.csv")
dls = TextDataLoaders.from_df(df, text_col="text", label_col="label", valid_pct=0.02, bs=32)
config = {**awd_lstm_clas_config, "emb_sz": 100, "n_hid": 200, "n_layers": 2}
learn = text_classifier_learner(dls, AWD_LSTM, config=config, pretrained=False, metrics=accuracy)
learn.fit_one_cycle(1, 2e-2)
