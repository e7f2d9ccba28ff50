"""A job's files beside another program that touches them, too: all cases, in a folder each.

    others.py job       touches them, and starts the other program before, while and after that
    others.py MOMENT    the other program

FOLDER/N/file.txt is a file of case N, in the working folder, a hidden one, or outside.
"""

import itertools
import os
import subprocess
import sys

NAME = "file.txt"
AGES = ("old", "new")
PLACES = (".", ".hidden", "../outside")
MOMENTS = ("before", "while", "after")
ACTIONS = ("write", "append", "replace", "anew", "remove", "rename", "link", "chmod", "nothing")
TOUCHES = ("write", "append", "replace", "remove", "rename", "chmod")
CASES = list(enumerate(itertools.product(AGES, PLACES, MOMENTS, ACTIONS, TOUCHES)))


def path_of(number, place):
    return os.path.join(place, str(number), NAME)


def make():
    """The folders, and the old files in them."""
    for number, (age, place, *_) in CASES:
        path = path_of(number, place)
        os.makedirs(os.path.dirname(path))
        if age == "old":
            write(path, "old\n")


def write(path, text, mode="w"):
    with open(path, mode, encoding="utf-8") as file:
        file.write(text)


# --- the other program ---------------------------------------------------------------------------


def act(path, action):
    is_there = os.path.exists(path)
    if action == "write":
        write(path, "theirs\n")
    elif action == "append":
        write(path, "row\n", "a")
    elif action == "replace":
        write(path + ".tmp", "theirs\n")
        os.replace(path + ".tmp", path)
    elif action == "anew":
        if is_there:
            os.remove(path)
        write(path, "theirs\n")
    elif action == "remove" and is_there:
        os.remove(path)
    elif action == "rename" and is_there:
        os.rename(path, path + ".moved")
    elif action == "link" and is_there:
        os.link(path, path + ".link")
    elif action == "chmod" and is_there:
        os.chmod(path, 0o600)


def act_on_all(moment):
    for number, (_, place, when, action, _) in CASES:
        if when == moment:
            act(path_of(number, place), action)


# --- the job -------------------------------------------------------------------------------------


def touch(path, how):
    is_there = os.path.exists(path)
    if how == "write":
        write(path, "again\n")
    elif how == "append":
        write(path, "again\n", "a")
    elif how == "replace":
        write(path + ".part", "again\n")
        os.replace(path + ".part", path)
    elif how == "remove" and is_there:
        os.remove(path)
    elif how == "rename" and is_there:
        os.rename(path, path + ".renamed")
    elif how == "chmod" and is_there:
        os.chmod(path, 0o644)


def start_other(moment):
    subprocess.run([sys.executable, "-I", __file__, moment], check=True)


def job():
    start_other("before")
    opened = []
    for number, (_, place, moment, _, _) in CASES:
        file = open(path_of(number, place), "a", encoding="utf-8")
        file.write("job\n")
        file.flush()
        if moment == "while":
            opened.append(file)
        else:
            file.close()
    start_other("while")
    for file in opened:
        file.write("more\n")
        file.close()
    for number, (_, place, _, _, how) in CASES:
        touch(path_of(number, place), how)
    start_other("after")


# --- what has to be there then -------------------------------------------------------------------


class Expected:
    """A case in plain words: {name: content} of somebody's files, and of the job's own."""

    def __init__(self, age, place, moment, action, how):
        self.theirs = {NAME: "old\n"} if age == "old" else {}
        self.ours = {}
        self.holds = []  # names of what the job has open
        self.moment, self.action = moment, action
        self.act_at("before")
        self.sees_copy = NAME in self.theirs  # the job opens it: of somebody's file it gets a copy
        self.holds = [] if self.sees_copy else [NAME]
        self.write("job\n")
        self.act_at("while")
        if moment == "while":
            self.write("more\n")
        if not self.sees_copy and NAME not in self.theirs:
            self.touch(how)
        self.act_at("after")
        self.removed = 0 if place != "." else len(self.ours)
        self.files = self.theirs if place == "." else {**self.theirs, **self.ours}

    def write(self, text):
        for name in self.holds:
            files = self.theirs if name in self.theirs else self.ours
            files[name] = files.get(name, "") + text

    def act_at(self, moment):
        if moment != self.moment:
            return
        is_there = NAME in self.theirs or NAME in self.ours
        content = self.theirs.get(NAME, self.ours.get(NAME, ""))
        if self.action in ("write", "replace", "anew"):
            self.take("theirs\n")
            if self.action != "write":
                self.holds = []
        elif self.action == "append":
            self.take(content + "row\n")
        elif not is_there or self.action == "nothing":
            pass
        elif self.action == "remove":
            self.take("")
            del self.theirs[NAME]
            self.holds = []
        elif self.action == "rename":
            self.take("")
            del self.theirs[NAME]
            self.theirs[NAME + ".moved"] = content
            self.holds = [NAME + ".moved"] if self.holds else []
        elif self.action == "link":
            self.take(content)
            self.theirs[NAME + ".link"] = content
            self.holds = [NAME, NAME + ".link"] if self.holds else []
        elif self.action == "chmod" and moment == "after":  # else it is as the job closes it
            self.take(content)

    def take(self, content):
        """What was the job's, if it was, is somebody's."""
        self.ours.pop(NAME, None)
        self.theirs[NAME] = content

    def touch(self, how):
        if how in ("write", "replace"):
            self.ours[NAME] = "again\n"
        elif how == "append":
            self.ours[NAME] = self.ours.get(NAME, "") + "again\n"
        elif how == "remove":
            self.ours.pop(NAME, None)
        elif how == "rename" and NAME in self.ours:
            self.ours[NAME + ".renamed"] = self.ours.pop(NAME)


def wrong():
    """{case: (what is there, what has to be)} where they differ."""
    found = {}
    for number, case in CASES:
        folder = os.path.dirname(path_of(number, case[1]))
        there = {}
        for name in os.listdir(folder):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                there[name] = file.read()
        expected = Expected(*case).files
        if there != expected:
            found[case] = there, expected
    return found


if __name__ == "__main__":
    if sys.argv[1] == "job":
        job()
    else:
        act_on_all(sys.argv[1])
