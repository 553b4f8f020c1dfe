"""How to cite label_metrics."""

CITATION = """
@inproceedings{jain2016extreme,
    title = "Extreme Multi-label Loss Functions for Recommendation, Tagging, Ranking {\\&} Other Missing Label
      Applications",
    author = "Jain, Himanshu and Prabhu, Yashoteja and Varma, Manik",
    booktitle = "Proceedings of the 22nd ACM SIGKDD International Conference on Knowledge Discovery and Data Mining",
    year = "2016",
    pages = "935--944",
}
"""
