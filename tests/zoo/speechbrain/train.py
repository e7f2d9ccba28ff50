import sys

import speechbrain as sb
import torch
from hyperpyyaml import load_hyperpyyaml
from speechbrain.dataio.sampler import DynamicBatchSampler


class SpkIdBrain(sb.Brain):
    def compute_forward(self, batch, stage):
        batch = batch.to(self.device)
        wavs, lens = batch.sig
        feats = self.modules.compute_features(wavs)
        feats = self.modules.mean_var_norm(feats, lens)
        embeddings = self.modules.embedding_model(feats, lens)
        return self.modules.classifier(embeddings)

    def compute_objectives(self, predictions, batch, stage):
        return sb.nnet.losses.nll_loss(predictions, batch.spk_encoded.data)


@sb.utils.data_pipeline.takes("wav")
@sb.utils.data_pipeline.provides("sig")
def audio_pipeline(wav):
    return sb.dataio.dataio.read_audio(wav)


@sb.utils.data_pipeline.takes("spk")
@sb.utils.data_pipeline.provides("spk_encoded")
def label_pipeline(spk):
    return torch.LongTensor([spk])


if __name__ == "__main__":
    hparams_file, run_opts, overrides = sb.parse_arguments(sys.argv[1:])
    with open(hparams_file) as fin:
        hparams = load_hyperpyyaml(fin, overrides)
    sb.create_experiment_directory(hparams["output_folder"], hparams_file, overrides)
    train_data = sb.dataio.dataset.DynamicItemDataset.from_json(
        hparams["train_annotation"],
        dynamic_items=[audio_pipeline, label_pipeline],
        output_keys=["id", "sig", "spk_encoded"],
    )
    sampler = DynamicBatchSampler(
        train_data,
        max_batch_length=hparams["max_batch_length"],
        num_buckets=hparams["num_buckets"],
        length_func=lambda x: x["length"],
        shuffle=True,
        drop_last=True,
    )
    brain = SpkIdBrain(
        modules=hparams["modules"],
        opt_class=hparams["opt_class"],
        hparams=hparams,
        run_opts=run_opts,
    )
    brain.fit(hparams["epoch_counter"], train_data, train_loader_kwargs={"batch_sampler": sampler})
