"""Manual pages and completion files have every option of every --help, and the pages are clean roff:

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


def command_part(text, shell, command):
    """What a completion file says of one command; of the program where the command is empty."""
    if shell == "bash":
        return "\n".join(re.findall(rf"^    {command}:-\*\) (.*)$", text, re.M))
    if shell == "fish":
        return "\n".join(line for line in text.split("\n") if f"__seqpoint_at {command}'" in line or (not command and r"at \'\''" in line))
    if not command:
        return re.search(r"_arguments -C.*?command:", text, re.S).group(0)
    return re.search(rf"^    {command}\)\n.*?;;$", text, re.S | re.M).group(0)


def spelling(name, shell):
    if shell == "fish":
        return (" -l " + name[2:] if name.startswith("--") else " -s " + name[1:]) + " "
    return name


def check_files(shell, text):
    count = 0
    for command in [""] + said.commands(EXE):
        part = command_part(text, shell, command) + " "
        for name in said.options(EXE, *command.split()):
            assert re.search(re.escape(spelling(name, shell)) + r"(?![a-z-])", part) or spelling(name, shell) in part, \
                f"{shell}: {command} {name} is missing"
            count += 1
    print(f"{shell}: {count} options")


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
    for shell in ("bash", "zsh", "fish"):
        check_files(shell, said.text_of(EXE, "completion", shell))
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
