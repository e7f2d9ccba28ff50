"""What --help says: the measure for completions and manual pages."""
import re
import subprocess


def run(*command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, **options)


def text_of(*command):
    done = run(*command)
    assert done.returncode == 0, (command, done.returncode, done.stderr)
    return done.stdout.decode("utf-8")


def commands(exe):
    """Names of the commands, from the list that the program's help ends with."""
    block = re.search(r"^Subcommands:\n((?:  .*\n)+)", text_of(exe, "--help"), re.M).group(1)
    return re.findall(r"^  (\S+)", block, re.M)


def samplers(exe):
    """Those that have options of their own, which --help shows beside their name alone."""
    listed = re.findall(r"^(\S+)\n((?:  .*\n)*)", text_of(exe, "samplers"), re.M)
    return [name for name, text in listed if "\n    --" in text]


def options(exe, *command):
    """Every spelling of every option: {"-o": "FILE", "--output": "FILE", "--json": ""}, with its placeholder."""
    found = {}
    # Behind the footer's first line there may be examples with options.
    text = text_of(exe, *command, "--help").split("\nExamples:\n")[0]
    if "\n  --help-all " in text:
        text = text_of(exe, *command, "--help-all").split("\nExamples:\n")[0]
    if "\n  --sampler " in text:
        text += "".join(text_of(exe, *command, "--help", "--sampler", name).split("\nExamples:\n")[0] for name in samplers(exe))
    for names, rest in re.findall(r"^  (-[^ \n]+)(.*)$", text, re.M):
        placeholder = re.match(r" ([A-Z][A-Za-z=|/]*)(?=[ =:]|$)", rest)
        for name in names.split(","):
            found[name] = placeholder.group(1) if placeholder else ""
    assert found or command == ("help",), command
    return found
