"""The colours of charts, tables and pages, light and dark; each colour has one meaning.

`--system-1` to `--system-6` are systems only. `--better` and `--worse` say that one system is better or worse than
another (`-ground`: behind text). Kinds of errors have colours by name; right answers are grey.
"""

SYSTEM_COLORS = 6  # further systems repeat the colours, with other shapes and dashes

_LIGHT = {
    "chart-text": "#1d2330",
    "chart-faint": "#596273",
    "chart-line": "#d9dde4",
    "chart-ground": "#ffffff",
    "system-1": "#6a3fc8",
    "system-2": "#946300",
    "system-3": "#0b7785",
    "system-4": "#b8277f",
    "system-5": "#4b5563",
    "system-6": "#2f6ea8",
    "better": "#0b7549",
    "worse": "#b92a1f",
    "same": "#6b7280",
    "better-ground": "#d2efe0",
    "worse-ground": "#fbdcd7",
}
_DARK = {
    "chart-text": "#e6e9ef",
    "chart-faint": "#a9b2c1",
    "chart-line": "#3a4252",
    "chart-ground": "#161a21",
    "system-1": "#b69cff",
    "system-2": "#e3b341",
    "system-3": "#4cc4d3",
    "system-4": "#f08cc3",
    "system-5": "#c3cad5",
    "system-6": "#7db8ec",
    "better": "#56d39b",
    "worse": "#ff9284",
    "same": "#9ca3af",
    "better-ground": "#12452f",
    "worse-ground": "#5c221b",
}

# Colours of kinds of answers: ground and text, light then dark.
_KINDS = {
    "right": ("#ccd2da", "#1d2330", "#586274", "#ffffff"),
    "none": ("#eceff3", "#1d2330", "#343c49", "#ffffff"),
    "near": ("#f2dd8a", "#1d2330", "#d6c06a", "#14181f"),
    "part": ("#e8a06b", "#1d2330", "#c2702a", "#14181f"),
    "over": ("#b7cc7a", "#1d2330", "#93ab52", "#14181f"),
    "under": ("#8fb7d9", "#1d2330", "#6f9cc2", "#14181f"),
    "wrong": ("#d9817f", "#1d2330", "#d0706e", "#14181f"),
    "silent": ("#8db7a0", "#1d2330", "#75a48b", "#14181f"),
    "unread": ("#a89f94", "#1d2330", "#978d81", "#14181f"),
    "absent": ("#454d5b", "#ffffff", "#d9dee6", "#14181f"),
    "needless": ("#873f2f", "#ffffff", "#f0b8a8", "#14181f"),
    "unfound": ("#62743a", "#ffffff", "#5f7a3a", "#ffffff"),
    "contrary": ("#8f3a63", "#ffffff", "#dd9dbe", "#14181f"),
}


def system_class(place: int) -> str:
    """The class of the colour of a system, by its place."""
    return f"system-{place % SYSTEM_COLORS + 1}"


def _variables(dark: bool) -> str:
    kinds = {
        name: color
        for kind, of_kind in _KINDS.items()
        for name, color in zip((f"kind-{kind}", f"on-kind-{kind}"), of_kind[2 * dark :][:2], strict=True)
    }
    return "".join(f"--{name}:{color};" for name, color in {**(_DARK if dark else _LIGHT), **kinds}.items())


COLORS = f":root{{{_variables(False)}}}@media screen and (prefers-color-scheme:dark){{:root{{{_variables(True)}}}}}"
"""The variables of all colours, dark ones where the reader's system is dark."""

COLORS_BY_CLASS = f":root{{{_variables(False)}}}.dark{{{_variables(True)}}}"
"""The same for pages that have their own class `dark`, such as Gradio's."""

RULES = "".join(
    [
        *(f".chart .{tone}{{color:var(--{tone})}}" for tone in ("better", "worse", "same")),
        *(f".chart .system-{i}{{color:var(--system-{i})}}" for i in range(1, SYSTEM_COLORS + 1)),
        *(
            f".chart .kind-{kind}{{color:var(--kind-{kind})}}.chart text.on-kind-{kind}{{fill:var(--on-kind-{kind})}}"
            for kind in _KINDS
        ),
        ".chart .kind-none rect{stroke:var(--chart-faint);stroke-width:.75}",  # almost the colour of the ground
    ]
)
"""The classes of charts that have these colours."""
