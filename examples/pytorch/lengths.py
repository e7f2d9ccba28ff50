"""Writes the length of every sample of a training data set, as the job itself would tokenize it: a CSV for `seqpoint scan`.

    lengths.py train.jsonl --tokenizer meta-llama/Llama-3.1-8B -o lengths.csv   # text or JSON lines; also several files
    lengths.py train.txt --tokenizer my_job:tokenizer -o lengths.csv            # anything that turns text into tokens
    lengths.py my_job:train_data -o lengths.csv                                 # a PyTorch data set, or what makes one
    lengths.py my_job:train_data --collate my_job:collate -o lengths.csv        # cut and with special tokens as in the job
    lengths.py hf:org/data:train --tokenizer org/model -o lengths.csv           # a Hugging Face data set, or a saved folder

Then `seqpoint scan lengths.csv --batch-size 64 ...`. Rows are in the data set's order, a row a sample, so the indices of a plan
are the data set's. One file of plain Python; it imports torch, datasets or transformers only where what it is given needs them.
"""

import argparse
import collections.abc
import gzip
import importlib
import json
import os
import sys
import traceback

TEXT_KEYS = ("text", "content")
CHAT_KEYS = ("messages", "conversations")
WAYS = "name its field with --field, or give --tokenizer, or --collate MODULE:FUNCTION of the job"


class NoLength(ValueError):
    """A sample whose length cannot be told."""


def in_words(fault):
    """An exception of the job's own code, and where it comes from; of a process that loads, its last line."""
    if isinstance(fault, (NoLength, OSError, ImportError)):
        return str(fault)
    text = str(fault).strip().splitlines() or [""]
    frames = [of for of in traceback.extract_tb(fault.__traceback__)[-1:] if of.filename != __file__]
    where = "".join(f" ({os.path.basename(of.filename)}:{of.lineno})" for of in frames)
    return text[-1] if "Original Traceback" in str(fault) else f"{type(fault).__name__}: {text[0]}{where}"


def named(name):
    """What MODULE:OBJECT names, with modules of the current folder."""
    module, _, attribute = name.partition(":")
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    found = importlib.import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


def tokenizer_of(name):
    """MODULE:OBJECT, or the name or folder of a Hugging Face tokenizer."""
    if ":" in name:
        return named(name)
    from transformers import AutoTokenizer
    return AutoTokenizer.from_pretrained(name)


def text_records(path):
    """Of JSON lines the records, of anything else the lines; .gz is unpacked."""
    is_json = path.removesuffix(".gz").endswith((".jsonl", ".json", ".ndjson"))
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as file:
        for number, line in enumerate(file, 1):
            try:
                line = line.decode("utf-8").rstrip("\r\n")
            except ValueError as fault:
                raise NoLength(f"{path}:{number}: is no text in UTF-8 ({fault}): write it anew, or name a data set, MODULE:OBJECT") from None
            if not is_json:
                yield line
            elif line.strip():
                try:
                    yield json.loads(line)
                except ValueError as fault:
                    raise NoLength(f"{path}:{number}: is no JSON: {fault}; of one array write a line each: jq -c '.[]'") from None


def hugging_face(name):
    """DATA, DATA:SPLIT, or a folder that save_to_disk wrote."""
    import datasets
    data, _, split = name.partition(":")
    if os.path.isdir(data):
        loaded = datasets.load_from_disk(data)
    else:
        loaded = datasets.load_dataset(data, split=split or None)
    if hasattr(loaded, "keys"):  # a DatasetDict: the splits by name
        if split not in loaded:
            raise NoLength(f"{name}: say which split, hf:{data}:SPLIT; there are: {', '.join(loaded)}")
        loaded = loaded[split]
    return loaded


def data_of(source):
    """The samples that an argument names, in order."""
    if source.startswith("hf:"):
        return hugging_face(source.removeprefix("hf:"))
    if ":" in source and not os.path.exists(source):
        data = named(source)
        is_data = not isinstance(data, type) and (hasattr(data, "__getitem__") or hasattr(data, "__iter__"))
        if not is_data and not callable(data):
            raise NoLength(f"{source}: is {data!r}, neither samples nor a function that makes them")
        return data if is_data else data()
    return text_records(source)


def size_of(tokens):
    """Tokens of what a tokenizer or a data set calls input_ids: a list, a tensor, an Encoding; of a batch of one, too."""
    if isinstance(tokens, collections.abc.Mapping):
        tokens = tokens["input_ids"]
    tokens = getattr(tokens, "ids", tokens)  # tokenizers.Encoding
    only = tokens[0] if len(tokens) == 1 else None
    return len(only) if isinstance(only, (list, tuple)) or len(getattr(only, "shape", ())) > 0 else len(tokens)


class Lengths:
    """The length of a sample. Objects of this class go to the processes of a DataLoader."""

    def __init__(self, field=None, tokenizer=None, collate=None, dimension=None, added=0):
        self.field, self.tokenizer, self.collate = field, tokenizer, collate
        self.dimension, self.added = dimension, added

    def __call__(self, sample):
        """Tokens, or in words why there is no number of them."""
        try:
            return self.added + (self.of_batch(self.collate([sample])) if self.collate else self.of(sample))
        except Exception as fault:  # whatever the job's tokenizer or collator raises
            return in_words(fault)

    def tokens(self, text):
        if self.tokenizer is None:
            raise NoLength(f"holds text, whose tokens only the model's tokenizer knows: {WAYS}")
        return size_of(self.tokenizer(text) if callable(self.tokenizer) else self.tokenizer.encode(text))

    def chat(self, messages):
        if not all("role" in message and "content" in message for message in messages):
            raise NoLength(f"is a list of objects of {', '.join(messages[0])}, not of role and content: give --collate of the job")
        if not hasattr(self.tokenizer, "apply_chat_template"):
            raise NoLength("is a conversation: give a --tokenizer with a chat template, or --collate of the job")
        return size_of(self.tokenizer.apply_chat_template(messages, tokenize=True))

    def of(self, sample):
        if isinstance(sample, collections.abc.Mapping):
            return self.of_record(sample)
        if self.field is not None:
            sample = getattr(sample, self.field)
        return self.of_value(sample[0] if isinstance(sample, tuple) and sample else sample)

    def of_value(self, value):
        if isinstance(value, str):
            return self.tokens(value)
        if isinstance(value, list) and value and isinstance(value[0], collections.abc.Mapping):
            return self.chat(value)
        shape = getattr(value, "shape", None)
        if shape is None and hasattr(value, "__len__"):
            return len(value)
        if not shape:
            raise NoLength(f"is {value!r}, not a sequence; lengths that are stated `seqpoint scan` reads itself")
        if self.dimension is None and len(shape) > 1 and shape[0] == 1:
            raise NoLength(f"has the shape {' x '.join(map(str, shape))}: say which is the length, --dimension 0 or 1")
        return int(shape[self.dimension or 0])

    def of_record(self, record):
        if self.field is not None:
            if self.field not in record:
                raise NoLength(f"has no field '{self.field}'; it has: {', '.join(map(str, record))}")
            return self.of_value(record[self.field])
        if "input_ids" in record:
            return size_of(record)
        for key in CHAT_KEYS:
            if key in record:
                return self.chat(record[key])
        for key in TEXT_KEYS:
            if key in record:
                return self.of_value(record[key])
        if "prompt" in record and "completion" in record:
            return self.of_value(record["prompt"] + record["completion"])  # as TRL: text or messages, one behind the other
        raise NoLength(f"has none of the usual fields (input_ids, messages, text, prompt and completion): {WAYS}; "
                       f"it has: {', '.join(map(str, record))}")

    def of_batch(self, batch):
        """What the collator made of one sample: the padded length of its first tensor of two dimensions."""
        if isinstance(batch, collections.abc.Mapping):
            keys = [self.field] if self.field is not None else ["input_ids"] if "input_ids" in batch else list(batch)
            values = [batch[key] for key in keys]
        else:
            values = batch if isinstance(batch, (list, tuple)) else [batch]
        for value in values:
            if len(getattr(value, "shape", ())) > 1 and value.shape[0] == 1:
                return int(value.shape[self.dimension or 1])
        raise NoLength("the collator makes no tensor of 1 x tokens of it; name its key with --field")


def results_of(data, measure, workers):
    """measure() of every sample, in order. Processes of a DataLoader count where the data set has indices."""
    indexed = hasattr(data, "__getitem__") and hasattr(data, "__len__")
    if workers:
        from torch.utils.data import DataLoader, IterableDataset
        if not indexed or isinstance(data, IterableDataset):
            raise NoLength("--workers is for data sets with indices: of others every process would read all")
        return DataLoader(data, batch_size=None, collate_fn=measure, num_workers=workers)
    if hasattr(data, "__iter__") or not indexed:
        return map(measure, data)
    return (measure(data[index]) for index in range(len(data)))


def lengths_of(data, measure, workers=0):
    index = -1
    try:
        for index, result in enumerate(results_of(data, measure, workers)):
            if isinstance(result, str):
                raise NoLength(f"sample {index}: {result}")
            yield result
    except (NoLength, OSError, ImportError):
        raise
    except Exception as fault:  # whatever the job's data set raises
        raise NoLength(f"sample {index + 1}: {in_words(fault)}") from None


def write(sources, measure, path, cut=None, workers=0, say=print):
    """Writes the lengths of all sources, one after the other, whole or not at all."""
    unfinished, total, longer = f"{path}.{os.getpid()}.tmp", 0, 0
    try:
        with open(unfinished, "w", encoding="utf-8", newline="\n") as file:
            file.write("src_len\n")
            for source in sources:
                rows = 0
                for length in lengths_of(data_of(source), measure, workers):
                    rows += 1
                    longer += cut is not None and length > cut
                    file.write(f"{length if cut is None else min(length, cut)}\n")
                if rows == 0:
                    raise NoLength(f"{source}: has no samples")
                say(f"{source}: {rows} samples")
                total += rows
        os.replace(unfinished, path)
    finally:
        if os.path.exists(unfinished):
            os.remove(unfinished)
    if cut is not None:
        say(f"{longer} of {total} samples cut to {cut} tokens")


def main(arguments=None):
    summary, _, rest = __doc__.partition("\n")
    parser = argparse.ArgumentParser(description=summary, epilog=rest, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("sources", nargs="+", metavar="SOURCE", help="a file, MODULE:OBJECT, or hf:DATA[:SPLIT]; several follow one another")
    add("-o", "--output", required=True, help="the CSV to write")
    add("--field", help="the field of a record that is the sample; else input_ids, messages, text, prompt with completion")
    add("--tokenizer", help="MODULE:OBJECT, or the name or folder of a Hugging Face tokenizer")
    add("--collate", metavar="MODULE:FUNCTION", help="the job's collator: a length is that of its batch of one sample")
    add("--dimension", type=int, help="of a sample with several dimensions the one that is its length (default: the first)")
    add("--add", type=int, default=0, help="special tokens that the job adds to every sample (TRL: 1, the end, to plain text)")
    add("--max-length", type=int, help="cut longer samples to that many tokens, as the job does")
    add("--workers", type=int, default=0, help="processes that count (PyTorch and Hugging Face data sets)")
    asked = parser.parse_args(arguments)
    if asked.tokenizer and asked.collate:
        parser.error("--collate tokenizes as the job does: leave out --tokenizer")
    if asked.workers < 0 or asked.max_length is not None and asked.max_length < 1:
        parser.error("--workers is 0 or more, --max-length 1 or more")
    try:
        measure = Lengths(asked.field, asked.tokenizer and tokenizer_of(asked.tokenizer),
                          asked.collate and named(asked.collate), asked.dimension, asked.add)
        write(asked.sources, measure, asked.output, asked.max_length, asked.workers,
              lambda line: print(f"lengths.py: {line}", file=sys.stderr))
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as fault:
        sys.exit(f"lengths.py: {in_words(fault)}")


if __name__ == "__main__":
    main()
