"""Changes modules of other packages as soon as the job has imported them."""

import sys

from . import caller


def change_on_import(changes):
    """{module: function that patches it}, called right after the module was imported.

    A module that is only looked for, to know whether it is there, may be imported later.
    """
    sys.meta_path.insert(0, Finder(changes))
    for name in changes.keys() & sys.modules.keys():
        changes.pop(name)(sys.modules[name])


class Finder:
    """For sys.meta_path."""

    def __init__(self, changes):
        self.changes = changes
        self.looked_for = set()  # by importlib, which asks this finder, too

    def find_spec(self, name, path=None, target=None):
        if name not in self.changes or name in self.looked_for:
            return None
        import importlib.util

        self.looked_for.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.looked_for.discard(name)
        if spec is not None and spec.loader is not None:  # a folder without a module has no loader
            spec.loader.exec_module = then(spec.loader.exec_module, name, self.changes)
        return spec


def then(execute, name, changes):
    def exec_module(module):
        execute(module)
        if module.__name__ == name and name in changes and not caller.is_gone():
            changes.pop(name)(module)

    return exec_module
