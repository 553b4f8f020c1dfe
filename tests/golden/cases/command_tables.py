"""What the command line prints on samples/: the table of every command, and CSV, Markdown, LaTeX and other formats of some."""

import re
from collections.abc import Iterator
from typing import Any

from _commands import AGREEMENT, BOARD, COMMANDS, DESK, FACTOID, LABELLED, LARGE, PAIR, RANKINGS, RUNS, K
from _inputs import command

OTHER_FORMATS = ("csv", "markdown", "latex")
ONLY_CSV = ("answers by language", "rankings", "factoid", "compare, percent", "leaderboard")  # of these forms
IN_OTHER_FORMATS = {  # name -> command line
    "answers": f"score {PAIR}",
    "answers by language": f"score {LARGE} --by language --percent -m f1",
    "runs": f"score {RUNS} -m exact_match -m f1 --pass-at 1,4",
    "rankings": f"score {RANKINGS} --measures ndcg@10 map num_q --by missing",
    "factoid": f"score {FACTOID} --no-intervals",
    "compare": f"compare {PAIR} -m f1 -m no_answer_f1 --by language",
    "compare, percent": f"compare {DESK} --metric label_metrics --percent -m accuracy -m macro_f1",
    "leaderboard": f"leaderboard {BOARD} --about samples/leaderboard/about.yaml --resamples 100 --permutations 100",
    "calibrate": f"calibrate {LABELLED} -m f1 -m exact_match",
    "agreement": f"agreement {AGREEMENT['answer_match']}",
}
OF_OFFICIAL_TOOLS = {  # these formats have no other
    "trec_eval": f"score {K}/qrels.txt {K}/bm25.run --format trec_eval",
    "trec_eval by query": f"score {K}/qrels.txt {K}/dense.run --format trec_eval --per-query -m map -m ndcg_cut.5,10",
    "trec_eval, three measures": f"score {K}/qrels.txt {K}/bm25.run --format trec_eval -m map -m ndcg_cut.10 -m recip_rank",
    "BioASQ": "score samples/factoid/gold.json samples/factoid/careful.json --format bioasq",
    "BioASQ, hasty": "score samples/factoid/gold.json samples/factoid/hasty.json --format bioasq",
    "BioASQ, phase A": "score samples/factoid/gold.json samples/factoid/careful.json --format bioasq --option phase=A",
}
MORE_TABLES = {  # what JSON does not have: percentages, and ids to label next
    "next": f"calibrate {LARGE} --next 40",
    "next, seed 1": f"calibrate {LARGE} --next 40 --seed 1",
    "calibrate, percent": f"calibrate {LABELLED} -m f1 --percent",
    "agreement, percent": f"agreement {AGREEMENT['answer_match']} --percent",
    "leaderboard, percent": f"leaderboard {BOARD} --questions common -m f1 --percent",
    "similarity, percent": f"score {LARGE} --metric semantic_answer_similarity --option model=lite --percent",
}


def lines(arguments: list[str] | tuple[str, ...]) -> list[Any]:
    """The exit status and the printed lines, without colours and without the version at the end of a signature."""
    status, out, _ = command(arguments)
    return [status, *re.sub(r"\x1b\[[0-9;]*m", "", out).splitlines()]


def cases() -> Iterator[tuple[str, Any]]:
    for name, arguments in COMMANDS.items():
        yield f"table/{name}", lines(arguments)
    for name, text in MORE_TABLES.items():
        yield f"table/{name}", lines(text.split())
    for name, text in OF_OFFICIAL_TOOLS.items():
        yield name, lines(text.split())
    for name, text in IN_OTHER_FORMATS.items():
        for form in OTHER_FORMATS[: 1 if name in ONLY_CSV else None]:
            yield f"{form}/{name}", lines([*text.split(), "--format", form])
