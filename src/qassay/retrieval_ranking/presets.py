"""The presets of retrieval_ranking: programs of shared tasks of ranking by name."""

from ..core.presets import Preset, presets_by_name

PRESETS = presets_by_name(
    Preset(
        name="trec_eval",
        line="TREC's program: the measures that it prints without options; the defaults of the other options are its rules, with -c",
        source="usnistgov/trec_eval, version 10",
        options={"measures": ("official",)},
        differences="A judged query without results scores 0, as with -c; version 9 without -c omits it (missing=skip). runid and relstring are texts.",
    ),
    Preset(
        name="nlpcc",
        line="document-based question answering of NLPCC 2016 and 2017: MRR, MAP and accuracy@N of ranked sentences",
        source="the guideline of the shared tasks NLPCC 2016 and 2017 on DBQA, and the evaluator of their organisers",
        options={
            "measures": (
                "mrr", "map", "hit_rate@1", "hit_rate@3", "hit_rate@5", "set_f", "num_ret", "num_rel", "num_rel_ret",
            ),
            "ties": "stable",
            "ap_denominator": "min_mn",
        },
        differences="The program of the organisers omits questions whose sentences are all right or all wrong; the option "
        "skip_trivial does the same.",
    ),
)  # fmt: skip
