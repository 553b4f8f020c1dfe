"""How to cite factoid_accuracy."""

CITATION = """
@article{tsatsaronis-etal-2015-bioasq,
    title = "An overview of the {BIOASQ} large-scale biomedical semantic indexing and question answering competition",
    author = "Tsatsaronis, George and Balikas, Georgios and Malakasiotis, Prodromos and Partalas, Ioannis and others",
    journal = "BMC Bioinformatics",
    volume = "16",
    number = "138",
    year = "2015",
}
"""
