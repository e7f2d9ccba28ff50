"""Completions, asked for in the shells themselves; a shell that is not installed is left out:

    shells.py EXE SHELL

zsh completes only where somebody types, so it is given a terminal.
"""
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

import help as said

EXE, SHELL = os.path.abspath(sys.argv[1]), sys.argv[2]
SKIPPED = 77


class Bash:
    """The completion function, called as readline calls it."""

    SCRIPT = r"""
source "$FILE"
IFS=$'\x1f' read -ra COMP_WORDS <<<"$PIECES"
[[ $PIECES == *$'\x1f' ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_seqpoint
printf '%s\n' "${COMPREPLY[@]}"
"""

    def __init__(self, folder, env):
        self.folder, self.env = folder, env

    def complete(self, *words):
        # readline's pieces: '=' stands alone (COMP_WORDBREAKS).
        pieces = [piece for word in words[:-1] for piece in word.replace("=", "\x1f=\x1f").split("\x1f") if piece]
        last = words[-1].replace("=", "\x1f=\x1f").split("\x1f")
        pieces += [piece for piece in last if piece] or [""]
        done = said.run("bash", "--norc", "-c", self.SCRIPT, cwd=self.folder, env={**self.env, "PIECES": "\x1f".join(pieces)})
        assert not done.stderr, done.stderr.decode()
        return {line for line in done.stdout.decode().split("\n") if line}


class Fish:
    def __init__(self, folder, env):
        self.folder, self.env = folder, env

    def complete(self, *words):
        line = "seqpoint " + " ".join(words[1:])
        done = said.run("fish", "--no-config", "-c", 'source $FILE; complete -C "$LINE"', cwd=self.folder, env={**self.env, "LINE": line})
        # fish gives the whole word, with what was typed of it.
        typed = words[-1][:words[-1].rfind("=") + 1]
        found = (line.split("\t")[0] for line in done.stdout.decode().split("\n") if line)
        return {word[len(typed):] if word.startswith(typed) else word for word in found}


class Terminal:
    """A shell that believes somebody types."""

    def __init__(self, command, folder, env):
        try:
            self.pid, self.fd = pty.fork()
        except OSError as error:
            print(f"{SHELL}'s completion is not tried: there are no pseudo-terminals here: {error}")
            sys.exit(SKIPPED)
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, env)

    def send(self, text):
        os.write(self.fd, text.encode())

    def read_until(self, what, seconds=20):
        seen, end = b"", time.monotonic() + seconds
        while what not in seen:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            assert ready, (what, seen)
            seen += os.read(self.fd, 65536)
        return seen

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


class Zsh:
    """What the completion system offers goes through `compadd`, which is made to note it."""

    SETUP = r"""
PROMPT='' ; unsetopt beep ; zstyle ':completion:*' insert-tab false ; LISTMAX=100000
autoload -Uz compinit && compinit -u -D && source "$FILE"
compadd() {
  if [[ ${@[1,(i)(-|--)]} != *-[a-zA-Z]#[OAD]* ]]; then
    local -a __hits ; builtin compadd -O __hits "$@" ; print -rl -- $__hits >>$HITS
  fi
  builtin compadd "$@"
}
note() { : >$HITS ; zle list-choices ; zle -I ; print -r -- "<noted>" ; zle kill-buffer }
zle -N note ; bindkey '^T' note
stty -echo ; print -r -- "<read""y>"
"""

    def __init__(self, folder, env):
        self.hits = os.path.join(env["HOME"], "hits")
        setup = os.path.join(env["HOME"], "setup")
        with open(setup, "w", encoding="utf-8") as file:
            file.write(self.SETUP)
        self.terminal = Terminal(["zsh", "-f", "-i", "-o", "extendedglob"], folder, {**env, "HITS": self.hits, "LINES": "1000", "COLUMNS": "200"})
        self.terminal.send(f"source {setup}\n")
        self.terminal.read_until(b"<ready>")

    def complete(self, *words):
        self.terminal.send(" ".join(words) + "\x14")
        self.terminal.read_until(b"<noted>")
        with open(self.hits, encoding="utf-8") as file:
            return {line for line in file.read().split("\n") if line}


def check_options(shell):
    count = 0
    for command in [()] + [(name,) for name in said.commands(EXE)]:
        wanted = set(said.options(EXE, *command))
        got = {word for word in shell.complete("seqpoint", *command, "-") | shell.complete("seqpoint", *command, "--") if word.startswith("-")}
        assert got == wanted, (command, "too much:", got - wanted, "missing:", wanted - got)
        count += len(wanted)
    return count


def listed(what):
    return {line for line in said.text_of(EXE, what).split("\n") if line and not line.startswith(" ")}


def check_words(shell, folder):
    """Lists of words are those that the program itself lists, or accepts."""
    complete = shell.complete
    assert complete("seqpoint", "") == set(said.commands(EXE))
    assert complete("seqpoint", "sc") == {"scan", "schema"}
    assert complete("seqpoint", "--color", "never", "mer") == {"merge"}
    assert complete("seqpoint", "help", "sel") == {"select"}
    assert complete("seqpoint", "scan", "--sampler", "") == listed("samplers")
    assert complete("seqpoint", "select", "--sampler=") == listed("samplers")
    assert complete("seqpoint", "select", "--method", "") == listed("methods")
    assert complete("seqpoint", "evaluate", "--method", "kme") == {"kmeans"}
    formats = {f.rstrip(":") for f in listed("formats")}
    for command, some in (("scan", "nemo"), ("inspect", "kineto")):
        found = complete("seqpoint", command, "--format", "")
        assert some in found and found < formats, (command, found - formats)
    base = {"scan": ["lengths.csv", "--batch-size", "2"], "select": ["lengths.csv", "--batch-size", "2", "--points", "1"],
            "project": ["points.json", "--profile", "a=v1.csv"]}
    for command, option in (("scan", "--length-unit"), ("scan", "--split"), ("scan", "--signature"), ("scan", "--front-end"), ("scan", "--color"),
                            ("select", "--format"), ("project", "--by"), ("project", "--time-source"), ("project", "--ci"),
                            ("schema", "")):
        words = complete("seqpoint", command, *([option] if option else []), "")
        assert words, (command, option)
        for word in words | {"no-such-word"}:
            done = said.run(EXE, command, *base.get(command, []), *([option] if option else []), word, cwd=folder)
            refused = done.returncode == 2 and (f"'{word}'" in done.stderr.decode() or f" {word} not in {{" in done.stderr.decode())
            assert refused == (word == "no-such-word"), (command, option, word, done.stderr)


def check_paths(shell):
    for line, wanted in ((["scan", "len"], {"lengths.csv"}), (["scan", "--tgt", "len"], {"lengths.csv"}), (["scan", "--tgt=len"], {"lengths.csv"}),
                         (["project", "points.json", "--profile", "a=v"], {"v1.csv"}), (["project", "points.json", "--profile=a=v"], {"v1.csv"}),
                         (["evaluate", "a=v"], {"v1.csv"}), (["project", "--against", "poi"], {"points.json"})):
        got = {word.split("=")[-1] for word in shell.complete("seqpoint", *line)}
        assert got == wanted, (line, got)
    assert not shell.complete("seqpoint", "scan", "--batch-size", ""), "a number is completed"


def type_into_bash(folder, env):
    """Somebody presses the tab key."""
    terminal = Terminal(["bash", "--norc", "-i"], folder, {**env, "PS1": "$ ", "INPUTRC": "/dev/null"})
    terminal.send('bind "set enable-bracketed-paste off"; source "$FILE"; echo "<read""y>"\n')
    terminal.read_until(b"<ready>")
    terminal.send("seqpoint sel\t --max-er\t 1% le\t\x01echo \n")
    terminal.read_until(b"\nseqpoint select --max-error 1% lengths.csv")
    terminal.send("exit\n")
    terminal.close()


def main():
    if not shutil.which(SHELL):
        print(f"{SHELL} is not installed: its completion is not tried")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as sandbox:
        folder, home = os.path.join(sandbox, "work"), os.path.join(sandbox, "home")
        os.makedirs(folder), os.makedirs(home), os.makedirs(os.path.join(sandbox, "bin"))
        os.symlink(EXE, os.path.join(sandbox, "bin", "seqpoint"))
        env = {"PATH": os.path.join(sandbox, "bin") + ":" + os.environ["PATH"], "HOME": home, "TERM": "xterm", "LC_ALL": "C.UTF-8",
               "FILE": os.path.join(home, "completion")}
        said.text_of(EXE, "completion", SHELL, "-o", env["FILE"])
        for name, text in (("lengths.csv", "src_len\n3\n4\n"), ("v1.csv", "src_len,runtime_s\n4,1\n")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        subprocess.run([EXE, "-q", "select", "lengths.csv", "--batch-size", "2", "--method", "bins", "-o", "points.json"], cwd=folder, check=True)
        shell = {"bash": Bash, "zsh": Zsh, "fish": Fish}[SHELL](folder, env)
        count = check_options(shell)
        check_words(shell, folder)
        check_paths(shell)
        if SHELL == "bash":
            type_into_bash(folder, env)
        print(f"{SHELL}: {count} options, lists of words and paths")


main()
