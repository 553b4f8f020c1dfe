"""Pages: the page of one metric and its server, and the Spaces that are rendered from them."""
