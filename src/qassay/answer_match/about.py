"""How to cite answer_match."""

CITATION = """
@inproceedings{rajpurkar-etal-2018-know,
    title = "Know What You Don't Know: Unanswerable Questions for {SQ}u{AD}",
    author = "Rajpurkar, Pranav and Jia, Robin and Liang, Percy",
    booktitle = "Proceedings of the 56th Annual Meeting of the Association for Computational Linguistics",
    year = "2018",
    pages = "784--789",
}
"""
