"""Limits of the Space: sizes of input, time and memory of a score, and how long uploads are stored."""

MAX_OPTIONS = 2_000  # characters
MAX_FILE = 20_000_000  # bytes
MAX_TOGETHER = 9 * MAX_FILE  # bytes of the files of a request
MAX_KEPT = 2_000_000_000  # bytes of the uploads of all visitors
MAX_SYSTEMS = 6  # each has a colour
MAX_RUNS = 20  # files of predictions, where several are runs of one system
MAX_FILES = 1 + 2 * MAX_RUNS  # of a request: gold data, predictions and probabilities
MAX_RESAMPLES = 10_000
SCORE_SECONDS = 180  # of one call
SCORE_MEMORY = 6_000_000_000  # bytes of one call
QUEUE = 32  # waiting calls
AT_ONCE = 2  # parallel calls
KEEP_SECONDS = 3_600  # maximum age of an upload that nobody scores; longer than the last in line waits
UPLOAD_SECONDS = 600  # of a request with files
STALL_SECONDS = 10  # without data from a client
ELSEWHERE = "for more than this page takes, install qassay and use its command line"
