"""Pages: the page of one metric and its server, and the Spaces that are rendered from them.

page.py            the page; copied into rendered Spaces with the four files below and core/shown.py
limits.py          how much a page takes
server.py          requests and sessions
upload_folder.py   the room and the time that files of visitors get
faults.py          errors in words, and in the log
uploads.py         what a file of a visitor is; parquet_pages.py: how large a Parquet file unpacks
build.py           renders the folders: bundle.py makes one file of the code of a metric, demo.py copies the whole package
"""
