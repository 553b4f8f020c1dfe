"""Records of a result for others: Every Eval Ever, and the evaluation results of the Hugging Face Hub."""
