"""Tokenizers: how many tokens a text has, special tokens included unless they are turned off.

--tokenizer names one of

    words, bytes         blanks between words, or bytes of UTF-8: no model is needed
    FILE.model           a SentencePiece model (sentencepiece)
    FILE.json            a tokenizer.json (tokenizers)
    MODULE:OBJECT        the job's own: is called with a text, or has encode()
    a folder or a name   a tokenizer of Hugging Face (transformers)
"""

import collections.abc
import functools
import importlib
import os
import sys

from ..faults import BadInput, BadUsage, first_line, library


def size_of(encoded):
    """Tokens in a tokenizer's result: a list, a tensor, an Encoding, or a mapping of it."""
    if isinstance(encoded, collections.abc.Mapping):
        encoded = encoded["input_ids"]
    encoded = getattr(encoded, "ids", encoded)  # of tokenizers.Encoding
    shape = getattr(encoded, "shape", None)
    if shape is not None:
        return int(shape[-1])
    only = encoded[0] if len(encoded) == 1 else None
    return len(only) if isinstance(only, (list, tuple)) else len(encoded)


def named_object(name):
    """The object that MODULE:OBJECT names; modules of the current folder come first."""
    module, _, attribute = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    return functools.reduce(getattr, attribute.split("."), importlib.import_module(module))


class Tokenizer:
    """Counts tokens. `special`: whether a call adds the model's special tokens.

    A kind of tokenizer adds count(text), and `tokenizer` if that may have a chat template.
    """

    has_template = False  # whether it has a chat template

    def __init__(self, name, special):
        self.name, self.special = name, special

    def count_chat(self, messages, **options):
        return size_of(self.tokenizer.apply_chat_template(messages, tokenize=True, **options))

    def added(self):
        """The special tokens of a text: the tokens of an empty text."""
        return self.count("")

    def notes(self):
        """Remarks about the counts, for the note on the tokenizer."""
        added = self.added()
        if added:
            return [f"adds {added} special token{'s' if added > 1 else ''} to each text, counted"]
        return ["no special tokens are added (--add-src N counts those that the job adds)"]


class Words(Tokenizer):
    def count(self, text):
        return len(text.split())

    def notes(self):
        return ["words between blanks: an estimate, unless the job also splits its text at blanks"]


class Bytes(Tokenizer):
    def count(self, text):
        return len(text.encode("utf-8"))

    def notes(self):
        return ["bytes of UTF-8: an estimate, unless the model reads bytes"]


class SentencePiece(Tokenizer):
    def __init__(self, name, special):
        super().__init__(name, special)
        module = library("sentencepiece", "reads SentencePiece models")
        try:
            self.processor = module.SentencePieceProcessor(model_file=name)
        except (RuntimeError, OSError) as fault:
            raise BadInput(f"{name}: is no SentencePiece model: {first_line(fault)}") from None

    def count(self, text):
        return len(self.processor.encode(text))


class FastTokenizer(Tokenizer):
    """A tokenizer.json. Its padding is turned off; truncation has to be decided by the user."""

    def __init__(self, name, special, cut_decided):
        super().__init__(name, special)
        module = library("tokenizers", "reads tokenizer.json")
        try:
            self.tokenizer = module.Tokenizer.from_file(name)
        except Exception as fault:  # the library raises Exception itself
            raise BadInput(f"{name}: is no tokenizer.json: {first_line(fault)}") from None
        if self.tokenizer.truncation and not cut_decided:
            longest = self.tokenizer.truncation["max_length"]
            raise BadUsage(
                f"{name}: is set to cut text after {longest} tokens; whether the job does is not "
                "known",
                f"--truncate {longest} if the job cuts there, --truncate none if it does not",
            )
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        # Without the positions of tokens in the text; since tokenizers 0.20.
        self.encode_batch = getattr(
            self.tokenizer, "encode_batch_fast", self.tokenizer.encode_batch
        )
        self.expected = {}

    def expect(self, texts):
        """Counts texts together, in half the time: count() knows their numbers until the next."""
        try:
            encoded = self.encode_batch(texts, add_special_tokens=self.special)
        except Exception:  # because of one of the texts: count() says which
            encoded = ()
        self.expected = dict(zip(texts, map(len, encoded)))

    def count(self, text):
        if text in self.expected:
            return self.expected[text]
        return len(self.tokenizer.encode(text, add_special_tokens=self.special))


class HuggingFace(Tokenizer):
    """A tokenizer of transformers for whole texts, without truncation and padding."""

    def __init__(self, name, special, template):
        super().__init__(name, special)
        self.tokenizer = self._loaded(name)
        self.template = template
        self.has_template = bool(template or getattr(self.tokenizer, "chat_template", None))

    @staticmethod
    def _loaded(name):
        os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
        transformers = library("transformers", "reads tokenizers of Hugging Face")
        transformers.logging.set_verbosity_error()  # no warnings about long texts
        try:
            return transformers.AutoTokenizer.from_pretrained(name)
        except Exception as fault:  # errors of the network, of files, of their content
            raise BadInput(
                f"{name}: no tokenizer of Hugging Face can be loaded: {first_line(fault)}",
                "--tokenizer names a folder with tokenizer files, or a model of the hub or its "
                "cache",
            ) from None

    def count(self, text):
        return size_of(self.tokenizer(text, add_special_tokens=self.special))

    def count_chat(self, messages, **options):
        library("jinja2", "lays out conversations by a template")
        if self.template:
            options["chat_template"] = self.template
        return super().count_chat(messages, **options)


class OwnTokenizer(Tokenizer):
    """The job's own tokenizer: called with a text if it is callable, else by its encode()."""

    def __init__(self, name, special):
        super().__init__(name, special)
        try:
            self.tokenizer = named_object(name)
        except Exception as fault:  # importing the job's code may raise anything
            raise BadUsage(f"--tokenizer {name}: {first_line(fault)}") from None
        if not special:
            raise BadUsage("--no-special-tokens: the job's own tokenizer decides that itself")
        self.has_template = hasattr(self.tokenizer, "apply_chat_template")

    def count(self, text):
        own = self.tokenizer
        return size_of(own(text) if callable(own) else own.encode(text))

    def notes(self):
        return ["the job's own: special tokens are those that it adds itself"]


def template_text(template):
    """The text of a template file; None for the model's own template and without a template."""
    if template in (None, "model", "none"):
        return None
    try:
        with open(template, encoding="utf-8") as file:
            return file.read()
    except (OSError, ValueError) as fault:
        raise BadInput(f"{template}: the chat template cannot be read: {fault}") from None


def load_tokenizer(options):
    """The tokenizer that the options name; None if no text is counted."""
    name, special = options.tokenizer, options.special_tokens
    if name is None:
        return None
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")  # --processes decides
    if name in ("words", "bytes"):
        return Words(name, special) if name == "words" else Bytes(name, special)
    if ":" in name and not os.path.exists(name):
        return OwnTokenizer(name, special)
    if os.path.isfile(name):
        if name.endswith(".json"):
            return FastTokenizer(name, special, options.truncate is not None)
        return SentencePiece(name, special)
    return HuggingFace(name, special, template_text(options.template))
