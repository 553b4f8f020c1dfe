"""What a page on a server needs, and the folders of Spaces.

limits.py          how much a page takes
server.py          requests and sessions
upload_folder.py   the room and the time that files of visitors get
faults.py          errors in words, and in the log
uploads.py         what a file of a visitor is; parquet_pages.py: how large a Parquet file unpacks
build.py           writes the folders of Spaces
"""
