"""How to cite retriever_reader."""

CITATION = """
@inproceedings{keraron-etal-2020-project,
    title = "Project {PIAF}: Building a Native {F}rench Question-Answering Dataset",
    author = "Keraron, Rachel and Lancrenon, Guillaume and Bras, Mathilde and Allary, Fr{\\'e}d{\\'e}ric and
      Moyse, Gilles and Scialom, Thomas and Soriano-Morales, Edmundo-Pavel and Staiano, Jacopo",
    booktitle = "Proceedings of the Twelfth Language Resources and Evaluation Conference",
    year = "2020",
    pages = "5481--5490",
}
"""
