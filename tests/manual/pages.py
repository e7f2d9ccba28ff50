"""Manual pages and completions have every option of every --help, and the pages are clean roff:

    pages.py EXE
"""
import os
import re
import shutil
import sys
import tempfile

import help as said

EXE = os.path.abspath(sys.argv[1])


def option_names_in_page(page):
    """As they stand in bold at the beginning of an entry."""
    names = set()
    for entry in re.findall(r"^\.TP\n(.*)$", page, re.M):
        names |= {name.replace("\\-", "-") for name in re.findall(r"\\fB(\\-[^ ]*?)\\fR", entry)}
    return names


def check_completions():
    """What shells are told is what --help has."""
    count = 0
    for command in [""] + said.commands(EXE):
        lines = said.text_of(EXE, "__complete", *command.split(), "-").splitlines()
        assert lines[0] == "words 0", lines[0]
        wanted, got = set(said.options(EXE, *command.split())), {line.split("\t")[0] for line in lines[1:]}
        assert got == wanted, (command, got ^ wanted)
        count += len(wanted)
    print(f"completions: {count} options")


def check_page(command, page):
    wanted = set(said.options(EXE, *command.split()))
    got = option_names_in_page(page)
    assert got == wanted, (command, got ^ wanted)
    for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "EXIT STATUS", "SEE ALSO"):
        assert f".SH {section}\n" in page, (command, section)


def check_roff(path):
    """Programs that read manual pages find nothing to complain about."""
    for reader in (["groff", "-ww", "-man", "-Tutf8", path], ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", path]):
        if not shutil.which(reader[0]):
            continue
        done = said.run(*reader, env={**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"})
        assert done.returncode == 0 and not done.stderr, (reader, done.stderr.decode())


def main():
    check_completions()
    with tempfile.TemporaryDirectory() as folder:
        said.text_of(EXE, "manual", "--all", folder)
        pages = {"": "seqpoint.1", **{name: f"seqpoint-{name}.1" for name in said.commands(EXE)}}
        assert sorted(os.listdir(folder)) == sorted(pages.values())
        for command, name in pages.items():
            path = os.path.join(folder, name)
            with open(path, encoding="ascii") as file:  # any reader of manual pages takes ASCII
                page = file.read()
            assert page == said.text_of(EXE, "manual", *command.split())
            check_page(command, page)
            check_roff(path)
    print(len(pages), "manual pages;", "checked by groff" if shutil.which("groff") else "groff is not here: layout not checked")


main()
