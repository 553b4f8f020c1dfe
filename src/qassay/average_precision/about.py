"""How to cite average_precision."""

CITATION = """
@inproceedings{lin2014microsoft,
    title = "Microsoft {COCO}: Common Objects in Context",
    author = "Lin, Tsung-Yi and Maire, Michael and Belongie, Serge and Hays, James and Perona, Pietro and Ramanan, Deva
      and Doll{\\'a}r, Piotr and Zitnick, C. Lawrence",
    booktitle = "Computer Vision - ECCV 2014",
    year = "2014",
    pages = "740--755",
}
@article{everingham2010pascal,
    title = "The {P}ascal Visual Object Classes ({VOC}) Challenge",
    author = "Everingham, Mark and Van Gool, Luc and Williams, Christopher K. I. and Winn, John and Zisserman, Andrew",
    journal = "International Journal of Computer Vision",
    volume = "88",
    year = "2010",
    pages = "303--338",
}
"""
