"""The length of one sample: of a number, a list, a text, a conversation, an audio file."""

import collections.abc
import decimal
import numbers
import os

from . import audio, chats, columns, text_tokens, units
from ..faults import NoLength, Undecided

COUNT_TEXT = "--tokenizer NAME counts it: of transformers, tokenizers, SentencePiece, or the job's"
NUMBER = (int, float, numbers.Number)  # usual types first: abstract classes are slow to check
RECORD = (dict, collections.abc.Mapping)
AUDIO_KEYS = {"bytes", "path"}  # keys of an undecoded audio column of Hugging Face


def dotted(record, field):
    """The value at a key, which may itself have dots or lead into nested records."""
    if field in record:
        return record[field]
    for key, value in record.items():
        if field.startswith(f"{key}.") and isinstance(value, RECORD):
            return dotted(value, field[len(key) + 1 :])
    raise KeyError(field)


def joined(record, field):
    """The texts of existing fields joined by '+', as one text or as turns."""
    parts = [record[part] for part in field.split("+") if record.get(part) is not None]
    if parts and all(isinstance(part, list) for part in parts):
        return [turn for part in parts for turn in part]
    if any(not isinstance(part, str) for part in parts):
        raise NoLength(f"has no text and no turns in {field}")
    return Joined(parts)


class Joined(list):
    """Texts that are one sample."""


class Measure:
    """Lengths of samples according to the options; `choice` names the fields that contain them.

    Each process makes its own. `counts` collects figures for the note about a source.
    """

    def __init__(self, options, choice):
        self.options, self.choice = options, choice
        self.tokenizer = text_tokens.load_tokenizer(options)
        self.chat = chats.ChatCounter(self.tokenizer, options) if self.tokenizer else None
        self.collate = text_tokens.named_object(options.collate) if options.collate else None
        self.sides = [Side(choice.src, options.add_src, options)]
        if choice.tgt:
            self.sides.append(Side(choice.tgt, options.add_tgt, options))
        self.counts = collections.Counter()
        self.other_rate = None  # the first sampling rate that is not the one of the options

    @property
    def wants_announcements(self):
        """Whether expect() makes it faster."""
        return isinstance(self.tokenizer, text_tokens.FastTokenizer)

    def expect(self, samples):
        """Announces samples that are measured next: their texts are counted together."""
        # Fields of a sample of a shard are read only when it is measured.
        read = [sample for sample in samples if not hasattr(sample, "decode")]
        values = [self._text_of(sample, side) for sample in read for side in self.sides]
        self.tokenizer.expect([value for value in values if value is not None])

    def _text_of(self, sample, side):
        """The text that is counted for a side; None if it is none, or row() finds a mistake."""
        try:
            value = self._value(sample, side.field)
        except Exception:
            return None
        if isinstance(value, Joined) and self.choice.src != columns.ALPACA:
            return "".join(value)
        return value if isinstance(value, str) else None

    def row(self, sample):
        """The lengths of a sample: the source and, if there is one, the target."""
        if hasattr(sample, "decode"):  # a sample of a shard, whose fields are read only now
            sample = sample.decode()
        if self.collate:
            return (self._cut(self._of_batch(self.collate([sample])), self.sides[0]),)
        return tuple(self._side(sample, side) for side in self.sides)

    def _side(self, sample, side):
        record = sample if isinstance(sample, RECORD) else {}
        return self._cut(self._length(self._value(sample, side.field), side, record), side)

    def _value(self, sample, field):
        if field is None:
            return sample[0] if isinstance(sample, tuple) and sample else sample
        if not isinstance(sample, RECORD):
            return getattr(sample, field)
        try:
            return dotted(sample, field)
        except KeyError:
            if "+" in field and any(part in sample for part in field.split("+")):
                return joined(sample, field)
        raise NoLength("is missing")

    def _cut(self, length, side):
        length += side.added
        if self.options.cut is not None and length > self.options.cut:
            self.counts["cut"] += 1
            return self.options.cut
        return length

    def _length(self, value, side, record):
        if value is None:
            raise NoLength("is missing")
        if isinstance(value, bool):
            raise NoLength(f"is {value}, not a number")
        if isinstance(value, NUMBER):
            self.counts["numbers"] += 1
            return side.converter(float(value) if isinstance(value, decimal.Decimal) else value)
        if isinstance(value, str):
            return self._of_text(value, side, record)
        if isinstance(value, RECORD):
            return self._of_mapping(value, side)
        if isinstance(value, Joined):
            return self._of_texts(value, record)
        if isinstance(value, list):
            return self._of_list(value, side, record)
        return side.converter(self._of_array(value))

    def _of_text(self, text, side, record):
        if self.options.audio:
            return self._of_audio(os.path.join(self.options.audio_root, text), side)
        self._require_tokenizer()
        self.counts["texts"] += 1
        # A transcript is text that belongs to its audio.
        return self.tokenizer.count(text) + self.chat.media_beside(record, chats.PICTURES)

    def _of_texts(self, texts, record):
        """Prompt and completion are one text; the job arranges instruction, input and output."""
        self._require_tokenizer()
        self.counts["texts"] += 1
        media = self.chat.media_beside(record)
        if self.choice.src == columns.ALPACA:
            return media + self.chat.laid_out(texts)
        around = self.options.conversation_tokens or 0
        return media + around + self.tokenizer.count("".join(texts))

    def _require_tokenizer(self):
        if self.tokenizer is None:
            raise Undecided("is text, whose length only a tokenizer knows", COUNT_TEXT)

    def _of_list(self, value, side, record):
        if self.chat and chats.is_conversation(value):
            conversation = chats.conversation_of(value, record)
            self.counts["texts"] += 1
            self.counts["with media"] += bool(conversation.media)
            return self.chat.tokens(conversation, record, self._is_prompt(side))
        if any(isinstance(element, collections.abc.Mapping) for element in value):
            raise Undecided("is a list of objects, whose number is no length", COUNT_TEXT)
        side.require_sequence()
        return side.converter(len(value))

    def _is_prompt(self, side):
        return side.field == "prompt" and self.options.length_field is None

    def _of_mapping(self, value, side):
        if set(value) == AUDIO_KEYS:
            return self._of_audio(value, side)
        if "input_ids" in value:
            return text_tokens.size_of(value)
        raise NoLength(f"is an object of {columns.listed(list(value))}: name a key in it")

    def _of_audio(self, source, side):
        header = audio.header_of(source)
        self.counts["audio"] += 1
        if header.rate != self.options.sample_rate:
            self.counts["other rates"] += 1
            self.other_rate = self.other_rate or header.rate
        return side.audio_converter(header.seconds)

    def _of_array(self, value):
        """An array or a tensor: one of its dimensions."""
        shape = getattr(value, "shape", None)
        if shape is None and hasattr(value, "__len__"):
            return len(value)
        if not shape:
            raise NoLength(f"is of type {type(value).__name__}, which has no length")
        if self.options.dimension is None and len(shape) > 1 and shape[0] == 1:
            sizes = " x ".join(map(str, shape))
            raise Undecided(f"has the shape {sizes}", "--dimension 0 or 1 is the length")
        return int(shape[self.options.dimension or 0])

    def _of_batch(self, batch):
        """The padded length of a batch of one sample: of its first tensor of 1 x tokens."""
        for value in self._values_of_batch(batch):
            if len(getattr(value, "shape", ())) > 1 and value.shape[0] == 1:
                dimension = 1 if self.options.dimension is None else self.options.dimension
                return int(value.shape[dimension])
        raise Undecided(
            "is made no tensor of 1 x tokens by the collator", "--length-field names its key"
        )

    def _values_of_batch(self, batch):
        if not isinstance(batch, collections.abc.Mapping):
            return batch if isinstance(batch, (list, tuple)) else [batch]
        field = self.options.length_field or ("input_ids" if "input_ids" in batch else None)
        return list(batch.values()) if field is None else [batch[field]]


class Side:
    """A field, the tokens that the job adds, and the conversion of its numbers to lengths."""

    def __init__(self, field, added, options):
        self.field, self.added = field, added
        self.unit = options.length_unit or units.unit_of_name(field or "")
        self.converter = units.Converter(self.unit, options)
        self.audio_converter = units.Converter("seconds", options)

    def text(self, counts):
        """The unit of the samples that were counted, for the note about a source."""
        return (self.audio_converter if counts["audio"] else self.converter).text()

    def require_sequence(self):
        """A list under a name for single numbers contains many lengths, not a sequence."""
        name = (self.field or "").rsplit(".", 1)[-1]
        if name in columns.NUMBERS_ONLY:
            raise Undecided(
                "is a list where one number is expected",
                "if its elements are lengths, each is a sample: write each as a row of its own",
            )
