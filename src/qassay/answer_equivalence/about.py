"""How to cite answer_equivalence."""

CITATION = """
@misc{wang2023evaluating,
    title = {Evaluating Open-{QA} Evaluation},
    author = {Cunxiang Wang and Sirui Cheng and Qipeng Guo and Yuanhao Yue and Bowen Ding and Zhikun Xu and Yidong Wang
        and Xiangkun Hu and Zheng Zhang and Yue Zhang},
    year = {2023},
    eprint = {2305.12421},
    archivePrefix = {arXiv},
}
@inproceedings{bulian-etal-2022-tomayto,
    title = "Tomayto, Tomahto. Beyond Token-level Answer Equivalence for Question Answering Evaluation",
    author = {Bulian, Jannis and Buck, Christian and Gajewski, Wojciech and B{\\"o}rschinger, Benjamin and Schuster, Tal},
    booktitle = "Proceedings of the 2022 Conference on Empirical Methods in Natural Language Processing",
    year = "2022",
}
"""
