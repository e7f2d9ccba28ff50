"""Values of a job's expressions, as far as no code of the job has to run for them."""

import ast

CALLED = {"int": int, "len": len, "max": max, "min": min, "range": range}
ALLOWED = (
    *(ast.Attribute, ast.BinOp, ast.BoolOp, ast.Compare, ast.Constant, ast.Name, ast.Subscript),
    *(ast.UnaryOp, ast.boolop, ast.cmpop, ast.expr_context, ast.operator, ast.unaryop),
)


class Expression:
    """An expression in a frame; `counters`: names, as "i" or "self.step", whose values are given.

    Its value is None if it would call something, or has none.
    """

    def __init__(self, node, frame, counters=()):
        given = Given(counters)
        tree = given.visit(ast.parse(ast.unparse(node), mode="eval"))
        self.counts = given.seen
        self._names = {**frame.f_globals, **frame.f_locals, "__builtins__": CALLED}
        allowed = all(map(is_allowed, ast.walk(tree.body)))
        self._code = compile(ast.fix_missing_locations(tree), "job", "eval") if allowed else None

    def value(self, given=None):
        """`given`: {name of a counter: its value}."""
        if self._code is None:
            return None
        self._names.update({place_of(name): value for name, value in (given or {}).items()})
        try:
            return eval(self._code, self._names)
        except Exception:
            return None


def value_of(node, frame):
    return Expression(node, frame).value()


class Given(ast.NodeTransformer):
    """Puts names of their own in the place of counters."""

    def __init__(self, counters):
        self.counters, self.seen = counters, False

    def visit_Name(self, node):
        name = ast.unparse(node)
        if name not in self.counters:
            return self.generic_visit(node)
        self.seen = True
        return ast.Name(place_of(name), ast.Load())

    visit_Attribute = visit_Name


def place_of(counter):
    return f"_counter_{counter}".replace(".", "_")


def is_allowed(node):
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in CALLED and not node.keywords
    return isinstance(node, ALLOWED)
