"""Pages from templates: `@table NAME` on its own line is a table, `@{NAME}` a figure.

A name begins with the group that computes it. A group is computed once, when its first name is
used. Parts between `<!-- begin NAME -->` and `<!-- end NAME -->` can be made, and compared, alone.
"""
import re

PLACE = re.compile(r"^@table ([\w.-]+)$|@\{([\w.-]+)\}", re.M)
PART = re.compile(r"<!-- begin ([\w-]+) -->\n(.*?)<!-- end \1 -->", re.S)


class Facts:
    """Figures and tables by name, computed by group."""

    def __init__(self, groups):
        self.groups, self.known = groups, {}

    def __getitem__(self, name):
        group, _, rest = name.partition(".")
        if group not in self.known:
            if group not in self.groups:
                raise SystemExit(f"no group of figures '{group}' (of '{name}')")
            self.known[group] = self.groups[group]()
        if rest not in self.known[group]:
            raise SystemExit(f"no figure '{name}'")
        return str(self.known[group][rest])


def filled(template, facts):
    return PLACE.sub(lambda place: facts[place.group(1) or place.group(2)].rstrip("\n"), template)


def parts(text):
    """{name: text between its markers}"""
    return dict(PART.findall(text))


def fits(template, page):
    """None if the page matches the template, whatever its figures and tables.

    Else a line of the template that the page does not contain.
    """
    at = 0
    for i, piece in enumerate(re.split(PLACE.pattern, template, flags=re.M)[::3]):
        found = page.find(piece, at)
        if found < 0 or (i == 0 and found > 0):
            return next(
                (line for line in piece.split("\n") if line not in page),
                piece.strip().split("\n")[0],
            )
        at = found + len(piece)
    return None if at == len(page) or template.rstrip().endswith("}") else "(the end)"


def markdown(header, rows):
    """A table; the first column and those whose header begins with ':' to the left."""
    left = [i == 0 or cell.startswith(":") for i, cell in enumerate(header)]
    lines = [
        [cell.lstrip(":") for cell in header],
        [":---" if to_left else "---:" for to_left in left],
        *([str(cell) for cell in row] for row in rows),
    ]
    return "\n".join(
        "|" + "|".join(f" {cell} " if cell else " " for cell in line) + "|" for line in lines
    )
