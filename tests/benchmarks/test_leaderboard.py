"""The benchmark of leaderboards, small: it makes files, and measures each way in a separate process."""

import sys


def test_it_measures_each_part(load_script, monkeypatch, capsys):
    script = load_script("leaderboard")
    monkeypatch.setattr(script, "COMPARED", (2,))
    monkeypatch.setattr(sys, "argv", ["leaderboard.py", "--systems", "3", "--questions", "30", "--measures", "f1"])
    script.main()
    told = capsys.readouterr().out
    for what in ("files", "ranking", "compare"):
        assert f"│ {what}" in told
