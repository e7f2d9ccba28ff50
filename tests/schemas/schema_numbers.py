"""A schema that older programs cannot read has a new number: schema_numbers.py SOURCE_DIR [--write]

numbers.txt contains the published keys for each kind and number since version 2.2: the required
keys, and the type of each key. Within a number keys may be added, and nothing else: a reader of
another version finds the keys that it needs. --write adds new keys, and refuses all other changes.
"""
import json
import sys
from pathlib import Path

SOURCE = Path(sys.argv[1])
PUBLISHED = Path(__file__).with_name("numbers.txt")
TOLD = ("type", "const", "pattern", "$ref")


def lines_of(schema, path=""):
    """(path, facts) of every key: its type, and whether it is required."""
    if isinstance(schema, list):
        for i, part in enumerate(schema):
            yield from lines_of(part, f"{path}/{i}")
    if not isinstance(schema, dict):
        return
    said = {keyword: schema[keyword] for keyword in TOLD if keyword in schema}
    if "required" in schema:
        said["required"] = sorted(schema["required"])
    yield path or "/", json.dumps(said)
    for keyword, part in schema.items():
        if keyword in ("properties", "$defs", "definitions"):
            for name, value in part.items():
                yield from lines_of(
                    value,
                    f"{path}/{name}" if keyword == "properties" else f"{path}/{keyword}/{name}",
                )
        elif keyword not in (*TOLD, "required"):
            yield from lines_of(part, f"{path}/:{keyword}")


def published():
    found = {}
    for line in PUBLISHED.read_text(encoding="utf-8").splitlines() if PUBLISHED.exists() else []:
        name, path, said = line.split(" ", 2)
        found.setdefault(name, {})[path] = said
    return found


def trips(name, before, now):
    for path, said in before.items():
        if path not in now:
            yield f"{name}: {path} is gone"
        elif now[path] != said:
            yield f"{name}: {path} was {said}, is {now[path]}"


def self_test():
    before = {"/": '{"required": ["a"]}', "/a": '{"type": "string"}'}
    assert not [*trips("x", before, {**before, "/b": '{"type": "string"}'})]
    assert [*trips("x", before, {**before, "/": '{"required": ["a", "b"]}'})]
    assert [*trips("x", before, {**before, "/a": '{"type": ["string", "null"]}'})]
    assert [*trips("x", before, {"/": before["/"]})]


def main():
    self_test()
    known, problems, new = published(), [], 0
    for path in sorted((SOURCE / "share" / "schemas").glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        name = schema["properties"]["schema"]["const"]
        assert (
            schema["$id"]
            == f"urn:seqpoint:schema:{name.removeprefix('seqpoint/').replace('/', ':')}"
            and name.split("/")[1] == path.stem
        ), name
        now = dict(lines_of(schema))
        problems += trips(name, known.get(name, {}), now)
        new += len(now.keys() - known.get(name, {}).keys())
        known[name] = {**known.get(name, {}), **now}
    for problem in problems:
        print(f"{problem}: raise the number of its schema in share/schemas, or leave it as it was")
    if new and "--write" not in sys.argv:
        print(
            f"{new} keys are not in tests/schemas/numbers.txt: tests/schemas/schema_numbers.py . "
            "--write"
        )
    elif not problems:
        text = "".join(
            f"{name} {path} {said}\n"
            for name, keys in sorted(known.items())
            for path, said in keys.items()
        )
        if "--write" in sys.argv:
            PUBLISHED.write_text(text, encoding="utf-8")
        print(f"{len(known)} schemas")
        return 0
    return 1


sys.exit(main())
