"""Pages in a real browser:

    pages.py EXE SOURCE_DIR [--screenshots FOLDER]

Makes the pages of LibriSpeech-100h and of GNMT from the examples and opens them in headless
Chromium at 1280 and 400 pixels, light, dark and in print. The console stays silent, the page
requests nothing but itself, nothing is wider than the window, no number is broken, and the keyboard
reaches tables and points. All warnings of the terminal are on the page. Ends with 77 without
Chromium (Debian: chromium).
"""
import base64
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True  # the sources stay as they are
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import chromium
from example_pages import ExamplePages

# A page that does what ours must not: the checks have to notice.
BAD = """<!doctype html><title>bad</title><img src="http://127.0.0.1:9/x.png">
<script>console.error("boo"); throw new Error("hoo")</script>
<div style="width:3000px">wide</div>
<figure id="f"><svg width="200" viewBox="0 0 200 60">
<circle class="disc" cx="20" cy="20" r="9"/><path class="stem" d="M90 0L90 60"/>
<text x="15" y="24">disc</text><text x="80" y="24">stem</text>
<text x="120" y="24">one</text><text x="125" y="26">two</text></svg></figure>"""
# Labels, and the marks that they overlap: round or filled marks by their box, lines by points along
# them. Cells of the map of pairs are the background of its discs, and hidden rectangles that take
# the pointer are no marks.
COVERED = """() => {
    const found = [], shown = e => e.getClientRects().length > 0;
    const inside = (b, x, y) => x > b.left && x < b.right && y > b.top && y < b.bottom;
    for (const svg of [...document.querySelectorAll('figure svg')].filter(shown)) {
        const where = svg.closest('figure').id, labels = [];
        for (const text of svg.querySelectorAll('text:not(.tip)')) {
            const b = text.getBBox();
            labels.push({
                text: text.textContent,
                left: b.x + 0.5, right: b.x + b.width - 0.5,
                top: b.y + 3, bottom: b.y + b.height - 3.5,
            });
        }
        for (const [i, a] of labels.entries())
            for (const b of labels.slice(i + 1))
                if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
                    found.push(`${where}: '${a.text}' and '${b.text}'`);
        for (const mark of svg.querySelectorAll('.disc,.marker,.step,.bar,.cell')) {
            const m = mark.getBBox();
            for (const a of labels)
                if (a.left < m.x + m.width && m.x < a.right
                    && a.top < m.y + m.height && m.y < a.bottom)
                    found.push(`${where}: '${a.text}' on ${mark.getAttribute('class')}`);
        }
        const lines =
            '.dot,.curve,.stem,.whisker,.range,.track,.reference,.sizes';
        for (const line of svg.querySelectorAll(lines)) {
            const dots = line.getAttribute('d').matchAll(/M(\\S+) ([^A-Za-z]+)h0/g);
            const at = [...dots].map(m => [+m[1], +m[2]]);
            const all = at.length ? -1 : line.getTotalLength();
            for (let length = 0; length <= all; length += 1.5) {
                const p = line.getPointAtLength(length);
                at.push([p.x, p.y]);
            }
            for (const a of labels)
                if (at.some(([x, y]) => inside(a, x, y)))
                    found.push(`${where}: '${a.text}' on ${line.getAttribute('class')}`);
        }
    }
    return found;
}"""
VISIBLE = """(selector) => [...document.querySelectorAll(selector)]
    .filter(e => e.getClientRects().length > 0).length"""

# Numbers of visible tables that are broken into two lines.
BROKEN_NUMBERS = """[...document.querySelectorAll('td')].filter(cell => {
    const content = document.createRange();
    content.selectNodeContents(cell);
    return /^[\\d.,]+$/.test(cell.textContent.trim()) && content.getClientRects().length > 1;
}).map(cell => cell.textContent)"""

# The name of the element that has the focus; null for the body and for one that had it before.
NEWLY_REACHED = """(() => {
    const element = document.activeElement;
    if (element === document.body || window.reached.has(element)) return null;
    window.reached.add(element);
    return element.getAttribute('aria-label') || element.textContent;
})()"""


def check_that_checks_notice(browser, folder):
    bad = os.path.join(folder, "bad.html")
    with open(bad, "w", encoding="utf-8") as file:
        file.write(BAD)
    browser.open(bad, 400)
    assert "http://127.0.0.1:9/x.png" in browser.requests(), browser.requests()
    assert len(browser.complaints()) >= 2, browser.complaints()
    assert browser.evaluate("document.documentElement.scrollWidth") > 400
    assert browser.evaluate(f"({COVERED})()") == [
        "f: 'one' and 'two'",
        "f: 'disc' on disc",
        "f: 'stem' on stem",
    ]


def check_silence(browser, path):
    assert browser.complaints() == [], browser.complaints()
    assert browser.requests() == ["file://" + path], browser.requests()


def check_layout(browser, width):
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.evaluate(f"({VISIBLE})('.plot svg')") >= 3
    outside = browser.evaluate(
        """[...document.querySelectorAll('.plot')].filter(
        p => p.scrollWidth > p.clientWidth).length"""
    )
    assert outside == 0, f"{outside} charts are wider than their place at {width}"
    smallest = browser.evaluate(
        """Math.min(...[...document.querySelectorAll('figure svg')]
        .filter(s => s.getClientRects().length)
        .map(s => 12 * s.getBoundingClientRect().width / s.viewBox.baseVal.width))"""
    )
    assert smallest > 9.5, f"text of charts is {smallest} pixels high at {width}"
    assert browser.evaluate(BROKEN_NUMBERS) == [], width


def check_labels(browser, path, width):
    """No label lies on a mark or on another label."""
    covered = browser.evaluate(f"({COVERED})()")
    assert covered == [], (os.path.basename(path), width, covered)


def check_alarm(browser, path):
    """A failed gate is the title, in words and in a colour of its own; the others are below it."""
    for dark in (False, True):
        browser.open(path, 400 if dark else 1280, dark=dark)
        title, said, lead = (
            browser.evaluate(f"document.querySelector('{what}').innerText")
            for what in ("h1", ".alarm", ".lede")
        )
        assert title.startswith("FAIL nehalem is ") and "slower than skylakex" in title, title
        assert "limits do not hold" in said and "gap: measured weight is" in said, said
        assert "nehalem vs skylakex: runtime_s +" in said and "limit +5.0 %" in said, said
        assert "gap was not measured at every point" in lead, lead
        colors = browser.evaluate(
            """['.verdict', 'h1 bdi', '.alarm'].map(
            s => getComputedStyle(document.querySelector(s)).color)"""
        )
        assert colors[0] != colors[1], colors
    assert browser.evaluate("document.querySelectorAll('.incomplete').length") == 1


def check_warnings(browser, path, said):
    """What the terminal warned of is on the page, word for word, above the figures."""
    warnings = re.findall(r"^seqpoint: warning: (.*)$", said, re.M)
    hints = re.findall(r"^  hint: (.*)$", said, re.M)
    assert len(warnings) >= 3 and hints, said
    for width, media in ((1280, "screen"), (400, "screen"), (1280, "print")):
        browser.open(path, width, dark=width == 400, media=media)
        shown = browser.evaluate("document.querySelector('.warnings').innerText").split("\n")
        for text in warnings + hints:
            assert text in shown, (text, shown)
        assert browser.evaluate(
            "document.querySelector('.warnings').getBoundingClientRect().bottom <= "
            "document.querySelector('.figures').getBoundingClientRect().top"
        )


def check_processes(browser, path):
    """A dot for each process, with its name; a disturbed one looks different."""
    browser.open(path, 1280)
    tips = browser.evaluate(
        "[...document.querySelectorAll('.process title, .outlier title')].map(e => e.textContent)"
    )
    assert [tip.split(":")[0] for tip in tips] == ["1.csv", "2.csv", "3.csv", "4.csv"], tips
    assert browser.evaluate("document.querySelectorAll('.outlier').length") == 1
    assert "disturbed" in tips[3] and "disturbed" not in tips[0], tips


def check_one_page(browser, path):
    """The page of one configuration is printed on one sheet of A4, also with warnings."""
    browser.open(path, 1280)
    options = {"printBackground": True, "paperWidth": 8.27, "paperHeight": 11.69}
    pdf = base64.b64decode(browser.call("Page.printToPDF", **options)["data"])
    sheets = len(re.findall(rb"/Type\s*/Page\b", pdf))
    assert sheets == 1, (os.path.basename(path), sheets)


def check_keyboard(browser):
    """Tab reaches every visible point and table, and nothing hidden; Enter opens a table.

    After the last element the focus leaves the page, and a browser without a window gives it back
    at once: whether the body has it in between is a matter of time.
    """
    wanted = browser.evaluate(f"({VISIBLE})('summary, g[tabindex], figure > .scroll')")
    browser.evaluate("window.reached = new Set()")
    names = set()
    while True:
        browser.press("Tab", 9)
        name = browser.evaluate(NEWLY_REACHED)
        if name is None:
            break
        names.add(name)
    reached = browser.evaluate("window.reached.size")
    assert reached == wanted, (reached, wanted)
    assert any(
        name.startswith("sp1") or "sp1" in name for name in names
    ) or "calibrated" in " ".join(names), names
    browser.evaluate("document.querySelector('summary').focus()")
    browser.press("Enter", 13)
    assert browser.evaluate("document.querySelector('details').open") is True


def check_colours(browser, path):
    seen = []
    for dark in (False, True):
        browser.open(path, 1280, dark=dark)
        seen.append(
            browser.evaluate(
                "getComputedStyle(document.body).backgroundColor + "
                "getComputedStyle(document.body).color"
            )
        )
    assert seen[0] != seen[1], seen
    browser.open(path, 1280, dark=True, media="print")
    assert (
        browser.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    )
    assert browser.evaluate(f"({VISIBLE})('details')") == 0


def check_limits(browser, path):
    """The words of a verdict are seen at every width and in print."""
    for width, media in ((1280, "screen"), (400, "screen"), (1280, "print")):
        browser.open(path, width, media=media)
        assert (
            browser.evaluate(f"({VISIBLE})('.gates li b')") == 5
        ), "two configurations against a baseline, three coverages"
        assert (
            browser.evaluate("document.querySelector('.gates').innerText").count("\u2713 pass") == 5
        )


def check_dots(browser, path):
    """Each dot names its iteration. Returns the number of dots."""
    browser.open(path, 400)
    tips = browser.evaluate(
        """[...document.querySelectorAll('.dot title')].map(e => e.textContent)"""
    )
    assert all(re.search(r"length \d+: .* \(iteration \d+\)", tip) for tip in tips), tips[:3]
    return len(tips)


def check_page(browser, path, screenshots):
    name = os.path.splitext(os.path.basename(path))[0]
    for width in (1280, 400):
        for dark in (False, True):
            browser.open(path, width, dark=dark)
            check_silence(browser, path)
            check_layout(browser, width)
            check_labels(browser, path, width)
            if screenshots:
                browser.screenshot(
                    os.path.join(screenshots, f"{name}-{width}-{'dark' if dark else 'light'}.png")
                )
    if name == "gnmt":
        check_limits(browser, path)
    if name == "failed":
        check_alarm(browser, path)
    if name == "librispeech":
        assert check_dots(browser, path) == 2 * 446, "every iteration of both machines"
    browser.open(path, 1280)
    check_keyboard(browser)
    check_colours(browser, path)
    assert len(browser.call("Page.printToPDF", printBackground=True)["data"]) > 10_000
    if name == "processes":
        check_processes(browser, path)


def main():
    if not chromium.find():
        print("skipped: there is no chromium; apt-get install chromium")
        sys.exit(77)
    exe, source = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    screenshots = (
        os.path.abspath(sys.argv[sys.argv.index("--screenshots") + 1])
        if "--screenshots" in sys.argv
        else None
    )
    with tempfile.TemporaryDirectory() as folder:
        examples = ExamplePages(exe, source, folder)
        pages = [
            examples.librispeech(),
            examples.gnmt(),
            examples.failed(),
            examples.evaluation(),
            examples.processes(),
        ]
        browser = chromium.Chromium()
        try:
            check_that_checks_notice(browser, folder)
            for page in pages:
                check_page(browser, os.path.join(folder, page), screenshots)
            check_warnings(browser, os.path.join(folder, "processes.html"), examples.said)
            for page in (examples.one(), "processes.html"):
                check_one_page(browser, os.path.join(folder, page))
        finally:
            browser.close()
    print(len(pages), "pages, at 1280 and 400 pixels, light and dark, and in print")


main()
