"""The page for this metric: `python app.py`."""

from qassay.space.launch import run

if __name__ == "__main__":
    run(metric="semantic_answer_similarity")
