"""Functions of libraries that read or write files in native code: they get the files' places.

Everything else that a library does to files goes through Python's own functions.
"""

import functools
import os

# {module: (function or method, position of the path among its arguments, its name, what is asked)}
FUNCTIONS = {
    "torch.serialization": (
        ("save", 1, "f", "to_save"),
        ("load", 0, "f", "to_load"),  # with mmap=True
    ),
    "torch.jit": (("save", 1, "f", "to_save"), ("load", 0, "f", "to_load")),
    "safetensors": (
        ("serialize_file", 1, "filename", "to_save"),
        ("safe_open", 0, "filename", "to_load"),
    ),
    "transformers.tokenization_utils_fast": (  # before 5.0
        ("PreTrainedTokenizerFast._save_pretrained", 1, "save_directory", "to_save_in"),
    ),
    "transformers.tokenization_utils_tokenizers": (
        ("TokenizersBackend._save_pretrained", 1, "save_directory", "to_save_in"),
    ),
}


def redirect(calls, module):
    """Replaces the functions of the module; a release may lack one."""
    for name, position, argument, place in FUNCTIONS[module.__name__]:
        owner, _, function = name.rpartition(".")
        owner = getattr(module, owner, None) if owner else module
        own_function = getattr(owner, function, None)
        if own_function is not None:
            place_of = functools.partial(place_in, calls, place)
            setattr(owner, function, with_path(own_function, position, argument, place_of))


def with_path(own_function, position, argument, place_of):
    @functools.wraps(own_function)
    def redirected(*arguments, **named):
        if argument in named:
            named[argument] = place_of(named[argument])
        elif len(arguments) > position:
            path = place_of(arguments[position])
            arguments = (*arguments[:position], path, *arguments[position + 1 :])
        return own_function(*arguments, **named)

    return redirected


def place_in(calls, asked, value):
    """The place of a path; other values, such as open files, stay."""
    if not isinstance(value, (str, os.PathLike)) or calls.are_left_alone():
        return value
    if asked == "to_load" and not calls.may_differ():
        return value
    return calls.change(asked, value)
