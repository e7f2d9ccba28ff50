"""Pictures in docs/images show the page as it is now:

    screenshots.py EXE SOURCE_DIR [--renew]

docs/images/screenshots.json contains, for every picture, the page's digest, how the page was made,
and how it was viewed. The pages are made again, and a picture of a different page is stale. That
needs no browser. --renew takes stale pictures again, with headless Chromium (Debian: chromium). A
page is compared without its JSON, which is invisible, and without the version in its footer and the
digests of output files, which depend on the version: a release makes no picture stale.
"""
import hashlib
import json
import os
import re
import shlex
import sys
import tempfile

sys.dont_write_bytecode = True  # the sources stay as they are
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chromium
from example_pages import ExamplePages

# Page, width of the window in pixels, colour scheme. A picture has the whole height of its page.
SHOTS = [
    ("gnmt", 1280, "dark"),
    ("gnmt", 400, "light"),
    ("librispeech", 1280, "light"),
    ("librispeech", 400, "dark"),
]
LEFT_OUT = [
    rb'<script type="application/json".*?</script>',
    rb"(?<=<footer>)seqpoint [0-9.]+",
    rb"\bxxh3-128:[0-9a-f]{32}\b",
]


def name_of(page, width, scheme):
    return f"{page}-{width}-{scheme}.png"


def read(path):
    with open(path, "rb") as file:
        return file.read()


def digest(content):
    return hashlib.sha256(content).hexdigest()


def digest_of_page(path):
    content = read(path)
    for pattern in LEFT_OUT:
        content, found = re.subn(pattern, b"", content, flags=re.S)
        assert found, f"{path}: there is no {pattern} to leave out"
    return digest(content)


def records_of(examples, folder):
    """screenshots.json as it is if every picture is current, without the pictures' digests."""
    made = {"gnmt": examples.gnmt, "librispeech": examples.librispeech}
    pages = {page: make() for page, make in made.items()}
    return {
        name_of(page, width, scheme): {
            "commands": examples.commands[pages[page]],
            "page_sha256": digest_of_page(os.path.join(folder, pages[page])),
            "width": width,
            "scheme": scheme,
        }
        for page, width, scheme in SHOTS
    }


def why_stale(images, name, record, stored):
    """None if the picture has its recorded digest and shows the page of today; else the fault."""
    was = dict(stored.get(name, {}))
    image = was.pop("image_sha256", None)
    path = os.path.join(images, name)
    if not was:
        return "screenshots.json does not have it"
    if not os.path.exists(path):
        return "it is not there"
    if digest(read(path)) != image:
        return "it is not the picture that screenshots.json tells of"
    different = [key for key in record if was.get(key) != record[key]]
    words = {
        "page_sha256": "the page is another one now",
        "commands": "its page is made by other commands now",
    }
    return "; ".join(words.get(key, f"its {key} is {record[key]} now") for key in different)


def renew(images, folder, stale, records, stored):
    browser = chromium.Chromium() if stale else None
    try:
        for page, width, scheme in SHOTS:
            name = name_of(page, width, scheme)
            if name in stale:
                browser.open(os.path.join(folder, page + ".html"), width, dark=scheme == "dark")
                browser.screenshot(os.path.join(images, name))
    finally:
        if browser:
            browser.close()
    written = {}
    for name, record in records.items():
        image = (
            digest(read(os.path.join(images, name)))
            if name in stale
            else stored[name]["image_sha256"]
        )
        written[name] = {**record, "image_sha256": image}
    with open(os.path.join(images, "screenshots.json"), "w", encoding="utf-8") as file:
        file.write(json.dumps(written, indent=1) + "\n")


def main():
    exe, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    images, renewing = os.path.join(source, "docs", "images"), "--renew" in sys.argv
    listed = os.path.join(images, "screenshots.json")
    stored = json.loads(read(listed)) if os.path.exists(listed) else {}
    with tempfile.TemporaryDirectory() as folder:
        records = records_of(ExamplePages(exe, source, folder), folder)
        stale = {
            name: why
            for name, record in records.items()
            if (why := why_stale(images, name, record, stored))
        }
        if renewing and stale and not chromium.find():
            sys.exit("there is no chromium; apt-get install chromium")
        for name, why in stale.items():
            print(f"{'renewed' if renewing else 'stale'}: docs/images/{name}: {why}")
        if renewing:
            renew(images, folder, stale, records, stored)
            stored = records
    unknown = sorted(
        (set(stored) | {name for name in os.listdir(images) if name.endswith(".png")})
        - set(records)
    )
    for name in unknown:
        print(f"unknown: docs/images/{name}: tests/browser/screenshots.py does not take it")
    if stale and not renewing:
        print(
            "renew:",
            shlex.join(
                ["python3", "tests/browser/screenshots.py", sys.argv[1], sys.argv[2], "--renew"]
            ),
        )
    print(f"{len(records)} pictures, {len(stale)} {'renewed' if renewing else 'stale'}")
    sys.exit(1 if unknown or (stale and not renewing) else 0)


main()
