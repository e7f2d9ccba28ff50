"""A figure: lines over the number of points, in panels side by side."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP = 860, 360, 62, 62, 52, 56
RIGHT = 92  # room for the labels at the ends of lines
STYLE = """
  .paper { fill: #ffffff } text { font: 13px sans-serif; fill: #24292f }
  .title { font-weight: bold }
  .grid { stroke: #d0d7de; stroke-width: 1 } .axis { stroke: #57606a; stroke-width: 1 }
  .line { fill: none; stroke-width: 2.2 }
  .l0 { stroke: #0550ae } .l1 { stroke: #bc4c00; stroke-dasharray: 7 4 }
  .l2 { stroke: #6e7781; stroke-dasharray: 2 3 }
  .m0 { fill: #0550ae } .m1 { fill: #bc4c00 } .m2 { fill: #6e7781 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 } text { fill: #e6edf3 } .grid { stroke: #30363d }
    .axis { stroke: #9198a1 }
    .l0 { stroke: #79c0ff } .l1 { stroke: #ffa657 } .l2 { stroke: #9198a1 } .m0 { fill: #79c0ff }
    .m1 { fill: #ffa657 } .m2 { fill: #9198a1 }
  }
"""


def tidy(x):
    return f"{x:.1f}"


def apart(places, least=15):
    """The same places, moved so that no two are nearer than that."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = list(places)
    for before, here in zip(order, order[1:]):
        moved[here] = max(moved[here], moved[before] + least)
    return moved


def panels(titles, lines, x_label, y_label, description):
    """An SVG. `lines`: of each panel, {name: {x: y}}."""
    names = list(lines[0])
    ys = [y for panel in lines for line in panel.values() for y in line.values()]
    xs = sorted({x for panel in lines for line in panel.values() for x in line})
    step = next(s for s in (0.5, 1, 2, 5, 10) if max(ys) / s <= 7)
    top_value = step * math.ceil(max(ys) / step)
    width = (WIDTH - LEFT - RIGHT - (len(lines) - 1) * (GAP + RIGHT - 30)) / len(lines)
    height = HEIGHT - TOP - BOTTOM

    def across(panel, x):
        return LEFT + panel * (width + GAP + RIGHT - 30) + (x - xs[0]) / (xs[-1] - xs[0]) * width

    def down(y):
        return TOP + (1 - y / top_value) * height

    out = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
            f'width="{WIDTH}" height="{HEIGHT}" role="img">'
        ),
        f"<title>{escape(description)}</title>",
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text x="{LEFT - 44}" y="22">{escape(y_label)}</text>',
    ]
    for p, (title, panel) in enumerate(zip(titles, lines)):
        left, right = across(p, xs[0]), across(p, xs[-1])
        out.append(f'<text class="title" x="{tidy(left)}" y="{TOP - 14}">{escape(title)}</text>')
        for i in range(round(top_value / step) + 1):
            y = down(i * step)
            out.append(
                f'<line class="{"axis" if i == 0 else "grid"}" x1="{tidy(left)}" y1="{tidy(y)}" '
                f'x2="{tidy(right)}" y2="{tidy(y)}"/>'
            )
            out.append(
                f'<text x="{tidy(left - 8)}" y="{tidy(y + 4)}" '
                f'text-anchor="end">{i * step:g}</text>'
            )
        for x in xs:
            if x % 5 == 0:
                out.append(
                    f'<text x="{tidy(across(p, x))}" y="{tidy(down(0) + 18)}" '
                    f'text-anchor="middle">{x}</text>'
                )
        out.append(
            f'<text x="{tidy((left + right) / 2)}" y="{HEIGHT - 12}" '
            f'text-anchor="middle">{escape(x_label)}</text>'
        )
        labels = apart([down(panel[name][xs[-1]]) for name in names])
        for i, name in enumerate(names):
            places = [(across(p, x), down(panel[name][x])) for x in sorted(panel[name])]
            out.append(
                f'<polyline class="line l{i}" '
                f'points="{" ".join(f"{tidy(x)},{tidy(y)}" for x, y in places)}"/>'
            )
            for x, y in places:
                out.append(f'<circle class="m{i}" cx="{tidy(x)}" cy="{tidy(y)}" r="2.6"/>')
            out.append(
                f'<text x="{tidy(right + 8)}" y="{tidy(labels[i] + 4)}">{escape(name)}</text>'
            )
    return "\n".join([*out, "</svg>"]) + "\n"
