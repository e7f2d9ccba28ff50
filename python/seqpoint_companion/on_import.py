"""Changes modules of other packages as soon as the job has imported them."""

import sys

from . import caller


def change_on_import(changes):
    """{module: function that patches it}, called right after the module was imported."""

    def find_spec(name, path=None, target=None):
        change = changes.pop(name, None)
        spec = spec_of(name) if change else None
        if spec is not None:
            spec.loader.exec_module = then(spec.loader.exec_module, change)
        return spec

    sys.meta_path.insert(0, Finder(find_spec))
    for name in changes.keys() & sys.modules.keys():
        changes.pop(name)(sys.modules[name])


class Finder:
    """For sys.meta_path."""

    def __init__(self, find_spec):
        self.find_spec = find_spec


def spec_of(name):
    import importlib.util

    return importlib.util.find_spec(name)


def then(execute, change):
    def exec_module(module):
        execute(module)
        if not caller.is_gone():
            change(module)

    return exec_module
