"""The page, which opens with an example of this metric: `python app.py`."""

from qassay.space.launch import run

if __name__ == "__main__":
    run(sample="curves")
