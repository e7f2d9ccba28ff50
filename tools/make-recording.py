#!/usr/bin/env python3
"""Writes docs/images/recording.svg: the quick start's commands and their output on a terminal.

The commands are those of README.md's section "Try it without a job", and one more. They are run on
a pseudo-terminal, in a folder with the examples in it; only the pace of typing is invented. The
picture moves by CSS alone, once, and stays at its last screen. Only that screen is shown if the
reader prefers reduced motion or CSS does not animate. Needs only Python 3.9 and bash. The same
program gives the same bytes.
"""
import argparse
import os
import re
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True  # the sources stay as they are
sys.path.insert(0, str(ROOT / "tests" / "terminal"))
from terminal import Session, cells  # ends with 77 where there are no pseudo-terminals

IMAGE = ROOT / "docs" / "images" / "recording.svg"
COLUMNS, ROWS = 100, 24
# The table of `project` is 106 columns wide: its last column is left out, for everybody to see.
TAILS = {"seqpoint project": " | cut -c -98"}
BEYOND = ["seqpoint project points.json --profile haswell=haswell.csv --explain -q"]
MOST_BYTES = 60_000

# Milliseconds: a character is typed, a line is broken, a command runs, a row is printed; at a
# prompt, and for every row above it.
CHARACTER, BREAK, RUNNING, PRINTING, PROMPT, READING = 24, 120, 300, 40, 800, 350
# Pixels: a cell of the terminal, the window's edge, its title.
WIDE, HIGH, EDGE, BAR = 7.8, 18, 14, 30
BLANKS = {"xml:space": "preserve"}  # of every text: it is not handed down everywhere
COLOURS = {"": "", "32": "green", "33": "yellow", "31": "red"}

STYLE = """
  .window { fill: #f6f8fa; stroke: #d0d7de } .bar { fill: #d0d7de } .veil { fill: #f6f8fa }
  text {
    font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono',
      'Liberation Mono', monospace;
    fill: #1f2328; white-space: pre
  }
  .muted { fill: #57606a } .prompt { fill: #0550ae } .caret { fill: #57606a }
  .green { fill: #116329 } .yellow { fill: #7d4e00 } .red { fill: #a40e26 }
  @media (prefers-color-scheme: dark) {
    .window { fill: #0d1117; stroke: #30363d } .bar { fill: #30363d } .veil { fill: #0d1117 }
    text { fill: #e6edf3 } .muted { fill: #9198a1 }
    .prompt { fill: #79c0ff } .caret { fill: #9198a1 } .green { fill: #7ee787 }
    .yellow { fill: #e3b341 } .red { fill: #ffa198 }
  }
  .later { animation: hidden 0s } .typing { visibility: hidden; transform-box: fill-box }
  .screen { animation: scroll 0s steps(1, end) }
  @keyframes hidden { from, to { visibility: hidden } }
  @keyframes waiting { from, to { visibility: visible } }
  @keyframes typed {
    from { visibility: visible; transform: translateX(0) }
    to { visibility: visible; transform: translateX(100%) }
  }
"""
CALM = "\n  @media (prefers-reduced-motion: reduce) { * { animation: none !important } }\n"


def quick_start():
    """The commands of the README's trial without a job."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    opening = text.split("\n## Try it without a job")[1].split("\n## ")[0]
    blocks = re.findall(r"^```console\n(.*?)^```$", opening, re.M | re.S)
    commands = [
        line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")
    ]
    assert commands, "README.md has no commands to try"
    return [
        command + next((tail for start, tail in TAILS.items() if command.startswith(start)), "")
        for command in commands
    ]


def folded(command):
    """Lines of a command, broken by hand if wider than the terminal: [(prompt, text)]."""
    lines = [("$ ", "")]
    for word in command.split(" "):
        prompt, text = lines[-1]
        longer = f"{text} {word}" if text.strip() else text + word
        if len(prompt) + len(longer) + len(" \\") <= COLUMNS:
            lines[-1] = (prompt, longer)
        else:
            lines[-1] = (prompt, text + " \\")
            lines.append(("> ", "  " + word))
    return lines


def runs_of(row):
    """Neighbours of one colour together, no blanks at the end: [(text, colour)]."""
    runs = []
    for character, code in row:
        colour = COLOURS[code]
        if runs and runs[-1][1] == colour:
            runs[-1] = (runs[-1][0] + character, colour)
        else:
            runs.append((character, colour))
    if runs:
        runs[-1] = (runs[-1][0].rstrip(" "), runs[-1][1])
    return runs


def px(number):
    return f"{number:.1f}".removesuffix(".0")


def element(name, classes, when=0, inside=None, **attributes):
    """One that comes at a moment."""
    named = {
        "class": f"{classes} later".strip() if when else classes,
        **attributes,
        "style": f"animation-duration:{when}ms" if when else "",
    }
    tag = name + "".join(f' {key}="{value}"' for key, value in named.items() if value != "")
    return f"<{tag}/>" if inside is None else f"<{tag}>{inside}</{name}>"


class Recording:
    """Rows of the terminal, their times of appearance, and the covers of untyped commands."""

    def __init__(self):
        self.now, self.rows, self.parts, self.scrolled = 0, 0, [], [(0, 0)]

    def row(self, runs):
        """One more row, from now on; where it is below the window, all move up."""
        text = "".join(part for part, _ in runs)
        if text:
            inside = "".join(
                f'<tspan class="{colour}">{escape(part)}</tspan>' if colour else escape(part)
                for part, colour in runs
            )
            self.parts.append(
                element(
                    "text",
                    "",
                    self.now,
                    inside,
                    y=self.rows * HIGH + 13,
                    textLength=px(len(text) * WIDE),
                    lengthAdjust="spacingAndGlyphs",
                    **BLANKS,
                )
            )
        self.rows += 1
        if self.rows > ROWS:
            self.scrolled.append((self.now, self.rows - ROWS))

    def block(self, classes, column, columns, when=0):
        """So many cells of the last row."""
        return element(
            "rect",
            classes,
            when,
            x=px(column * WIDE),
            y=(self.rows - 1) * HIGH,
            width=px(columns * WIDE),
            height=HIGH,
        )

    def typed(self, command, pause):
        for prompt, text in folded(command):
            self.row([(prompt, "prompt"), (text, "")])
            pause, seen, seconds = 0 if prompt == "> " else pause, self.now, len(text) * CHARACTER
            begin = seen + pause + BREAK
            moves = (
                f"waiting {begin - seen}ms {seen}ms,typed {seconds}ms steps({len(text)},end) "
                f"{begin}ms"
            )
            covers = self.block("veil", len(prompt), len(text)) + self.block(
                "caret", len(prompt), 1
            )
            self.parts.append(f'<g class="typing" style="animation:{moves}">{covers}</g>')
            self.now = begin + seconds
        self.now += RUNNING

    def printed(self, rows):
        for row in rows:
            self.row(runs_of(row))
            self.now += PRINTING

    def end(self):
        self.row([("$ ", "prompt")])
        self.parts.append(self.block("caret", 2, 1, self.now))

    def svg(self, title, description):
        width, height = COLUMNS * WIDE + 2 * EDGE, BAR + ROWS * HIGH + EDGE
        last = self.scrolled[-1][1] * HIGH
        moves = "".join(
            f" {100 * when / self.now:.3f}% {{ transform: translateY({-rows * HIGH}px) }}"
            for when, rows in self.scrolled
            if when < self.now
        )
        style = (
            STYLE.replace("scroll 0s", f"scroll {self.now}ms")
            + f"  @keyframes scroll {{{moves} 100% {{ transform: translateY({-last}px) }} }}"
            + CALM
        )
        head = [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {px(width)} {height}" '
                f'width="{px(width)}" height="{height}" role="img" aria-labelledby="title desc">'
            ),
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="desc">{escape(description)}</desc>',
            f"<style>{style}</style>",
            (
                f'<clipPath id="glass"><rect x="{EDGE}" y="{BAR}" width="{px(COLUMNS * WIDE)}" '
                f'height="{ROWS * HIGH}"/></clipPath>'
            ),
            (
                f'<rect class="window" x="0.5" y="0.5" width="{px(width - 1)}" '
                f'height="{height - 1}" rx="8"/>'
            ),
            *(f'<circle class="bar" cx="{20 + 18 * i}" cy="15" r="5"/>' for i in range(3)),
            f'<text class="muted" x="{px(width / 2)}" y="19" text-anchor="middle">seqpoint</text>',
            (
                f'<g clip-path="url(#glass)"><g transform="translate({EDGE} {BAR})"><g '
                f'class="screen" transform="translate(0 {-last})">'
            ),
        ]
        return "\n".join([*head, *self.parts, "</g></g></g>", "</svg>", ""])


def recorded(program, folder):
    """The commands, run one after the other."""
    work, tools = Path(folder, "work"), Path(folder, "bin")
    work.mkdir()
    tools.mkdir()
    (tools / "seqpoint").symlink_to(program)
    (work / "examples").symlink_to(ROOT / "examples")
    environment = {"PATH": f"{tools}:{os.environ['PATH']}", "HOME": folder}
    recording, commands, read = Recording(), [*quick_start(), *BEYOND], 0
    for command in commands:
        recording.typed(command, PROMPT + READING * read)
        session = Session(
            ["bash", "-o", "pipefail", "-c", command], COLUMNS, environment, stdout=True, cwd=work
        )
        *rows, end = cells(session.read(), COLUMNS)
        assert session.status() == 0 and not end, (command, rows, end)
        recording.printed(rows)
        read = len(rows)
    recording.end()
    return recording.svg(
        "seqpoint on a terminal: choose the points, measure them on two machines, "
        "project the epoch",
        "Typed one after the other, each with what it prints: " + "; ".join(commands) + ".",
    )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--program",
        type=Path,
        default=ROOT / "build/release/seqpoint",
        metavar="FILE",
        help="the seqpoint to run [build/release/seqpoint]",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare the picture with what would be written: 1, and the lines that differ",
    )
    options = parser.parse_args()
    if not os.access(options.program, os.X_OK):
        parser.error(
            f"cannot run '{options.program}': build it (cmake --preset release && cmake --build "
            "--preset release) or say --program"
        )
    with tempfile.TemporaryDirectory() as folder:
        now = recorded(options.program.resolve(), folder)
    assert len(now.encode()) <= MOST_BYTES, f"{len(now.encode())} bytes are too many"
    assert folder not in now and str(ROOT) not in now, "a path of this machine"
    if not options.check:
        IMAGE.write_text(now, encoding="utf-8")
        return 0
    stored = IMAGE.read_text(encoding="utf-8") if IMAGE.exists() else ""
    if stored == now:
        return 0
    for sign, lines, others in (
        ("-", stored.splitlines(), now.splitlines()),
        ("+", now.splitlines(), stored.splitlines()),
    ):
        for line in lines:
            if line not in others and line.startswith("<text"):
                print(sign, re.sub(r"<[^>]*>", "", line))
    print(
        f"stale: {IMAGE.relative_to(ROOT)} is not what the program prints; renew: "
        f"tools/make-recording.py --program {options.program}"
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
