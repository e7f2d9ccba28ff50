"""Pages in a real browser:

    pages.py EXE SOURCE_DIR [--screenshots FOLDER]

Makes pages of the examples and opens them in headless Chromium at 1280 and 400 pixels, light, dark
and in print. Every mark of a picture is where the figure of the JSON is, by the labels of the axes,
which end beyond it. The console stays silent, nothing is requested but the page, nothing is wider
than the window, no number is broken, no label lies on another, the keyboard reaches the tables.
Without scripts the finding and the tables are there, and a changed script does not run. Warnings
of the terminal are on the page. Ends with 77 without Chromium (Debian: chromium).
"""
import base64
import json
import math
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
<text x="120" y="24">one</text><text x="125" y="26">two</text></svg></figure>"""
# Labels that overlap.
COVERED = """() => {
    const found = [];
    for (const svg of document.querySelectorAll('figure svg')) {
        const labels = [...svg.querySelectorAll('text')].filter(t => t.getClientRects().length);
        const boxes = labels.map(t => [t.textContent, t.getBoundingClientRect()]);
        for (const [i, [text, a]] of boxes.entries())
            for (const [other, b] of boxes.slice(i + 1))
                if (a.left + 0.5 < b.right && b.left + 0.5 < a.right
                    && a.top + 3 < b.bottom && b.top + 3 < a.bottom)
                    found.push(`${svg.closest('figure[id]').id}: '${text}' and '${other}'`);
    }
    return found;
}"""
# Every picture: its axes, with a label and a position for every tick, and the boxes of its marks.
DRAWN = """() => [...document.querySelectorAll('.figures > figure')].map(figure => ({
    id: figure.id,
    pictures: [...figure.querySelectorAll('.plot svg')]
        .filter(svg => svg.querySelector('[aria-label$="-axis label"]'))
        .map(svg => {
        const origin = svg.getBoundingClientRect();
        const box = e => {  // of a symbol its middle, which is the origin of its path
            const m = e.getScreenCTM(), r = e.getBoundingClientRect();
            if (e.tagName === 'path' && e.closest('g').classList.length)
                return [m.e - origin.left, m.e - origin.left, m.f - origin.top, m.f - origin.top];
            return [r.left - origin.left, r.right - origin.left, r.top - origin.top,
                    r.bottom - origin.top];
        };
        const axis = (name, at) => {
            const ticks = [...svg.querySelectorAll(`[aria-label="${name}-axis tick"] path`)];
            const texts = [...svg.querySelectorAll(`[aria-label="${name}-axis tick label"] text`)];
            const label = svg.querySelector(`[aria-label="${name}-axis label"]`);
            return {
                label: label ? label.textContent : '',
                ticks: ticks.length === texts.length
                    ? ticks.map((t, i) => [texts[i].textContent, at(box(t))]) : [],
            };
        };
        const marks = {};
        for (const group of svg.querySelectorAll('g[class]:not([aria-label*="axis"])')) {
            const label = group.classList[0];
            marks[label] = [...(marks[label] || []), ...[...group.children].map(box)];
        }
        return {x: axis('x', b => (b[0] + b[1]) / 2), y: axis('y', b => (b[2] + b[3]) / 2), marks};
    }),
}))"""
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


UNITS = {"h": 3600, "min": 60, "s": 1, "ms": 1e-3}


class Axis:
    """Positions of values by the first and the last labelled tick."""

    def __init__(self, drawn, logarithmic=False):
        self.label, self.of = drawn["label"], math.log if logarithmic else float
        ticks = [
            (float(text.replace(",", "").replace("\u2212", "-")), at)
            for text, at in drawn["ticks"]
            if text
        ]
        assert len(ticks) >= 2, drawn
        (self.low, self.start), (self.high, self.end) = ticks[0], ticks[-1]

    def __call__(self, value):
        share = (self.of(value) - self.of(self.low)) / (self.of(self.high) - self.of(self.low))
        return self.start + share * (self.end - self.start)

    def unit(self):
        """Seconds of the unit in the label; 1 without one."""
        return UNITS.get(self.label.strip(" \u2192\u2191").rpartition(", ")[2], 1)

    def covers(self, value):
        return self.low <= value <= self.high


def rounded(place):
    return [round(at) for at in place]


def same_places(drawn, wanted, what):
    """Both are lists of tuples of pixels, in any order: equal to a pixel."""
    assert len(drawn) == len(wanted), (what, len(drawn), len(wanted))
    for a, b in zip(*(sorted(places, key=rounded) for places in (drawn, wanted))):
        assert all(abs(x - y) <= 1 for x, y in zip(a, b)), (what, a, b)


def middles(boxes):
    return [((left + right) / 2, (top + bottom) / 2) for left, right, top, bottom in boxes]


def check_by_length(picture, tables, figure):
    x, y, marks = Axis(picture["x"]), Axis(picture["y"]), picture["marks"]
    unit = y.unit()
    points, bands = tables.get(figure, []), tables.get(figure + "-batches", [])
    outliers = tables.get(figure + "-outliers", [])
    same_places(
        middles(marks.get("points", [])),
        [(x(p["length"]), y(p["value"] / unit)) for p in points],
        figure,
    )
    same_places(
        middles(marks.get("outliers", [])),
        [(x(o["length"]), y(o["value"] / unit)) for o in outliers],
        figure,
    )
    same_places(
        marks.get("bands", []),
        [
            (x(b["length_from"]), x(b["length_to"] + 1), y(b["p90"] / unit), y(b["p10"] / unit))
            for b in bands
        ],
        figure,
    )
    values = (
        [p["most"] for p in points] + [b["p90"] for b in bands] + [o["value"] for o in outliers]
    )
    assert y.covers(max(values) / unit), (figure, y.high, max(values))
    lengths = [p["length"] for p in points] + [b["length_to"] + 1 for b in bands]
    assert x.covers(max(lengths)), figure


def check_rows(picture, values, whiskers=(), dots=(), logarithmic=False):
    """Marks in rows: where they are along the axis. All are in its unit."""
    x, marks = Axis(picture["x"], logarithmic), picture["marks"]
    same_places([(at,) for at, _ in middles(marks["marks"])], [(x(v),) for v in values], x.label)
    same_places(
        [(at,) for at, _ in middles(marks.get("dots", []))], [(x(v),) for v in dots], x.label
    )
    same_places(
        [tuple(box[:2]) for box in marks.get("whiskers", [])],
        [(x(low), x(high)) for low, high in whiskers],
        x.label,
    )
    if not logarithmic:
        assert all(x.covers(v) for v in [*values, *dots]), x.label


def check_totals(pictures, tables):
    rows = tables["configurations"]
    rows = [row for row in rows if row["metric"] == rows[0]["metric"] and row["value"] is not None]
    unit = Axis(pictures[0]["x"]).unit()
    check_rows(
        pictures[0],
        [row["value"] / unit for row in rows],
        [(row["low"] / unit, row["high"] / unit) for row in rows if row["low"] is not None],
        [p["value"] / unit for p in tables.get("processes", [])],
    )
    if len(pictures) > 1:
        changed = [
            row
            for row in rows
            if row["change_pct"] is not None and row["change_low_pct"] != row["change_high_pct"]
        ]
        check_rows(
            pictures[1],
            [row["change_pct"] for row in changed],
            [(row["change_low_pct"], row["change_high_pct"]) for row in changed],
        )


def check_lengths(picture, tables):
    x, y, marks = Axis(picture["x"]), Axis(picture["y"]), picture["marks"]
    same_places(
        marks["bars"],
        [
            (x(row["from"]), x(row["to"] + 1), y(row["iterations"]), y(0))
            for row in tables["lengths"]
        ],
        "lengths",
    )
    points = tables.get("points", [])
    same_places(
        middles(marks.get("points", [])),
        [(x(p["length"]), y(p["weight"])) for p in points],
        "points",
    )
    heights = [p["weight"] for p in points] + [row["iterations"] for row in tables["lengths"]]
    assert max(heights) < y.high, "a bar or a weight touches the top"


def check_order(picture, tables):
    x, y = Axis(picture["x"]), Axis(picture["y"])
    same_places(
        middles(picture["marks"]["batches"]),
        [(x(row["batch"]), y(row["seconds"] / y.unit())) for row in tables["order"]],
        "order",
    )


def check_pictures(browser):
    """Compares every picture with the JSON. Returns the figures."""
    data = json.loads(browser.evaluate("document.getElementById('seqpoint-data').textContent"))
    tables = {t["id"]: [dict(zip(t["columns"], row)) for row in t["rows"]] for t in data["tables"]}
    drawn = {figure["id"]: figure["pictures"] for figure in browser.evaluate(f"({DRAWN})()")}
    assert list(drawn) == [figure["id"] for figure in data["figures"]]
    for figure in data["figures"]:
        name, pictures = figure["id"], drawn[figure["id"]]
        assert pictures, name
        if figure["chart"] == "byLength":
            check_by_length(pictures[0], tables, name)
        elif name == "totals":
            check_totals(pictures, tables)
        elif name == "lengths":
            check_lengths(pictures[0], tables)
        elif name == "order":
            check_order(pictures[0], tables)
        elif name == "variance":
            check_rows(pictures[0], [row["share_pct"] for row in tables[name]])
        elif name == "methods":
            check_rows(
                pictures[0], [row["rms_error_pct"] for row in tables[name]], logarithmic=True
            )
        elif name == "phases":
            unit = Axis(pictures[0]["x"]).unit()
            check_rows(pictures[0], [row["seconds"] / unit for row in tables[name]])
        elif name == "differences-by-length":
            check_rows(pictures[0], [row["change, %"] for row in tables[name]])
        else:
            raise AssertionError(f"{name} is not compared")
    return list(drawn)


def check_without_scripts(browser, path):
    """The finding and the tables need no script."""
    browser.open(path, 400, scripts=False)
    assert browser.evaluate("document.querySelectorAll('svg').length") == 0
    assert browser.evaluate("document.querySelector('h1').innerText.length") > 20
    assert browser.evaluate("document.querySelectorAll('figure table tr').length") > 10
    assert browser.evaluate("document.documentElement.scrollWidth") <= 400


def check_policy(browser, path):
    """A script that is not the page's own does not run."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    other = path.replace(".html", "-changed.html")
    with open(other, "w", encoding="utf-8") as file:
        file.write(text.replace("</script>\n</body>", "//</script>\n</body>"))
    browser.open(other, 1280)
    assert any("Content Security Policy" in said for said in browser.complaints())
    assert browser.evaluate("document.querySelectorAll('svg').length") == 0


def check_that_checks_notice(browser, folder):
    bad = os.path.join(folder, "bad.html")
    with open(bad, "w", encoding="utf-8") as file:
        file.write(BAD)
    browser.open(bad, 400)
    assert "http://127.0.0.1:9/x.png" in browser.requests(), browser.requests()
    assert len(browser.complaints()) >= 2, browser.complaints()
    assert browser.evaluate("document.documentElement.scrollWidth") > 400
    assert browser.evaluate(f"({COVERED})()") == ["f: 'one' and 'two'"]
    try:
        same_places([(1, 2)], [(1, 4)], "moved")
    except AssertionError:
        return
    raise RuntimeError("a mark at another place is not noticed")


def check_silence(browser, path):
    assert browser.complaints() == [], browser.complaints()
    assert browser.requests() == ["file://" + path], browser.requests()


def check_layout(browser, width):
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    outside = browser.evaluate(
        """[...document.querySelectorAll('.plot')].filter(
        p => p.scrollWidth > p.clientWidth).length"""
    )
    assert outside == 0, f"{outside} charts are wider than their place at {width}"
    smallest = browser.evaluate(
        """Math.min(...[...document.querySelectorAll('.plot svg[viewBox]')]
        .map(s => 12 * s.getBoundingClientRect().width / s.viewBox.baseVal.width))"""
    )
    assert smallest > 9.5, f"text of charts is {smallest} pixels high at {width}"
    assert browser.evaluate(BROKEN_NUMBERS) == [], width


def check_labels(browser, path, width):
    """No label lies on a mark or on another label."""
    covered = browser.evaluate(f"({COVERED})()")
    assert covered == [], (os.path.basename(path), width, covered)


def check_alarm(browser, path):
    """A failed gate is the title, in words and in a colour of its own; all are below it."""
    for dark in (False, True):
        browser.open(path, 400 if dark else 1280, dark=dark)
        title, said, lead = (
            browser.evaluate(f"document.querySelector('{what}').innerText")
            for what in ("h1", ".gates", ".lede")
        )
        assert title.startswith("FAIL nehalem "), title
        assert "limits failed" in said and "gap: measured weight is" in said, said
        assert "gap was not measured at every point" in lead, lead
        colors = browser.evaluate(
            """['.verdict', 'h1 bdi'].map(
            s => getComputedStyle(document.querySelector(s)).color)"""
        )
        assert colors[0] != colors[1], colors
    assert browser.evaluate("document.querySelectorAll('.incomplete').length") == 1


def check_warnings(browser, path, said):
    """What the terminal warned of is on the page, above the figures."""
    warnings = re.findall(r"^seqpoint: warning: (.*)$", said, re.M)
    hints = re.findall(r"^  hint: (.*)$", said, re.M)
    assert len(warnings) >= 2 and hints, said
    for width, media in ((1280, "screen"), (400, "screen"), (1280, "print")):
        browser.open(path, width, dark=width == 400, media=media)
        shown = browser.evaluate("document.querySelector('.warnings').textContent")
        assert f"{len(warnings)} warnings" in shown, shown
        for text in hints:
            assert text in shown, (text, shown)
        assert browser.evaluate("document.querySelectorAll('.warnings > ul > li').length") <= 2
        assert browser.evaluate(
            "document.querySelector('.warnings').getBoundingClientRect().bottom <= "
            "document.querySelector('.figures').getBoundingClientRect().top"
        )


def check_processes(browser, path):
    """A dot for each process, with its name; a disturbed one is hollow."""
    browser.open(path, 1280)
    tips, hollow = (
        browser.evaluate(f"[...document.querySelectorAll('#totals .dots > *')].map(e => {what})")
        for what in (
            "e.textContent",
            "e.parentNode.classList.contains('hollow')",
        )
    )
    names = {tip.split(":")[0].split(",")[0] for tip in tips}
    assert names == {"1.csv", "2.csv", "3.csv", "4.csv"} and len(tips) == 4, tips
    assert ["disturbed" in tip for tip in tips] == hollow and sum(hollow) == 1, (tips, hollow)


def check_one_page(browser, path):
    """The page of one configuration is printed on one sheet of A4, also with warnings."""
    browser.open(path, 1280)
    options = {"printBackground": True, "paperWidth": 8.27, "paperHeight": 11.69}
    pdf = base64.b64decode(browser.call("Page.printToPDF", **options)["data"])
    sheets = len(re.findall(rb"/Type\s*/Page\b", pdf))
    assert sheets == 1, (os.path.basename(path), sheets)


def check_keyboard(browser):
    """Tab reaches every summary of a table, and nothing hidden; Enter opens it.

    After the last element the focus leaves the page, and a browser without a window gives it back
    at once: whether the body has it in between is a matter of time.
    """
    wanted = browser.evaluate(f"({VISIBLE})('summary')")
    browser.evaluate("window.reached = new Set()")
    while True:
        browser.press("Tab", 9)
        if browser.evaluate(NEWLY_REACHED) is None:
            break
    reached = browser.evaluate("window.reached.size")
    assert reached == wanted, (reached, wanted)
    browser.evaluate("document.querySelector('figure summary').focus()")
    browser.press("Enter", 13)
    assert browser.evaluate("document.querySelector('figure details').open") is True


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
            browser.evaluate(f"({VISIBLE})('.gates b')") == 5
        ), "two configurations against a baseline, three coverages"
        assert (
            browser.evaluate("document.querySelector('.gates').innerText").count("\u2713 pass") == 5
        )


def check_page(browser, path, screenshots):
    name = os.path.splitext(os.path.basename(path))[0]
    for width in (1280, 400):
        for dark in (False, True):
            browser.open(path, width, dark=dark)
            if screenshots:
                browser.screenshot(
                    os.path.join(screenshots, f"{name}-{width}-{'dark' if dark else 'light'}.png")
                )
            check_silence(browser, path)
            check_layout(browser, width)
            check_labels(browser, path, width)
            figures = check_pictures(browser)
    if name == "gnmt":
        check_limits(browser, path)
    if name == "failed":
        check_alarm(browser, path)
    browser.open(path, 1280)
    check_keyboard(browser)
    check_colours(browser, path)
    assert len(browser.call("Page.printToPDF", printBackground=True)["data"]) > 10_000
    check_without_scripts(browser, path)
    if name == "processes":
        check_processes(browser, path)
    return figures


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
            examples.one_shape(),
            examples.phases(),
        ]
        browser = chromium.Chromium()
        try:
            check_that_checks_notice(browser, folder)
            drawn = set()
            for page in pages:
                drawn |= set(check_page(browser, os.path.join(folder, page), screenshots))
            wanted = {"costs", "totals", "lengths", "variance", "methods", "order", "phases"}
            assert wanted <= drawn, wanted - drawn
            check_policy(browser, os.path.join(folder, pages[0]))
            check_warnings(browser, os.path.join(folder, "processes.html"), examples.said)
            for page in (examples.one(), "processes.html"):
                check_one_page(browser, os.path.join(folder, page))
        finally:
            browser.close()
    print(len(pages), "pages, at 1280 and 400 pixels, light and dark, and in print")


main()
