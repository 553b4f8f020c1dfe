"""The Space: a page to upload files, score them and view the result in a browser. `qassay app` starts it.

The result document holds every number, and its viewer shows it. Besides the samples, no file here names a metric.

    launch.py, app.py      the start of the page, its routes; front/: the page itself
    api.py, server.py      the functions of Gradio; which requests reach it
    uploads.py             files that wait for their call
    worker.py              a process for each call; warm.py: what it loads in advance
    scoring.py, choices.py from the files and options of a call to its document
    limits.py, faults.py   limits of input, time and memory; errors as sentences
    samples.py             the menu of samples
    build.py               the folders of Spaces: `qassay spaces build`

Importing this package loads no Gradio; its files that need it import it, after the variables below are set.
"""

import os

# Gradio reads these when it is imported; without them it contacts other machines at every start.
os.environ.setdefault("GRADIO_ANALYTICS_ENABLED", "False")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
