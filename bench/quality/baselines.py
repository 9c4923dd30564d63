"""Figures published for other systems on the same questions, turns as ``[date] Speaker: text``.

Measured elsewhere, on two cores; not re-run here. LoCoMo: categories 1-4, recall of evidence turns.
"""

#: System: R@5, R@10, R@20, MRR; None where it was not given.
LOCOMO: dict[str, tuple[float | None, float, float, float]] = {
    "BM25": (0.495, 0.576, 0.645, 0.428),
    "PostgreSQL ts_rank, any term": (0.539, 0.616, 0.680, 0.491),
    "PostgreSQL ts_rank_cd, any term": (0.520, 0.607, 0.675, 0.452),
    "BGE-small int8": (0.462, 0.559, 0.659, 0.395),
    "BGE + BM25, min-max": (0.567, 0.654, 0.724, 0.488),
    "BGE + ts_rank_cd, min-max": (0.590, 0.686, 0.752, 0.532),
    "BGE + ts_rank, min-max": (0.611, 0.693, 0.754, 0.548),
    "one-statement hybrid SQL function, RRF": (None, 0.672, 0.759, 0.491),
    "llama-index QueryFusionRetriever, RRF": (None, 0.678, 0.760, 0.488),
    "langchain-postgres hybrid, RRF": (None, 0.597, 0.681, 0.430),
    "LangGraph PostgresStore": (None, 0.555, 0.640, 0.388),
    "mem0 (pgvector, spaCy)": (None, 0.579, 0.669, 0.409),
    "Hindsight recall": (None, 0.618, 0.708, 0.403),
}

#: System: nDCG@10.
SCIFACT: dict[str, float] = {"BM25": 0.686, "BGE-small int8": 0.701, "BGE + BM25, min-max": 0.724}
