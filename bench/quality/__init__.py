"""Retrieval quality on public question sets, measured through the product."""
