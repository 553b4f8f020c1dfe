"""How to cite semantic_answer_similarity."""

CITATION = """
@inproceedings{risch-etal-2021-semantic,
    title = "Semantic Answer Similarity for Evaluating Question Answering Models",
    author = {Risch, Julian and M{\\"o}ller, Timo and Gutsch, Julian and Pietsch, Malte},
    booktitle = "Proceedings of the 3rd Workshop on Machine Reading for Question Answering",
    year = "2021",
    pages = "149--157",
}
"""
