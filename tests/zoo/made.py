"""Made data that the trainers' own data.py scripts share: random words, lengths that vary.

Every call draws from one generator, so a script makes the same files each time.
"""

import json
import os
import random
from pathlib import Path

DATA = Path("data")
SPECIAL = ["<unk>", "<s>", "</s>", "<pad>", "[CLS]", "[SEP]", "[MASK]"]

PART = float(os.environ.get("ZOO_PART") or 1)

draw = random.Random(7)


def part(number):
    """A number of rows; fewer if run.py was given --part."""
    return max(1, int(number * PART))


def word():
    return "".join(draw.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(draw.randint(2, 8)))


WORDS = sorted({word() for _ in range(500)})


def length(median=20, spread=0.7, least=2, most=120):
    """A log-normal number of words."""
    return max(least, min(most, int(median * draw.lognormvariate(0, spread))))


def sentence(number):
    return " ".join(draw.choice(WORDS) for _ in range(number))


def write_text(name, lines):
    path = DATA / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def write_rows(name, rows):
    """A file of JSON lines."""
    write_text(name, map(json.dumps, rows))


def write_translations(train, valid=100):
    """data/train.src and .tgt, data/valid.src and .tgt: two sides of similar lengths."""
    for name, number in (("train", part(train)), ("valid", valid)):
        lengths = [length(18, 0.6, most=60) for _ in range(number)]
        write_text(f"{name}.src", map(sentence, lengths))
        write_text(
            f"{name}.tgt", (sentence(max(2, int(n * draw.uniform(0.7, 1.3)))) for n in lengths)
        )


def tokenizer():
    """A tokenizer of transformers with one token for each word."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    numbers = {token: number for number, token in enumerate([*SPECIAL, *WORDS])}
    words = Tokenizer(models.WordLevel(numbers, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=words,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        cls_token="[CLS]",
        sep_token="[SEP]",
        mask_token="[MASK]",
        model_max_length=512,
    )


def save_llama(folder="data/llama"):
    """A language model with random weights, and its tokenizer."""
    from transformers import LlamaConfig, LlamaForCausalLM

    config = LlamaConfig(
        vocab_size=len(SPECIAL) + len(WORDS),
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=3,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=512,
        bos_token_id=1,
        eos_token_id=2,
        pad_token_id=3,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    tokenizer().save_pretrained(folder)


def save_bert(folder="data/bert"):
    """An encoder with random weights, and its tokenizer."""
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=len(SPECIAL) + len(WORDS),
        hidden_size=128,
        intermediate_size=384,
        num_hidden_layers=3,
        num_attention_heads=4,
        pad_token_id=3,
    )
    BertModel(config).save_pretrained(folder)
    tokenizer().save_pretrained(folder)
