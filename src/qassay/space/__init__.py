"""The Space: score, look, compare and explain in a browser. `qassay app` starts it; `build` makes its Gradio Blocks.

Every number comes from qassay, and what belongs to one family from its descriptor in `qassay.registry`: no file here
names a family. Limits of uploads and requests are in `qassay.pages`.

    inputs.py     from uploads, pasted text (pasted.py) and samples (samples.py) to files with their roles
    choices.py    what visitors may choose
    analysis.py   from files to an `Analysis`: the scores of all systems and the numbers that every tab shows
    *_view.py     from an Analysis to HTML: pure functions, everything from users escaped; *_card.py: one example
    *_tab.py      the components and events of one tab
    app.py        the page: the tabs put together; server.py: its limits; launch.py: its start
    api.py        the public function for programs: `score`

Importing this package loads no Gradio; its files that need it import it, after the variables below are set.
"""

import os

# Gradio reads these when it is imported; without them it asks other machines at every start.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
