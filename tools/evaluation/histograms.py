"""Batches of the data sets in examples/data, as different loaders make them.

Cost functions are projected over these histograms.
"""
from epochs import DATA

SPEECH = DATA / "librispeech-train-clean-100.csv"
ENGLISH, GERMAN = DATA / "multi30k-train.en.len", DATA / "multi30k-train.de.len"
WMT, IWSLT = DATA / "opennmt-sample.en.len", DATA / "iwslt15-train.en-vi.tsv.gz"

_SOURCE, _TARGET = "--length-field src_tokens", "--length-field tgt_tokens"
_PAIRS, _BACK = (
    "--length-field src_tokens --tgt-length-field tgt_tokens",
    "--length-field tgt_tokens --tgt-length-field src_tokens",
)

# Name, manifest, options of `seqpoint scan`. The page on the method quotes the first three.
# "speech-ds" is the first epoch of deepspeech.pytorch 2.0, whose batches follow the file.
ONE_LENGTH = [
    ("librispeech", SPEECH, "--frame-shift 0.04 --sampler sorted --batch-size 64 --drop-last"),
    ("multi30k", ENGLISH, "--sampler pytorch --seed 1 --batch-size 32 --drop-last"),
    ("opennmt", WMT, "--sampler pytorch --seed 1 --batch-size 16 --drop-last"),
    ("speech-10ms", SPEECH, "--frame-shift 0.01 --sampler sorted --batch-size 64 --drop-last"),
    (
        "speech-shuffled",
        SPEECH,
        "--frame-shift 0.02 --sampler pytorch --seed 1 --batch-size 32 --drop-last",
    ),
    ("speech-16", SPEECH, "--frame-shift 0.04 --sampler sorted --batch-size 16 --drop-last"),
    ("speech-ds", SPEECH, "--frame-shift 0.01 --sampler sequential --batch-size 20"),
    ("speech-100", SPEECH, "--frame-shift 0.04 --sampler sorted --batch-size 100 --drop-last"),
    ("speech-24", SPEECH, "--frame-shift 0.02 --sampler sorted --batch-size 24 --drop-last"),
    (
        "speech-shuffled-8",
        SPEECH,
        "--frame-shift 0.01 --sampler pytorch --seed 9 --batch-size 8 --drop-last",
    ),
    ("speech-ds-32", SPEECH, "--frame-shift 0.02 --sampler sequential --batch-size 32"),
    (
        "speech-grouped",
        SPEECH,
        (
            "--frame-shift 0.04 --sampler hf-length-grouped --sampler-version 4.30 --seed 5 "
            "--batch-size 16 --drop-last"
        ),
    ),
    ("speech-80", SPEECH, "--frame-shift 0.04 --sampler sorted --batch-size 80 --drop-last"),
    ("speech-20", SPEECH, "--frame-shift 0.01 --sampler sorted --batch-size 20 --drop-last"),
    (
        "speech-shuffled-64",
        SPEECH,
        "--frame-shift 0.02 --sampler pytorch --seed 61 --batch-size 64 --drop-last",
    ),
    ("speech-ds-48", SPEECH, "--frame-shift 0.01 --sampler sequential --batch-size 48"),
    (
        "speech-grouped-24",
        SPEECH,
        (
            "--frame-shift 0.02 --sampler hf-length-grouped --sampler-version 4.30 --seed 62 "
            "--batch-size 24 --drop-last"
        ),
    ),
    ("german", GERMAN, "--sampler pytorch --seed 2 --batch-size 64 --drop-last"),
    (
        "grouped",
        ENGLISH,
        "--sampler hf-length-grouped --sampler-version 4.30 --seed 1 --batch-size 32 --drop-last",
    ),
    ("german-20", GERMAN, "--sampler pytorch --seed 7 --batch-size 20 --drop-last"),
    ("german-sorted", GERMAN, "--sampler sorted --batch-size 50 --drop-last"),
    (
        "german-grouped",
        GERMAN,
        "--sampler hf-length-grouped --sampler-version 4.30 --seed 64 --batch-size 32 --drop-last",
    ),
    ("german-16", GERMAN, "--sampler pytorch --seed 65 --batch-size 16 --drop-last"),
    ("multi30k-100", ENGLISH, "--sampler sorted --batch-size 100 --drop-last"),
    ("multi30k-48", ENGLISH, "--sampler pytorch --seed 63 --batch-size 48 --drop-last"),
    ("wmt-sorted", WMT, "--sampler sorted --batch-size 32 --drop-last"),
    ("wmt-64", WMT, "--sampler pytorch --seed 3 --batch-size 64 --drop-last"),
    ("wmt-8", WMT, "--sampler pytorch --seed 11 --batch-size 8 --drop-last"),
    (
        "wmt-grouped",
        WMT,
        "--sampler hf-length-grouped --sampler-version 4.30 --seed 2 --batch-size 16 --drop-last",
    ),
    ("wmt-sorted-12", WMT, "--sampler sorted --batch-size 12 --drop-last"),
    ("wmt-32", WMT, "--sampler pytorch --seed 66 --batch-size 32 --drop-last"),
    (
        "wmt-grouped-8",
        WMT,
        "--sampler hf-length-grouped --sampler-version 4.30 --seed 67 --batch-size 8 --drop-last",
    ),
    ("iwslt", IWSLT, f"{_SOURCE} --sampler pytorch --seed 1 --batch-size 64 --drop-last"),
    ("iwslt-sorted", IWSLT, f"{_SOURCE} --sampler sorted --batch-size 32 --drop-last"),
    (
        "iwslt-grouped",
        IWSLT,
        (
            f"{_SOURCE} --sampler hf-length-grouped --sampler-version 4.30 --seed 68 "
            "--batch-size 96 --drop-last"
        ),
    ),
    ("iwslt-40", IWSLT, f"{_SOURCE} --sampler pytorch --seed 69 --batch-size 40 --drop-last"),
    ("vietnamese", IWSLT, f"{_TARGET} --sampler pytorch --seed 4 --batch-size 96 --drop-last"),
    ("vietnamese-sorted", IWSLT, f"{_TARGET} --sampler sorted --batch-size 128 --drop-last"),
    ("vietnamese-64", IWSLT, f"{_TARGET} --sampler pytorch --seed 70 --batch-size 64 --drop-last"),
    ("vietnamese-sorted-80", IWSLT, f"{_TARGET} --sampler sorted --batch-size 80 --drop-last"),
]

PAIRS = [
    ("pairs", ENGLISH, f"--tgt {GERMAN} --sampler pytorch --seed 1 --batch-size 32 --drop-last"),
    ("pairs-sorted", ENGLISH, f"--tgt {GERMAN} --sampler sorted --batch-size 32 --drop-last"),
    ("pairs-gnmt", ENGLISH, f"--tgt {GERMAN} --sampler mlperf-gnmt --batch-size 48 --drop-last"),
    (
        "german-english",
        GERMAN,
        f"--tgt {ENGLISH} --sampler pytorch --seed 3 --batch-size 48 --drop-last",
    ),
    ("iwslt-pairs", IWSLT, f"{_PAIRS} --sampler pytorch --seed 1 --batch-size 64 --drop-last"),
    ("iwslt-gnmt", IWSLT, f"{_PAIRS} --sampler mlperf-gnmt --batch-size 128 --drop-last"),
    ("iwslt-pairs-sorted", IWSLT, f"{_PAIRS} --sampler sorted --batch-size 32 --drop-last"),
    (
        "vietnamese-english",
        IWSLT,
        f"{_BACK} --sampler pytorch --seed 6 --batch-size 32 --drop-last",
    ),
]
