"""The command line of `lengths`: from sources to a CSV of lengths."""

import argparse
import signal
import sys

from . import checks, columns, length_file, sources, units
from ..faults import BadInput, BadUsage, finish
from .sample_length import Measure
from .length_options import Options, require_consistent
from .parallel import Lengths, results

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
        action="store_true",
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
    add("--seconds", action="store_true", help="write seconds, for seqpoint scan --front-end")


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


def options_of(asked):
    own = {name: value for name, value in vars(asked).items() if name in Options.__annotations__}
    own["media_tokens"] = media_tokens(asked.media_tokens)
    own["special_tokens"] = not asked.no_special_tokens
    options = Options(**own)
    require_consistent(options)
    return options


class Run:
    """Reads the sources one after the other; `lengths` are those of all."""

    def __init__(self, options, quiet):
        self.options, self.quiet = options, quiet
        self.lengths = Lengths(options.seconds)
        self.tokenizer = None

    def note(self, text):
        if not self.quiet:
            print(text, file=sys.stderr)

    @staticmethod
    def warn(text):
        print(f"seqpoint: warning: {text}", file=sys.stderr)

    def read(self, source):
        names = source.names()
        choice = columns.Choice(None) if names is None else source.choose(names, self.options)
        measure = Measure(self.options, choice)
        progress = length_file.Progress(source.path, source.total, self.quiet)
        found = Lengths(self.options.seconds)
        for result in results(source.pieces(choice), measure, self.options.processes):
            found.append(result)
            progress.show(len(found.src))
        progress.clear()
        self.require_good(found, source)
        checks.require_plausible(found, source, choice, self.options, measure.sides[0].unit)
        self.tell(found, source, measure)
        self.add(found, source)

    def require_good(self, found, source):
        if found.faulty and not self.options.skip_missing:
            more = found.faulty - len(found.problems)
            lines = found.problems + ([f"and {more} more"] if more else [])
            raise BadInput(
                "\n".join(lines),
                "correct these rows, or leave out those without a length with --skip-missing",
            )
        if not found.src:
            raise BadInput(f"{source.path}: has no samples", "check how it was made")
        self.require_use(found, source)

    def require_use(self, found, source):
        """Raises an error for options without effect, because nobody gives an option for that."""
        options = self.options
        if not found.counts["texts"] and (options.add_src or options.add_tgt):
            raise BadUsage(f"--add-src and --add-tgt are for text; {source.path} holds lengths")
        if found.counts["texts"] and options.length_unit not in (None, "tokens"):
            raise BadUsage(f"--length-unit: the text of {source.path} is counted in tokens")
        if options.counts_text and not found.counts["texts"]:
            raise BadUsage(
                f"--tokenizer has no use: no text of {source.path} was counted",
                "name a column of text with --length-field",
            )

    def tell(self, found, source, measure):
        """Notes how each source was read, and warnings about it."""
        choice, rows = measure.choice, len(found.src)
        fields = ",".join(filter(None, (choice.src, choice.tgt)))
        unit = "tokens" if found.counts["texts"] else measure.sides[0].text(found.counts)
        length = f", length from '{fields}'" if fields else ""
        number = f"{rows} row" if rows == 1 else f"{rows} rows"
        self.note(f"{source.path}: {number}, format {source.format}{length}, unit {unit}")
        for text in filter(None, (choice.note(), *count_notes(found, measure))):
            self.warn(f"{source.path}: {text}")
        self.tokenizer = measure.tokenizer

    def add(self, found, source):
        if self.lengths.src and bool(self.lengths.tgt) != bool(found.tgt):
            raise BadInput(
                f"{source.path}: has one length a row where the others have two, or the other way "
                "round",
                "name the columns with --length-field and --tgt-length-field",
            )
        self.lengths.append(found)


def count_notes(found, measure):
    """Notes about the rows that were read."""
    counts, options = found.counts, measure.options
    if found.faulty:
        yield f"samples without a length, left out: {found.faulty}"
    if counts["cut"]:
        yield f"samples cut to {options.cut} tokens: {counts['cut']}"
    if counts["with media"]:
        stated = ", ".join(f"{kind} {number}" for kind, number in options.media_tokens.items())
        yield f"conversations with media, counted as stated ({stated}): {counts['with media']}"
    if counts["other rates"]:
        yield (
            f"{counts['other rates']} audio files are not at {options.sample_rate:g} Hz, the first "
            f"at {found.other_rate:g} Hz: counted as resampled"
        )


def run(arguments):
    asked = make_parser().parse_args(arguments)
    options = options_of(asked)
    reading = Run(options, asked.quiet)
    found = sources.open_groups(asked.sources, options)
    if asked.output not in (None, "-"):
        length_file.require_not_read(asked.output, [file for each in found for file in each.files])
    for source in found:
        reading.read(source)
    for text in reading.tokenizer.notes() if reading.tokenizer else ():
        reading.note(f"{options.tokenizer}: {text}")
    for doubt in checks.doubts(reading.lengths):
        reading.warn(doubt)
    length_file.write(asked.output, length_file.csv_lines(reading.lengths, options.seconds))


def ended(_signal, _frame):
    raise SystemExit(128 + signal.SIGTERM)


def main(arguments):
    signal.signal(signal.SIGTERM, ended)  # so that the unfinished file is removed
    return finish(run, arguments)
