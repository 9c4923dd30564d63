"""What the client hands back: frozen records, each built from a row or from the server's JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID


def _instant(value: str | None) -> datetime | None:
    """An ISO timestamp of the server; what Python's calendar cannot hold becomes its nearest end."""
    if value is None:
        return None
    if value == "-infinity" or value.endswith(" BC"):
        return datetime.min.replace(tzinfo=UTC)
    try:
        return datetime.fromisoformat(value)
    except ValueError:  # "infinity", or a year beyond 9999
        return datetime.max.replace(tzinfo=UTC)


def to_json(value: Any) -> Any:
    """A record as plain JSON values, for ``--json`` and for logs."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return value


@dataclass(frozen=True, slots=True)
class EmbeddingIdentity:
    """A vector space. Vectors compare only within one identity.

    ``query_prefix`` is put before queries, never before stored statements.
    """

    provider: str
    model: str
    version: str
    dimensions: int
    query_prefix: str = ""

    @property
    def key(self) -> str:
        """``provider:model@version#dimensions``, as the server writes it."""
        return f"{self.provider}:{self.model}@{self.version}#{self.dimensions}"


@dataclass(frozen=True, slots=True)
class Document:
    """A statement for a reranker; ``bits`` are its stored token vectors, when it has some, ``score`` what it had."""

    text: str
    bits: bytes | None = None
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class RegisteredIdentity:
    """An embedding identity that the server knows."""

    identity_id: int
    identity: EmbeddingIdentity
    is_default: bool

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> RegisteredIdentity:
        identity_id, _, provider, model, version, dimensions, query_prefix, is_default = row
        identity = EmbeddingIdentity(provider, model, version, dimensions, query_prefix)
        return cls(identity_id, identity, is_default)


@dataclass(frozen=True, slots=True)
class ReaderPosture:
    """For whom a read is done, and how far it sees."""

    account_key: str
    reader_posture: str
    peer_key: str | None
    scopes: tuple[str, ...]
    clearance: str | None
    known_at: datetime | None

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> ReaderPosture:
        account_key, reader_posture, peer_key, scopes, clearance, known_at = row
        return cls(account_key, reader_posture, peer_key, tuple(scopes or ()), clearance, known_at)


@dataclass(frozen=True, slots=True)
class Hit:
    """One statement of an answer, with the reasons for its place."""

    rank: int
    id: UUID
    statement: str
    score: float
    fusion_score: float
    score_breakdown: Mapping[str, Any]
    kind: str
    subject_peer: str | None
    scope: str
    sensitivity: str
    confidence: float
    relevant_from: datetime | None
    relevant_until: datetime | None
    recorded_at: datetime | None
    sources: tuple[UUID, ...]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Hit:
        return cls(
            rank=data["rank"],
            id=UUID(data["id"]),
            statement=data["statement"],
            score=data["score"],
            fusion_score=data["fusion_score"],
            score_breakdown=data["score_breakdown"],
            kind=data["kind"],
            subject_peer=data["subject_peer"],
            scope=data["scope"],
            sensitivity=data["sensitivity"],
            confidence=data["confidence"],
            relevant_from=_instant(data["relevant_from"]),
            relevant_until=_instant(data["relevant_until"]),
            recorded_at=_instant(data["recorded_at"]),
            sources=tuple(map(UUID, data["sources"] or ())),
        )

    @property
    def found_by(self) -> tuple[str, ...]:
        """The strategies that proposed this statement, by name."""
        return tuple(sorted(self.score_breakdown.get("strategies", {})))


@dataclass(frozen=True, slots=True)
class Knowledge:
    """One statement of a listing."""

    id: UUID
    statement: str
    kind: str
    subject_peer: str | None
    scope: str
    sensitivity: str
    target_level: str
    state: str
    confidence: float
    relevant_from: datetime | None
    relevant_until: datetime | None
    recorded_at: datetime | None
    expires_at: datetime | None
    sources: tuple[UUID, ...]
    metadata: Mapping[str, Any]

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> Knowledge:
        return cls(
            id=row[0],
            statement=row[1],
            kind=row[2],
            subject_peer=row[3],
            scope=row[4],
            sensitivity=row[5],
            target_level=row[6],
            state=row[7],
            confidence=row[8],
            relevant_from=_instant(row[9]),
            relevant_until=_instant(row[10]),
            recorded_at=_instant(row[11]),
            expires_at=_instant(row[12]),
            sources=tuple(row[13] or ()),
            metadata=row[14],
        )


@dataclass(frozen=True, slots=True)
class Promotion:
    """A proposal to raise a statement above the level it has, and what its subject decided."""

    id: UUID
    statement: str
    subject_peer: str
    target_level: str
    #: proposed, consented or declined.
    state: str
    proposed_at: datetime
    decided_at: datetime | None
    reason: str | None

    @classmethod
    def from_row(cls, row: Sequence[Any]) -> Promotion:
        return cls(*row)


@dataclass(frozen=True, slots=True)
class StrategyOutcome:
    """How one strategy fared in one read."""

    name: str
    reason_class: str | None
    ms: float | None
    candidates: int | None

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StrategyOutcome:
        return cls(data["name"], data.get("reason_class"), data.get("ms"), data.get("candidates"))


@dataclass(frozen=True, slots=True)
class Strategies:
    """Every strategy of the profile, by what became of it."""

    contributed: tuple[StrategyOutcome, ...]
    empty: tuple[StrategyOutcome, ...]
    dropped: tuple[StrategyOutcome, ...]
    not_applicable: tuple[StrategyOutcome, ...]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Strategies:
        def outcomes(group: str) -> tuple[StrategyOutcome, ...]:
            return tuple(StrategyOutcome.from_json(item) for item in data.get(group) or ())

        return cls(outcomes("contributed"), outcomes("empty"), outcomes("dropped"), outcomes("not_applicable"))


@dataclass(frozen=True, slots=True)
class SearchResult(Sequence[Hit]):
    """An answer: its hits in answer order, and how it came about.

    Do not re-sort the hits: the order is the answer.
    """

    hits: tuple[Hit, ...]
    #: The posture the read was done under.
    reader: ReaderPosture
    reader_posture: str
    profile: str
    profile_version: str
    strategies: Strategies
    retrieval_outcomes: tuple[Mapping[str, Any], ...]
    disagreement: Mapping[str, Any]
    analyzer_version: str | None
    #: The whole deadline, from the client's call.
    deadline_ms: int
    #: The server's own time for the search.
    elapsed_ms: float
    reserved_rerank_ms: int
    #: What became of reranking: head, weight and kind of the profile, outcome, reason_class, model, scored, ms.
    rerank: Mapping[str, Any]
    #: The client's time for the query vector, 0 when none was wanted or it was cached.
    embedding_ms: float
    #: From the client's call to the parsed answer.
    total_ms: float
    #: The server's report as it came.
    report: Mapping[str, Any]

    @classmethod
    def from_json(
        cls,
        report: Mapping[str, Any],
        *,
        reader: ReaderPosture,
        deadline_ms: int,
        embedding_ms: float,
        total_ms: float,
    ) -> SearchResult:
        return cls(
            hits=tuple(Hit.from_json(candidate) for candidate in report["candidates"]),
            reader=reader,
            reader_posture=report["reader_posture"],
            profile=report["profile"],
            profile_version=str(report["profile_version"]),
            strategies=Strategies.from_json(report["strategies"]),
            retrieval_outcomes=tuple(report["retrieval_outcomes"] or ()),
            disagreement=report["disagreement"] or {},
            analyzer_version=report["analyzer_version"],
            deadline_ms=deadline_ms,
            elapsed_ms=report["elapsed_ms"],
            reserved_rerank_ms=report["reserved_rerank_ms"],
            rerank=report.get("rerank") or {},
            embedding_ms=embedding_ms,
            total_ms=total_ms,
            report=report,
        )

    def __iter__(self) -> Iterator[Hit]:
        return iter(self.hits)

    def __len__(self) -> int:
        return len(self.hits)

    def __getitem__(self, index: Any) -> Any:
        return self.hits[index]

    def to_json(self) -> dict[str, Any]:
        """The server's report, with the client's clock added."""
        return {
            **self.report,
            "deadline_ms": self.deadline_ms,
            "embedding_ms": self.embedding_ms,
            "total_ms": self.total_ms,
            "reader": to_json(asdict(self.reader)),
        }
