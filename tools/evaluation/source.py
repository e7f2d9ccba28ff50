"""Constants that the pages quote, read from where the program defines them."""
import re

from epochs import ROOT

MODEL = ROOT / "src" / "core" / "select" / "select.hpp"
# Others, by the name that the pages use: file, name, factor.
OTHERS = {
    "max_error_pct": ("src/core/select/methods/calibrated.cpp", "kMaxError", 100),
    "usual_repeats": ("src/core/select/measurement_plan.hpp", "kDefaultRepeats", 1),
    "most_points": ("src/core/select/measurement_plan.hpp", "kMaxPoints", 1),
    "drawn_anew": ("src/core/select/point_search.cpp", "kRedrawnPoints", 1),
    "restarts": ("src/core/select/point_search.cpp", "kDefaultRestarts", 1),
    "most_restarts": ("src/core/select/point_search.cpp", "kMaxRestarts", 1),
    "restart_work": ("src/core/select/point_search.cpp", "kWorkOfRestarts", 1),
    "restarts_small": ("src/core/select/point_search.cpp", "kRestartsOfSmall", 1),
    "most_fitted": ("src/core/select/point_fit.hpp", "kMaxFittedPoints", 1),
    "tokens_per_unit": ("src/core/select/select.hpp", "kTokensPerUnit", 1),
}


def model_constants():
    """{member of ModelConstants: its value, or a list of values}, in their order."""
    text = MODEL.read_text()
    body = text[text.index("struct ModelConstants {") : text.index("friend bool operator==")]
    found = {}
    for name, value in re.findall(
        r"^  (?:double|std::array<double, \d+>) (\w+)(?: = |\{)([^;]*?)\}?;", body, re.M
    ):
        numbers = [float(x) for x in value.split(",")]
        found[name] = numbers if len(numbers) > 1 else numbers[0]
    return found


def number(path, name):
    found = re.search(rf"\b{name} = ([0-9.e'+]+)", (ROOT / path).read_text())
    if not found:
        raise SystemExit(f"{path}: no constant {name}")
    return float(found.group(1).replace("'", ""))


def words(value):
    """A number in the pages' format: 0.025, 10,000, 4, 16, 64."""
    if isinstance(value, list):
        return ", ".join(words(x) for x in value)
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def facts():
    found = {name: words(value) for name, value in model_constants().items()}
    found["count"] = len(model_constants())
    found.update(
        {
            name: words(round(factor * number(path, constant), 9))
            for name, (path, constant, factor) in OTHERS.items()
        }
    )
    return found
