"""How to cite claim_support."""

CITATION = """
@misc{pradeep2025great,
    title = {The Great Nugget Recall: Automating Fact Extraction and {RAG} Evaluation with Large Language Models},
    author = {Ronak Pradeep and Nandan Thakur and Shivani Upadhyay and Daniel Campos and Nick Craswell and Jimmy Lin},
    year = {2025},
    eprint = {2504.15068},
    archivePrefix = {arXiv},
}
@misc{ru2024ragchecker,
    title = {{RAGChecker}: A Fine-grained Framework for Diagnosing Retrieval-Augmented Generation},
    author = {Dongyu Ru and Lin Qiu and Xiangkun Hu and Tianhang Zhang and Peng Shi and others},
    year = {2024},
    eprint = {2408.08067},
    archivePrefix = {arXiv},
}
@inproceedings{gao-etal-2023-enabling,
    title = "Enabling Large Language Models to Generate Text with Citations",
    author = "Gao, Tianyu and Yen, Howard and Yu, Jiatong and Chen, Danqi",
    booktitle = "Proceedings of the 2023 Conference on Empirical Methods in Natural Language Processing",
    year = "2023",
}
@misc{wei2024measuring,
    title = {Measuring short-form factuality in large language models},
    author = {Jason Wei and Nguyen Karina and Hyung Won Chung and Yunxin Joy Jiao and Spencer Papay and others},
    year = {2024},
    eprint = {2411.04368},
    archivePrefix = {arXiv},
}
"""
