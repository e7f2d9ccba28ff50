"""The options of `lengths`: how they are read, and which of them contradict each other."""

import argparse

from . import sources, units
from ..faults import BadUsage

DESCRIPTION = """Writes the length of every sample of a training data set, for `seqpoint scan` and
`seqpoint select`. A data set is read by the Python library that wrote it."""

EXAMPLES = """sources:
  a file                 .arrow .parquet .json .jsonl .csv .tsv .txt .tar .npy, or audio
  a folder               of Hugging Face's save_to_disk, or of such files
  'train-{000..127}.tar' or 'data/train-*.parquet': files, in this order
  hf:NAME                a data set of the hub, or of its cache
  MODULE:OBJECT          samples of the job's own code, or a function that makes them

examples:
  lengths data/train -o lengths.csv                            what save_to_disk wrote, by input_ids
  lengths chat.jsonl --tokenizer org/model -o lengths.csv      by the model's chat template
  lengths 'shards/train-{000..127}.tar' --processes 8 -o lengths.csv
  lengths wavs.txt --audio -o lengths.csv                      a list of audio files
  lengths job:train_data --collate job:collate -o lengths.csv
"""


def add_reading(parser):
    add = parser.add_argument_group("which samples, and which column").add_argument
    add("--format", choices=list(sources.FORMATS), help="if names do not show it")
    add("--split", metavar="NAME", help="the split of a data set that has several")
    add("--subset", metavar="NAME", help="the subset (configuration) of a data set of the hub")
    add("--length-field", metavar="NAME", help="column or dotted key with the length or the text")
    add("--tgt-length-field", metavar="NAME", help="... of the target side")
    add("--skip-missing", action="store_true", help="leave out samples without a length")
    add("--dimension", type=int, metavar="N", help="dimension of an array that is its length")
    add("--collate", metavar="MODULE:FUNCTION", help="the job's collator: lengths of its batches")


def add_text(parser):
    add = parser.add_argument_group("text and conversations").add_argument
    add(
        "--tokenizer",
        metavar="NAME",
        help="of transformers (a folder or a name), tokenizers (FILE.json), SentencePiece "
        "(FILE.model), the job (MODULE:OBJECT); or words, bytes: estimates",
    )
    add(
        "--template",
        metavar="FILE|model|none",
        help="chat template (model: the tokenizer's own); none counts only the texts",
    )
    add("--message-tokens", type=int, metavar="N", help="tokens around a turn, without a template")
    add("--conversation-tokens", type=int, metavar="N", help="... around a conversation")
    add(
        "--media-tokens",
        action="append",
        default=[],
        metavar="TYPE=N",
        help="tokens of an image, video or audio; such samples need it",
    )
    add("--truncate", metavar="N|none", help="cut longer samples to N tokens, as the job does")
    add(
        "--no-special-tokens",
        dest="special_tokens",
        action="store_false",
        help="only the text, like add_special_tokens=False",
    )
    add("--add-src", type=int, default=0, metavar="N", help="tokens that the job adds to a sample")
    add("--add-tgt", type=int, default=0, metavar="N", help="... to its target side")


def add_audio(parser):
    add = parser.add_argument_group("audio and units").add_argument
    add("--audio", action="store_true", help="texts are paths of audio files: read their headers")
    add("--audio-root", default="", metavar="DIR", help="folder of relative paths (the current)")
    add("--length-unit", choices=units.UNITS, help="unit of stated numbers (as the name states)")
    add("--sample-rate", type=float, default=16000.0, metavar="HZ", help="(%(default)g)")
    add("--frame-shift", type=float, default=0.01, metavar="SECONDS", help="(%(default)g)")
    add("--seconds", action="store_true", help="write seconds, for `seqpoint scan --front-end`")


def make_parser():
    parser = argparse.ArgumentParser(
        prog="python3 -m seqpoint_companion lengths",
        description=DESCRIPTION,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "sources",
        nargs="+",
        metavar="SOURCE",
        help="file, folder or name; several form one data set",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="the CSV (standard output)")
    parser.add_argument(
        "--processes", type=int, default=1, metavar="N", help="number of processes (1)"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="only warnings and errors")
    add_reading(parser)
    add_text(parser)
    add_audio(parser)
    return parser


def media_tokens(stated):
    """{"image": 256} of ["image=256"]."""
    tokens = {}
    for text in stated:
        kind, _, number = text.partition("=")
        if not kind or not number.isdecimal():
            raise BadUsage(f"--media-tokens {text}: is TYPE=N, for example image=256")
        tokens[kind] = int(number)
    return tokens


def parse(arguments):
    """The options as values that can be passed to a process. BadUsage for meaningless ones."""
    options = make_parser().parse_args(arguments)
    options.media_tokens = media_tokens(options.media_tokens)
    require_consistent(options)
    options.cut = None if options.truncate in (None, "none") else int(options.truncate)
    return options


def require_consistent(options):
    """Raises an error for meaningless options. All other options affect some source."""
    if options.tokenizer and options.collate:
        raise BadUsage("--collate tokenizes as the job does", "leave out --tokenizer")
    if options.tokenizer and options.audio:
        raise BadUsage("--audio reads headers, --tokenizer counts text", "leave out one of them")
    for name in ("template", "message_tokens", "conversation_tokens", "media_tokens"):
        if getattr(options, name) not in (None, {}) and not options.tokenizer:
            raise BadUsage(f"--{name.replace('_', '-')} changes nothing without --tokenizer")
    if not options.special_tokens and not options.tokenizer:
        raise BadUsage("--no-special-tokens changes nothing without --tokenizer")
    if options.seconds and (options.tokenizer or options.collate):
        raise BadUsage("--seconds is for audio: tokens have no seconds")
    require_numbers(options)


def require_numbers(options):
    if options.truncate is not None and options.truncate != "none":
        if not options.truncate.isdecimal() or int(options.truncate) < 1:
            raise BadUsage(f"--truncate {options.truncate}: is a number of tokens above 0, or none")
    if options.processes < 1:
        raise BadUsage(f"--processes {options.processes}: is 1 or more")
    if not 0 < options.frame_shift < 1:
        raise BadUsage(
            f"--frame-shift {options.frame_shift:g}: is in seconds, above 0 and below 1",
            f"{options.frame_shift:g} ms are {options.frame_shift / 1000:g}",
        )
    if not options.sample_rate * options.frame_shift >= 0.5:
        raise BadUsage(
            "--sample-rate x --frame-shift is less than one sample",
            "for example --sample-rate 16000 --frame-shift 0.01",
        )
    for name in ("add_src", "add_tgt", "message_tokens", "conversation_tokens"):
        if (getattr(options, name) or 0) < 0:
            raise BadUsage(f"--{name.replace('_', '-')} {getattr(options, name)}: is 0 or more")
