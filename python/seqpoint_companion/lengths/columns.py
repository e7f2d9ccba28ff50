"""Which column of a table, or which key of a record, contains the lengths.

Names and their order are those of `seqpoint scan`: tokens come before numbers of samples, unless
another name shows that the data set is audio.
"""

from ..faults import BadInput

LENGTHS = ("length", "src_len", "src_tokens")
SAMPLES = ("samples", "num_samples", "n_samples")
AUDIO = ("num_frames", "n_frames", "frames", "duration", "duration_ms", "seconds")
TOKENS = (
    "num_tokens",
    "input_ids",
    "tokens",
    "seq_len",
    "ContextTokens",
    "Request tokens",
    "input_length",
    "input_tokens",
    "prompt_tokens",
)
NUMBERS_ONLY = {  # a list under such a key is many lengths, not a sequence
    *("length", "src_len", "tgt_len", "seq_len", "input_length"),
    *("num_samples", "n_samples", "num_frames", "n_frames", "num_tokens"),
    *("duration", "duration_ms", "seconds"),
}
TEXTS = ("messages", "conversations", "prompt+completion", "prompt", "text", "content")
ALPACA = "instruction+input+output"
SHOWN = 24  # names in a message


def usual_columns(names):
    """The columns that may be lengths, the likeliest first."""
    audio = any(name in AUDIO for name in names)
    order = (LENGTHS, SAMPLES, AUDIO, TOKENS) if audio else (LENGTHS, AUDIO, TOKENS, SAMPLES)
    return [usual for group in order for usual in group if usual in names]


def text_columns(names):
    """Columns of text that trainers read, the likeliest first; joined names are one sample."""
    found = [name for name in TEXTS if all(part in names for part in name.split("+"))]
    if "instruction" in names and "output" in names:
        found.append(ALPACA)
    if "prompt+completion" in found:
        found.remove("prompt")
    return found


def listed(names):
    shown = ", ".join(map(str, names[:SHOWN]))
    return shown + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def parts_of(field, names):
    """The columns that a field consists of: one, or several that are one sample."""
    return [field] if field in names else [part for part in field.split("+") if part in names]


class Choice:
    """The fields of the lengths and of the targets (or None), and columns that were not chosen."""

    def __init__(self, src, tgt=None, others=()):
        self.src, self.tgt, self.others = src, tgt, tuple(others)

    def note(self):
        if not self.others:
            return None
        names = ", ".join(f"'{name}'" for name in self.others)
        return f"'{self.src}' is read, not {names}: --length-field takes another column"


def choose(names, place, options):
    """Chooses among the columns of a table or the keys of a first record."""
    if options.length_field is not None:
        return Choice(options.length_field, options.tgt_length_field)
    if options.tokenizer is not None:
        texts = text_columns(names)
        if not texts:
            raise BadInput(
                f"{place}: none of its columns is known to hold text: {listed(names)}",
                "name the column of text with --length-field",
            )
        return Choice(texts[0], options.tgt_length_field, texts[1:])
    known = usual_columns(names)
    if not known:
        refuse_unknown(names, place)
    return Choice(known[0], options.tgt_length_field or target_of(known[0], names), rest(known))


def rest(known):
    """Other columns that may be meant. Frames, samples and seconds describe one recording."""
    audio = {*AUDIO, *SAMPLES}
    return [name for name in known[1:] if not (name in audio and known[0] in audio)]


def target_of(src, names):
    """'tgt_len' for 'src_len'; None if there is none."""
    target = f"tgt{src[3:]}"
    return target if src.startswith("src") and target in names else None


def refuse_unknown(names, place):
    if list(names) == ["indices"]:
        raise BadInput(
            f"{place}: holds which rows a Hugging Face data set was cut down to, and no samples",
            "give the Arrow file of the rows themselves, or the folder that save_to_disk wrote",
        )
    if text_columns(names):
        raise BadInput(
            f"{place}: holds text ({', '.join(text_columns(names))}), whose lengths only the "
            "model's tokenizer knows",
            "count it with --tokenizer NAME, of transformers, tokenizers or SentencePiece",
        )
    raise BadInput(
        f"{place}: none of its columns is known to hold lengths: {listed(list(names))}",
        "name one of numbers or lists with --length-field; text needs --tokenizer too",
    )


def require_column(field, names, place):
    """Raises an error if a field does not exist. Dotted names lead into nested records."""
    if parts_of(field, names) or field.split(".")[0] in names:
        return
    raise BadInput(
        f"{place}: field '{field}': there is no such column",
        f"the columns are: {listed(list(names))}",
    )
