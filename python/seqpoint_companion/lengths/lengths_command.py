"""The verb `lengths`: from sources to a CSV of lengths."""

import signal
import sys

from . import checks, length_file, length_options, sources
from ..faults import BadInput, BadUsage, finish
from .sample_length import Measure
from .parallel import Lengths, results


class Run:
    """Reads the sources one after the other; `lengths` are those of all."""

    def __init__(self, options):
        self.options = options
        self.lengths = Lengths(options.seconds)
        self.tokenizer = None

    def note(self, text):
        if not self.options.quiet:
            print(text, file=sys.stderr)

    @staticmethod
    def warn(text):
        print(f"seqpoint: warning: {text}", file=sys.stderr)

    def read(self, source):
        choice = source.choose(self.options)
        measure = Measure(self.options, choice)
        progress = length_file.Progress(source.path, source.total, self.options.quiet)
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
        if options.tokenizer is not None and not found.counts["texts"]:
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
    options = length_options.parse(arguments)
    reading = Run(options)
    found = sources.open_groups(options.sources, options)
    if options.output not in (None, "-"):
        read = [file for each in found for file in each.files]
        length_file.require_not_read(options.output, read)
    for source in found:
        reading.read(source)
    for text in reading.tokenizer.notes() if reading.tokenizer else ():
        reading.note(f"{options.tokenizer}: {text}")
    for doubt in checks.doubts(reading.lengths):
        reading.warn(doubt)
    length_file.write(options.output, length_file.csv_lines(reading.lengths, options.seconds))


def ended(_signal, _frame):
    raise SystemExit(128 + signal.SIGTERM)


def main(arguments):
    signal.signal(signal.SIGTERM, ended)  # so that the unfinished file is removed
    return finish(run, arguments)
