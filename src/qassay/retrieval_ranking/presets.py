"""The presets of retrieval_ranking: shared tasks of ranking by name."""

from ..core.presets import Preset, presets_by_name

PRESETS = presets_by_name(
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
