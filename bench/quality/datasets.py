"""The question sets, read where they lie."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Question:
    """A question, where it is asked, and the source keys of what answers it with their grades."""

    text: str
    scope: str
    category: str
    relevant: Mapping[str, int]


def spread(questions: Iterable[Question], count: int | None) -> list[Question]:
    """So many of the questions, taken evenly from first to last; None is all of them."""
    every = list(questions)
    return every if count is None else every[:: max(1, len(every) // count)][:count]


def locomo_questions(path: Path) -> Iterator[Question]:
    """The questions that have evidence.

    Some references are malformed (several in one string, a stray character, leading zeros); what reads as
    ``D<session>:<turn>`` counts.
    """
    for sample in json.loads(path.read_text(encoding="utf-8")):
        id = sample["sample_id"]
        for item in sample["qa"]:
            references = re.findall(r"D(\d+):(\d+)", " ".join(map(str, item["evidence"])))
            turns = {f"{id}:D{int(session)}:{int(turn)}": 1 for session, turn in references}
            if turns:
                yield Question(item["question"], f"locomo/{id}", str(item["category"]), turns)


def scifact_questions(folder: Path) -> Iterator[Question]:
    """The claims that have judgements."""
    claims = {claim["_id"]: claim["text"] for claim in _jsonl(folder / "queries.jsonl")}
    judged: dict[str, dict[str, int]] = {}
    with (folder / "qrels.tsv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if int(row["score"]) > 0:
                judged.setdefault(row["query-id"], {})[row["corpus-id"]] = int(row["score"])
    for id, relevant in judged.items():
        yield Question(claims[id], "scifact", "claims", relevant)


def write_scifact_import(folder: Path, target: Path) -> None:
    """SciFact's abstracts as a file for the product's importer."""
    with target.open("w", encoding="utf-8") as file:
        for document in _jsonl(folder / "corpus.jsonl"):
            line = {
                "type": "knowledge",
                "source_key": document["_id"],
                "scope": "scifact",
                "statement": f"{document['title']}. {document['text']}",
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def jsonl_questions(queries: Path, judgements: Path) -> Iterator[Question]:
    """Any set: queries ``{"id", "text"}``, judgements ``{"query", "document", "grade"}`` (grade 1 when it has none)."""
    judged: dict[str, dict[str, int]] = {}
    for line in _jsonl(judgements):
        if int(line.get("grade", 1)) > 0:
            judged.setdefault(str(line["query"]), {})[str(line["document"])] = int(line.get("grade", 1))
    for query in _jsonl(queries):
        if relevant := judged.get(str(query["id"])):
            yield Question(query["text"], "documents", "all", relevant)


def write_jsonl_import(documents: Path, target: Path) -> None:
    """Documents ``{"id", "text"}``, with or without a ``title``, as a file for the product's importer."""
    with target.open("w", encoding="utf-8") as file:
        for document in _jsonl(documents):
            title = f"{document['title']}. " if document.get("title") else ""
            line = {
                "type": "knowledge",
                "source_key": str(document["id"]),
                "scope": "documents",
                "statement": title + document["text"],
            }
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def _jsonl(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)
