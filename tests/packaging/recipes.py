"""The recipes of packaging/ match this version and its dependencies, and their programs read them:

    recipes.py SOURCE_DIR

The checks in Python always run, if it has YAML. Ends with 77, and names the missing ones, if one of
the other programs is not installed: ruby, nix-instantiate, flake8, yamllint, shellcheck.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import types
from pathlib import Path

try:
    import yaml
except ImportError:
    print("skipped: there is no YAML for Python; apt-get install python3-yaml")
    sys.exit(77)

SOURCE = Path(sys.argv[1]).resolve()
PACKAGING = SOURCE / "packaging"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tools"))
import recipes  # noqa: E402
import release  # noqa: E402

# The packages that CMake finds, by their names in each collection.
CALLED = {
    # conda, spack, nix, vcpkg, homebrew
    "CLI11": ("cli11", "cli11", "cli11", "cli11", "cli11"),
    "nlohmann_json": (
        "nlohmann_json",
        "nlohmann-json",
        "nlohmann_json",
        "nlohmann-json",
        "nlohmann-json",
    ),
    "spdlog": ("spdlog", "spdlog", "spdlog", "spdlog", "spdlog"),
    "fmt": ("fmt", "fmt", "fmt", "fmt", "fmt"),
    "Eigen3": ("eigen", "eigen", "eigen", "eigen3", "eigen"),
    "simdjson": ("simdjson", "simdjson", "simdjson", "simdjson", "simdjson"),
    "Boost": ("libboost-headers", "boost", "boost", "boost-math", "boost"),
    "ZLIB": ("zlib", "zlib-api", "zlib", "zlib", "zlib-ng-compat"),
    "zstd": ("zstd", "zstd", "zstd", "zstd", "zstd"),
    "xxHash": ("xxhash", "xxhash", "xxHash", "xxhash", "xxhash"),
    "RE2": ("re2", "re2", "re2", "re2", "re2"),
    "SQLite3": ("libsqlite", "sqlite", "sqlite", "sqlite3", "sqlite"),
}
KINDS = ("conda", "spack", "nix", "vcpkg", "homebrew")
TOOLS = {
    "cmake",
    "ninja",
    "cxx",
    "vcpkg-cmake",
    "vcpkg-cmake-config",
}  # what builds, and is not linked

TEXT = {"type": "string", "minLength": 1}
TEXTS = {"type": "array", "items": TEXT, "minItems": 1}


def record(required, **optional):
    """An object with these keys and no other."""
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


# The part of their forms that the recipes use; a key that is not here is misspelt.
CONDA = record(
    {
        "schema_version": {"const": 1},
        "context": record({"version": TEXT}),
        "package": record({"name": {"const": "seqpoint"}, "version": TEXT}),
        "source": record({"url": TEXT, "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}),
        "build": record(
            {"number": {"type": "integer", "minimum": 0}, "skip": TEXTS, "script": TEXTS}
        ),
        "requirements": record({"build": TEXTS, "host": TEXTS}),
        "tests": {"type": "array", "items": record({"script": TEXTS}), "minItems": 1},
        "about": record(
            {name: TEXT for name in ("homepage", "license", "license_file", "summary")}
        ),
    }
)
NAME = {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}
NAMES = {
    "type": "array",
    "items": {"oneOf": [NAME, record({"name": NAME, "host": {"const": True}})]},
}
VCPKG = record(
    {
        "name": NAME,
        "version": {"type": "string", "pattern": r"^\d+(\.\d+)*$"},
        "maintainers": TEXT,
        "description": TEXT,
        "homepage": TEXT,
        "license": TEXT,
        "supports": TEXT,
        "dependencies": NAMES,
    }
)
STEP = record(
    {"shell": {"const": "bash"}, "run": TEXT},
    id=TEXT,
    **{"if": TEXT},
    env={"type": "object", "additionalProperties": TEXT},
)
ACTION = record(
    {
        "name": TEXT,
        "description": TEXT,
        "inputs": {
            "type": "object",
            "additionalProperties": record({"description": TEXT}, default=TEXT),
        },
        "outputs": {
            "type": "object",
            "additionalProperties": record({"description": TEXT, "value": TEXT}),
        },
        "runs": record(
            {
                "using": {"const": "composite"},
                "steps": {"type": "array", "items": STEP, "minItems": 1},
            }
        ),
    }
)

missing = []


def read(name):
    return (PACKAGING / name).read_text(encoding="utf-8")


def yaml_of(name):
    return yaml.safe_load(read(name))


def program(name, *arguments, **more):
    """Runs a program that may be missing, and that must not complain."""
    if not shutil.which(name):
        missing.append(name)
        return None
    done = subprocess.run(
        [name, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **more,
    )
    assert done.returncode == 0, f"{name} {arguments}: {done.stdout}"
    return done.stdout


# --- facts that they share ------------------------------------------------------------------------


def check_values():
    """The recipes contain the facts of that file, and no others of the same kind."""
    assert recipes.stale(SOURCE) == [], recipes.stale(SOURCE)
    version = recipes.version_of(SOURCE)
    given = {
        "contact": "A Name <a.name@somewhere.test>",
        "homepage": "https://home.test/of/it",
        "downloads": "https://files.test/v{version}",
    }
    values = recipes.Values(given, "98.7.6", b"an archive")
    for name, _, text in recipes.recipes(values, SOURCE):
        left = [
            word
            for word in (version, "example.org", "0" * 64, "/{version}", "{source", "{sha")
            if word in text
        ]
        assert not left, f"packaging/{name} says {left} where tools/recipes.py does not write"
        assert (
            "98.7.6" in text or name.endswith("portfile.cmake") or not recipes.FIELDS[name]
        ), name  # which has vcpkg's ${VERSION}
    texts = {name: text for name, _, text in recipes.recipes(values, SOURCE)}
    sha256, sha512 = values.digest("sha256"), values.digest("sha512")
    assert all(
        sha256 in texts[name]
        for name in (
            "conda/recipe.yaml",
            "spack/package.py",
            "nix/package.nix",
            "homebrew/seqpoint.rb",
        )
    )
    assert sha512 in texts["vcpkg/portfile.cmake"]
    assert (
        "https://files.test/v${{ version }}/seqpoint-${{ version }}.tar.gz"
        in texts["conda/recipe.yaml"]
    )
    assert (
        "https://files.test/v98.7.6/seqpoint-98.7.6-portable.tar.gz" in texts["action/action.yml"]
    )
    files = {
        str(path.relative_to(PACKAGING))
        for path in PACKAGING.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert files == {*recipes.FIELDS, "README.md", "project.json"}, files.symmetric_difference(
        recipes.FIELDS
    )


def check_placeholders():
    """No release is made while a placeholder is left, nor of a build that still has it."""
    filled = {
        "contact": "A Name <a.name@somewhere.test>",
        "homepage": "https://home.test",
        "downloads": "https://files.test/{version}",
    }
    assert recipes.placeholders(filled) == []
    for name, text in recipes.project(SOURCE).items():
        assert recipes.placeholders({**filled, name: text}) in ([], [name])
    for text in ("https://example.org/x", "x@example.com", "https://www.example.net"):
        assert recipes.placeholders({**filled, "homepage": text}) == ["homepage"], text
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder)
        run, history = release.run, release.reasons_of_history
        release.run = lambda *command, **more: ""  # nothing is left to commit
        release.reasons_of_history = lambda version: []
        (build / "CPackConfig.cmake").write_text(
            'set(CPACK_PACKAGE_CONTACT "A Name <a.name@somewhere.test>")\n', encoding="utf-8"
        )
        stale = recipes.stale
        try:
            recipes.project, of_source = lambda root=None: filled, recipes.project
            recipes.stale = lambda root=None: []
            assert release.reasons_against(build) == []
            filled["contact"] = "Another <another@somewhere.test>"
            assert "configured with another contact" in " ".join(release.reasons_against(build))
            filled["downloads"] = "https://example.org/{version}"
            assert "placeholders in packaging/project.json: downloads" in " ".join(
                release.reasons_against(build)
            )
            recipes.stale = lambda root=None: ["nix/package.nix"]
            assert "packaging/nix/package.nix differs from" in " ".join(
                release.reasons_against(build)
            )
        finally:
            recipes.project, recipes.stale, release.run, release.reasons_of_history = (
                of_source,
                stale,
                run,
                history,
            )


def check_history():
    """A release is of a tagged commit, whose day and changes are the last ones in CHANGELOG.md."""
    if not shutil.which("git"):
        missing.append("git")
        return
    with tempfile.TemporaryDirectory() as folder:

        def git(*words):
            subprocess.run(
                ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *words],
                cwd=folder,
                check=True,
                capture_output=True,
                env={**os.environ, "GIT_COMMITTER_DATE": "2031-05-06T07:08:09Z"},
            )

        def reasons(version, text, tag=None):
            (Path(folder) / "CHANGELOG.md").write_text(text, encoding="utf-8")
            git("add", "CHANGELOG.md")
            git("commit", "-q", "--allow-empty", "-m", "t")
            if tag:
                git("tag", tag)
            return list(release.reasons_of_history(version))

        root, release.ROOT = release.ROOT, Path(folder)
        run, release.run = (
            release.run,
            lambda *words: subprocess.run(
                words, cwd=folder, check=True, capture_output=True, text=True
            ).stdout,
        )
        try:
            git("init", "-q")
            first = "# Changelog\n\n## [1.0.0] - 2031-05-06\n\n- It.\n"
            assert reasons("1.0.0", first) == ["the commit has no tag v1.0.0"]
            assert reasons("1.0.0", first.replace("06", "05"), "v0.0.1") == [
                "the commit has no tag v1.0.0",
                "CHANGELOG.md does not date [1.0.0] 2031-05-06, the day of the commit",
            ]
            assert reasons("1.0.0", first, "v1.0.0") == []
            assert reasons(
                "1.0.0", first.replace("## [1", "## [Unreleased]\n\n- More.\n\n## [1"), "x"
            ) == ["the commit has no tag v1.0.0", "CHANGELOG.md has changes under [Unreleased]"]
            second = (
                "# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2031-05-06\n\n- More.\n\n"
                + first.split("\n\n", 1)[1]
            )
            assert reasons("1.1.0", second, "v1.1.0") == []
            late = reasons("1.1.0", second + "- And that.\n")
            assert (
                late[0] == "the commit has no tag v1.1.0"
                and "section [1.0.0] differs from the one at its tag" in late[1]
                and len(late) == 2
            ), late
            assert "CHANGELOG.md has no [9.9.9]" in reasons("9.9.9", second)
        finally:
            release.ROOT, release.run = root, run


def check_dependencies(found):
    text = (SOURCE / "cmake" / "Dependencies.cmake").read_text(encoding="utf-8")
    wanted = set(re.findall(r"^seqpoint_(?:require|optional)\((\w+)", text, re.M)) - {"Threads"}
    assert wanted == set(CALLED), wanted.symmetric_difference(CALLED)
    optional = set(re.findall(r"^seqpoint_optional\((\w+)", text, re.M))
    for i, kind in enumerate(KINDS):
        names = {called[i] for called in CALLED.values()}
        assert (
            found[kind] - TOOLS == names
        ), f"{kind}: {(found[kind] - TOOLS).symmetric_difference(names)}"
    for name in recipes.FIELDS:
        for package in re.findall(r"CMAKE_DISABLE_FIND_PACKAGE_(\w+)", read(name)):
            assert package in optional, f"{name} leaves out {package}, which is not optional"
    minimum = re.search(
        r"cmake_minimum_required\(VERSION ([\d.]+)\)",
        (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8"),
    )[1]
    assert f"cmake >={minimum}" in read("conda/recipe.yaml") and f"cmake@{minimum}:" in read(
        "spack/package.py"
    )


# --- each by itself -------------------------------------------------------------------------------


def validated(name, value, schema):
    try:
        import jsonschema
    except ImportError:
        missing.append("python3-jsonschema")
        return value
    jsonschema.Draft7Validator.check_schema(schema)
    errors = [
        f"{list(error.absolute_path)}: {error.message}"
        for error in jsonschema.Draft7Validator(schema).iter_errors(value)
    ]
    assert not errors, f"packaging/{name}: {errors}"
    return value


def conda():
    recipe = validated("conda/recipe.yaml", yaml_of("conda/recipe.yaml"), CONDA)
    for command in re.findall(
        r"\$PREFIX/share/doc/seqpoint/(\S+)", "\n".join(recipe["tests"][0]["script"])
    ):
        assert (SOURCE / command).is_file(), command
    return {
        word.split()[0]
        for word in [*recipe["requirements"]["host"], *recipe["requirements"]["build"]]
        if not word.startswith("${{")
    }


def spack():
    """Runs the package's class body with names that write down what they are called with."""
    calls = []
    names = types.ModuleType("spack.package")
    for name in ("license", "version", "variant", "depends_on"):
        setattr(names, name, lambda *given, _name=name, **more: calls.append((_name, given, more)))
    names.Executable = object
    base = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    base.CMakePackage = type(
        "CMakePackage",
        (),
        {"define": staticmethod(lambda name, value: f"-D{name}:BOOL={'ON' if value else 'OFF'}")},
    )
    modules = {"spack": types.ModuleType("spack"), "spack.package": names, base.__name__: base}
    for parent in ("spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems"):
        modules[parent] = types.ModuleType(parent)
    sys.modules.update(modules)
    scope = {}
    exec(compile(read("spack/package.py"), "package.py", "exec"), scope)  # noqa: S102
    for name in modules:
        del sys.modules[name]
    package = scope["Seqpoint"]()
    assert package.cmake_args() == ["-DBUILD_TESTING:BOOL=OFF"]
    program(
        "flake8",
        "--isolated",
        "--max-line-length=120",
        "--ignore=F403,F405,E402",
        PACKAGING / "spack" / "package.py",
    )
    return {re.match(r"[\w-]+", given[0])[0] for name, given, _ in calls if name == "depends_on"}


# Stands for nixpkgs: a derivation is what it was asked for, a package its name.
NIX_STUBS = """
let
  package = import %s;
  packages = builtins.mapAttrs (name: _: name) (builtins.functionArgs package);
  lib = {
    cmakeBool = name: value: "-D${name}=${if value then "ON" else "OFF"}";
    cmakeFeature = name: value: "-D${name}=${value}";
    licenses.asl20 = "Apache-2.0";
    platforms.linux = "linux";
  };
in
package (packages // {
  inherit lib;
  fetchurl = what: what;
  stdenv.mkDerivation = made: let self = made self; in self;
})
"""


def nix():
    text = read("nix/package.nix")
    path = json.dumps(str(PACKAGING / "nix" / "package.nix"))
    made = program(
        "nix-instantiate",
        "--eval",
        "--strict",
        "--json",
        "-E",
        NIX_STUBS % f"(/. + {path})",
        env={**os.environ, "NIX_REMOTE": "dummy://"},
    )  # no store is made for it
    inputs = {
        word
        for block in re.findall(r"uildInputs = \[\n(.*?)\]", text, re.S)
        for word in block.split()
    }
    arguments = set(re.search(r"^\{\n(.*?)^\}:$", text, re.M | re.S)[1].replace(",", " ").split())
    assert arguments - {"lib", "stdenv", "fetchurl"} == inputs, arguments.symmetric_difference(
        inputs
    )
    if made:
        made = json.loads(made.splitlines()[-1])  # behind warnings
        assert set(made["buildInputs"] + made["nativeBuildInputs"]) == inputs
        assert made["src"]["url"].endswith(f"/seqpoint-{made['version']}.tar.gz"), made["src"]
    return inputs


# Stands for vcpkg's own functions: writes down the calls of a portfile.
PORT_STUBS = """
set(VERSION 98.7.6)
foreach(name vcpkg_check_linkage vcpkg_download_distfile vcpkg_extract_source_archive
        vcpkg_cmake_configure vcpkg_cmake_install vcpkg_cmake_config_fixup vcpkg_fixup_pkgconfig
        vcpkg_copy_tools vcpkg_install_copyright)
  cmake_language(EVAL CODE "function(${name})\\n message(\\"${name};\\${ARGN}\\")\\n endfunction()")
endforeach()
set(CURRENT_PACKAGES_DIR "$ENV{PACKAGES}")
include("$ENV{PORTFILE}")
"""


def vcpkg():
    port = validated("vcpkg/vcpkg.json", json.loads(read("vcpkg/vcpkg.json")), VCPKG)
    names = [entry["name"] if isinstance(entry, dict) else entry for entry in port["dependencies"]]
    assert names == sorted(names), "vcpkg wants them sorted"
    with tempfile.TemporaryDirectory() as folder:
        stubs = Path(folder) / "stubs.cmake"
        stubs.write_text(PORT_STUBS, encoding="utf-8")
        environment = {
            **os.environ,
            "PORTFILE": str(PACKAGING / "vcpkg" / "portfile.cmake"),
            "PACKAGES": folder,
        }
        said = program("cmake", "-P", stubs, env=environment)
    if said:
        assert (
            "vcpkg_download_distfile;ARCHIVE;URLS;" in said
            and "/98.7.6/seqpoint-98.7.6.tar.gz;" in said
        ), said
    return set(names)


# Stands for Homebrew: prints the formula's facts and the commands that it runs to install.
FORMULA_STUBS = """
class Formula
  def self.method_missing(name, *given) = puts([name, *given].join(" "))
  def self.respond_to_missing?(*) = true
  def self.test = nil
  def system(*command) = puts(["run", *command].join(" "))
  def std_cmake_args = ["-DCMAKE_INSTALL_PREFIX=/prefix"]
end
load ARGV.first
Seqpoint.new.install
"""


def homebrew():
    text = read("homebrew/seqpoint.rb")
    assert len(re.search(r'^  desc "(.*)"$', text, re.M)[1]) < 80
    path = PACKAGING / "homebrew" / "seqpoint.rb"
    program("ruby", "-wc", path)
    said = program("ruby", "-w", "-e", FORMULA_STUBS, path)
    if said:
        assert "license Apache-2.0\n" in said and "run cmake --install build\n" in said, said
        assert (
            "run cmake -S . -B build -G Ninja -DBUILD_TESTING=OFF -DCMAKE_INSTALL_PREFIX=/prefix\n"
            in said
        ), said
    return set(re.findall(r'^  depends_on "([^"]+)"', text, re.M))


def container():
    """Its files are there, its shell is shell, and the build has every file that CMake asks for."""
    text = re.sub(r"\\\n", "", read("container/Containerfile"))
    lines = [
        line.split(maxsplit=1) for line in text.splitlines() if line and not line.startswith("#")
    ]
    assert {line[0] for line in lines} <= {
        "FROM",
        "WORKDIR",
        "COPY",
        "RUN",
        "LABEL",
        "ENTRYPOINT",
    }, lines
    copied = set()
    for instruction, rest in lines:
        if instruction == "COPY" and not rest.startswith("--from="):
            *sources, target = rest.split()
            assert target.endswith("/"), rest
            for name in sources:
                assert (SOURCE / name).exists(), name
                copied.add(name)
        if instruction == "RUN":
            shell(rest, "sh")
    git = [
        "git",
        "-C",
        SOURCE,
        "ls-files",
    ]  # in an unpacked archive there may be none, and nothing that it knows
    tracked = (
        subprocess.run(git, capture_output=True, text=True, check=False).stdout.split()
        if shutil.which("git")
        else []
    )
    top = {name.split("/")[0] for name in tracked if not name.startswith(".")}
    assert not tracked or top - copied == {"CONTRIBUTING.md", "tests"}, top - copied
    assert json.loads(next(rest for instruction, rest in lines if instruction == "ENTRYPOINT")) == [
        "seqpoint"
    ]


def shell(script, dialect="bash"):
    assert subprocess.run([dialect, "-n", "-c", script], check=False).returncode == 0, script
    with tempfile.NamedTemporaryFile("w", suffix=".sh", encoding="utf-8") as file:
        file.write(f"#!/bin/{dialect}\n{script}\n")
        file.flush()
        program("shellcheck", file.name)


def action():
    """Its steps, run as GitHub runs them on an archive that is made here."""
    job = validated("action/action.yml", yaml_of("action/action.yml"), ACTION)
    install, run = job["runs"]["steps"]
    for step in (install, run):
        shell(step["run"])
    program("shellcheck", PACKAGING / "action" / "run.sh")
    used = set(re.findall(r"inputs\.(\w+)", read("action/action.yml")))
    assert used == set(job["inputs"]), used.symmetric_difference(job["inputs"])
    assert (
        job["outputs"]["program"]["value"] == "${{ steps.install.outputs.program }}"
        and install["id"] == "install"
    )
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        name = "seqpoint-98.7.6-portable"
        (folder / name / "bin").mkdir(parents=True)
        (folder / name / "bin" / "seqpoint").write_text(
            '#!/bin/sh\nprintf "%s|" "$@"\n', encoding="utf-8"
        )
        (folder / name / "bin" / "seqpoint").chmod(0o755)
        program("tar", "-czf", folder / f"{name}.tar.gz", "-C", folder, name)
        digest = program("sha256sum", folder / f"{name}.tar.gz").split()[0]
        environment = {
            **os.environ,
            "RUNNER_TEMP": scratch,
            "GITHUB_ACTION_PATH": str(PACKAGING / "action"),
            "COMMENT": "",
            "GITHUB_PATH": f"{scratch}/path",
            "GITHUB_OUTPUT": f"{scratch}/output",
            "ARCHIVE": f"{scratch}/{name}.tar.gz",
            "SHA256": digest,
        }

        def step(of, status=0, **more):
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", of["run"]],
                env={**environment, **more},
                cwd=folder,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            assert done.returncode == status, (done.returncode, done.stdout)
            return done.stdout

        step(install)
        installed = (folder / "output").read_text(encoding="utf-8").split("=", 1)[1].strip()
        assert (folder / "path").read_text(encoding="utf-8").strip() == os.path.dirname(installed)
        assert (
            step(run, PROGRAM=installed, ARGUMENTS="project\na file.json\n--profile=x=y.csv\n")
            == "project|a file.json|--profile=x=y.csv|"
        )
        assert "cannot be read" in step(install, 1, SHA256="")
        (folder / "SHA256SUMS").write_text(f"{digest}  {name}.tar.gz\n", encoding="utf-8")
        step(install, SHA256="")
        (folder / "SHA256SUMS").write_text(f"{digest}  another\n", encoding="utf-8")
        assert "does not have" in step(install, 1, SHA256="")
        assert "is not the archive" in step(install, 1, SHA256=digest[::-1])


# --- packages that CMake finds --------------------------------------------------------------------


def found_by_its_own_package():
    """RE2 where it brings a CMake package, as those collections have it and Debian does not."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "re2Config.cmake").write_text(
            "add_library(re2::re2 INTERFACE IMPORTED)\n", encoding="utf-8"
        )
        (folder / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(finds LANGUAGES NONE)\n"
            f'list(APPEND CMAKE_MODULE_PATH "{SOURCE}/cmake")\nfind_package(RE2 MODULE REQUIRED)\n'
            'get_target_property(type re2::re2 TYPE)\nmessage(STATUS "${type}")\n',
            encoding="utf-8",
        )
        said = program(
            "cmake",
            "-G",
            "Ninja",
            "-S",
            folder,
            "-B",
            folder / "build",
            f"-DCMAKE_PREFIX_PATH={folder}",
        )
        assert said is None or said.count("INTERFACE_LIBRARY") == 1, said


def main():
    check_values()
    check_placeholders()
    check_history()
    check_dependencies(
        {"conda": conda(), "spack": spack(), "nix": nix(), "vcpkg": vcpkg(), "homebrew": homebrew()}
    )
    container()
    action()
    found_by_its_own_package()
    program(
        "yamllint",
        "-d",
        "{extends: default, rules: {line-length: {max: 140}, document-start: disable, truthy: "
        "{check-keys: false}, comments: {min-spaces-from-content: 1}}}",
        PACKAGING / "conda" / "recipe.yaml",
        PACKAGING / "action" / "action.yml",
    )
    if missing:
        print(
            "skipped: everything was checked but for what these programs see:",
            *sorted(set(missing)),
        )
        sys.exit(77)
    print(f"{len(recipes.FIELDS)} recipes")


main()
