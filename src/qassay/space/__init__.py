"""The Space: upload, score, and look at the result in a browser. `qassay app` starts it.

Every number comes from qassay, and what the browser shows from the result document and its viewer: no file here names a
family.

    launch.py, app.py      the start of the page, its routes; front/: the page itself
    api.py, server.py      the functions of Gradio; which requests reach it
    uploads.py             files that wait for their call
    worker.py              a process for each call; warm.py: what it has loaded before
    scoring.py, choices.py from the files and options of a call to its document
    limits.py, faults.py   how much is taken and kept; errors as sentences
    samples.py          the menu of samples
    build.py            the folders of Spaces: `qassay spaces build`

Importing this package loads no Gradio; its files that need it import it, after the variables below are set.
"""

import os

# Gradio reads these when it is imported; without them it asks other machines at every start.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
