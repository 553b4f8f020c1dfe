"""How to cite retrieval_ranking."""

CITATION = """
@inproceedings{buckley-voorhees-2004-retrieval,
    title = "Retrieval Evaluation with Incomplete Information",
    author = "Buckley, Chris and Voorhees, Ellen M.",
    booktitle = "Proceedings of the 27th Annual International ACM SIGIR Conference",
    year = "2004",
    pages = "25--32",
}
"""
