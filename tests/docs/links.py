"""Every link of a document leads somewhere: links.py SOURCE_DIR|INSTALLED_DIR

Files that links name exist, and so do the headings that anchors name. Links to other hosts are not
followed.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```$", re.M | re.S)


def documents(root):
    """The files that git tracks; all files without git or in an unpacked archive."""
    git = ["git", "-C", root, "ls-files", "*.md"]
    names = (
        subprocess.run(git, capture_output=True, text=True, check=False).stdout.split()
        if shutil.which("git")
        else []
    )
    names = names or [path.relative_to(root) for path in root.rglob("*.md")]
    return [root / name for name in names if not str(name).startswith("build")]


def anchors(text):
    """The anchors that GitHub makes of headings.

    They are in lower case, with hyphens between words, without punctuation, and with a number if
    they occurred before.
    """
    found = {}
    for heading in re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = found[anchor] = found.get(anchor, -1) + 1
        if number:
            found[f"{anchor}-{number}"] = 0
    return found


def broken(document, root):
    text = document.read_text(encoding="utf-8")
    for link in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (document.parent / path).resolve() if path else document
        if not target.exists():
            yield f"{document.relative_to(root)}: no file {link}"
        elif (
            anchor
            and target.suffix == ".md"
            and anchor not in anchors(target.read_text(encoding="utf-8"))
        ):
            yield f"{document.relative_to(root)}: no heading {link}"


def main():
    root = Path(sys.argv[1]).resolve()
    of_all = documents(root)
    problems = [problem for document in of_all for problem in broken(document, root)]
    print(*problems, f"{len(of_all)} documents, {len(problems)} broken links", sep="\n")
    return 1 if problems or not of_all else 0


if __name__ == "__main__":
    sys.exit(main())
