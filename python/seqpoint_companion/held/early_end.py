"""Whether the job's loop may leave its loader before the last batch, as its source says."""

import ast


def may_leave(path, line):
    """Whether a `for` whose iterable is in this line has a `break` of its own, or a `return`.

    False for any other loop.
    """
    with open(path, "rb") as file:
        tree = ast.parse(file.read())
    return any(
        node.lineno <= line <= node.iter.end_lineno and any(map(_leaves, node.body))
        for node in ast.walk(tree)
        if isinstance(node, (ast.For, ast.AsyncFor))
    )


def _leaves(node):
    """Whether the statement ends the loop that it is in the body of."""
    if isinstance(node, (ast.Break, ast.Return)):
        return True
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        return False
    if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
        inner = (inside for inside in ast.walk(node) if isinstance(inside, ast.Return))
        return any(inner) or any(map(_leaves, node.orelse))
    return any(map(_leaves, ast.iter_child_nodes(node)))
