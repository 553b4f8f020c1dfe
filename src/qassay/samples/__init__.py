"""Small invented data of every kind, for examples; README.md tells what each file is."""
