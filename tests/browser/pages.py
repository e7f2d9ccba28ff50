"""Pages in a real browser:

    pages.py EXE SOURCE_DIR [--screenshots FOLDER]

Makes the pages of LibriSpeech-100h and of GNMT from the examples and opens them in headless Chromium at 1280 and 400 pixels,
light, dark and in print: the console stays silent, nothing is asked for but the page itself, nothing is wider than the window,
and the keyboard reaches tables and points. Ends with 77 where there is no Chromium (Debian: chromium).
"""
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the sources stay as they are
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chromium

# A page that does what ours must not: the checks have to notice.
BAD = """<!doctype html><title>bad</title><img src="http://127.0.0.1:9/x.png"><script>console.error("boo"); throw new Error("hoo")</script>
<div style="width:3000px">wide</div>"""
VISIBLE = """(selector) => [...document.querySelectorAll(selector)].filter(e => e.getClientRects().length > 0).length"""


def make_pages(exe, source, folder):
    os.symlink(os.path.join(source, "examples"), os.path.join(folder, "examples"))
    data = "examples/data"

    def run(*arguments):
        subprocess.run([exe, *arguments, "-q"], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    def measured(option, corpus, names):
        return [part for name in names for part in (option, f"{name}={data}/{corpus}/{name}.csv")]

    speech = [f"{data}/librispeech-train-clean-100.csv", "--sampler", "sorted", "--batch-size", "64", "--frame-shift", "0.04"]
    run("select", *speech, "-o", "speech.json")
    run("scan", *speech, "-o", "speech-run.csv")
    machines = ["haswell", "skylakex"]
    run("project", "speech.json", *measured("--profile", "ds2-librispeech100", machines), "--stat", "runtime_s", "-o", "speech-projection.json")
    run("report", "speech.json", "speech-projection.json", "--trace", "speech-run.csv", *measured("--trace", "ds2-librispeech100", machines),
        "--title", "DeepSpeech2 on LibriSpeech-100h", "-o", "librispeech.html")
    machines = ["nehalem", "haswell", "skylakex"]
    run("select", f"{data}/gnmt-multi30k/haswell.csv", "--points", "8", "-o", "pairs.json")
    run("project", "pairs.json", *measured("--profile", "gnmt-multi30k", machines), "--stat", "runtime_s", "--require-coverage", "90%", "--max-regression", "5%",
        "-o", "pairs-projection.json")
    run("report", "pairs.json", "pairs-projection.json", *measured("--trace", "gnmt-multi30k", machines), "--title", "GNMT on Multi30k", "-o", "gnmt.html")
    run("evaluate", *[f"{name}={data}/gnmt-multi30k/{name}.csv" for name in machines], "--draws", "5", "--points", "8", "--export-html", "evaluation.html")
    return ["librispeech.html", "gnmt.html", "evaluation.html"]


def check_that_checks_notice(browser, folder):
    bad = os.path.join(folder, "bad.html")
    with open(bad, "w", encoding="utf-8") as file:
        file.write(BAD)
    browser.open(bad, 400)
    assert "http://127.0.0.1:9/x.png" in browser.requests(), browser.requests()
    assert len(browser.complaints()) >= 2, browser.complaints()
    assert browser.evaluate("document.documentElement.scrollWidth") > 400


def check_silence(browser, path):
    assert browser.complaints() == [], browser.complaints()
    assert browser.requests() == ["file://" + path], browser.requests()


def check_layout(browser, width):
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    shown, hidden = ("narrow", "wide") if width <= 680 else ("wide", "narrow")
    assert browser.evaluate(f"({VISIBLE})('svg.{shown}')") >= 3 and browser.evaluate(f"({VISIBLE})('svg.{hidden}')") == 0
    smallest = browser.evaluate("""Math.min(...[...document.querySelectorAll('figure svg')].filter(s => s.getClientRects().length)
        .map(s => 12 * s.getBoundingClientRect().width / s.viewBox.baseVal.width))""")
    assert smallest > 9.5, f"text of charts is {smallest} pixels high at {width}"


def check_keyboard(browser):
    """Tab reaches every point and every table of what is shown, and nothing that is not; Enter opens a table."""
    wanted = browser.evaluate(f"({VISIBLE})('summary, g[tabindex]')")
    reached, names = 0, set()
    while True:
        browser.press("Tab", 9)
        tag = browser.evaluate("document.activeElement.tagName")
        if tag == "BODY" or reached > wanted + 10:
            break
        reached += 1
        names.add(browser.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.textContent"))
    assert reached == wanted, (reached, wanted)
    assert any(name.startswith("sp1") or "sp1" in name for name in names) or "calibrated" in " ".join(names), names
    browser.evaluate("document.querySelector('summary').focus()")
    browser.press("Enter", 13)
    assert browser.evaluate("document.querySelector('details').open") is True


def check_colours(browser, path):
    seen = []
    for dark in (False, True):
        browser.open(path, 1280, dark=dark)
        seen.append(browser.evaluate("getComputedStyle(document.body).backgroundColor + getComputedStyle(document.body).color"))
    assert seen[0] != seen[1], seen
    browser.open(path, 1280, dark=True, media="print")
    assert browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.evaluate(f"({VISIBLE})('details')") == 0


def check_limits(browser, path):
    """The words of a verdict are seen at every width and in print."""
    for width, media in ((1280, "screen"), (400, "screen"), (1280, "print")):
        browser.open(path, width, media=media)
        assert browser.evaluate(f"({VISIBLE})('.gates li b')") == 5, "two configurations against a baseline, three coverages"
        assert browser.evaluate("document.querySelector('.gates').innerText").count("\u2713 holds") == 5


def check_dots(browser, path):
    """On a telephone a dot says which iterations it stands for: together they are all that there are."""
    browser.open(path, 400)
    tips = browser.evaluate("""[...document.querySelectorAll('svg.narrow .dot title')].map(e => e.textContent)""")
    assert len(tips) > 50 and len(set(tips)) > 50, tips[:3]
    counts = [int(m.group(1).replace("\u202f", "").replace("\u00a0", "").replace(" ", "")) if (m := re.search(r": ([\d\s]+) iterations, length \d+", tip)) else 1 for tip in tips]
    assert all(re.search(r"length \d+( to \d+)?", tip) for tip in tips), tips[:3]
    return sum(counts)


def check_page(browser, path, screenshots):
    name = os.path.splitext(os.path.basename(path))[0]
    for width in (1280, 400):
        for dark in (False, True):
            browser.open(path, width, dark=dark)
            check_silence(browser, path)
            check_layout(browser, width)
            if screenshots:
                browser.screenshot(os.path.join(screenshots, f"{name}-{width}-{'dark' if dark else 'light'}.png"))
    if name == "gnmt":
        check_limits(browser, path)
    if name == "librispeech":
        assert check_dots(browser, path) == 2 * 446, "every iteration of both machines"
    browser.open(path, 1280)
    check_keyboard(browser)
    check_colours(browser, path)
    assert len(browser.call("Page.printToPDF", printBackground=True)["data"]) > 10_000


def main():
    if not chromium.find():
        print("skipped: there is no chromium; apt-get install chromium")
        sys.exit(77)
    exe, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    screenshots = os.path.abspath(sys.argv[sys.argv.index("--screenshots") + 1]) if "--screenshots" in sys.argv else None
    with tempfile.TemporaryDirectory() as folder:
        pages = make_pages(exe, source, folder)
        browser = chromium.Chromium()
        try:
            check_that_checks_notice(browser, folder)
            for page in pages:
                check_page(browser, os.path.join(folder, page), screenshots)
        finally:
            browser.close()
    print(len(pages), "pages, at 1280 and 400 pixels, light and dark, and in print")


main()
