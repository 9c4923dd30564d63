"""The one place where a SQLSTATE becomes an exception.

The database describes each of its own errors (``MH001`` ...) in ``memhouse.error_catalog()``; the
``name`` there is the name of a class here, and a test proves the two lists equal. An exception
carries what the server said: ``message``, ``detail`` and ``hint``.
"""

from __future__ import annotations

from typing import ClassVar

import psycopg


class MemhouseError(Exception):
    """Anything that memhouse or its server refused, with the server's own words."""

    #: The SQLSTATE this class stands for; None for a class that covers several.
    code: ClassVar[str | None] = None

    def __init__(
        self,
        message: str,
        *,
        detail: str | None = None,
        hint: str | None = None,
        sqlstate: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.detail = detail
        self.hint = hint
        self.sqlstate = sqlstate or self.code
        #: Position in a batch (``remember_many``) of the item that failed, from 0.
        self.position: int | None = None

    def __str__(self) -> str:
        parts = [self.message]
        if self.detail:
            parts.append(f"detail: {self.detail}")
        if self.hint:
            parts.append(f"hint: {self.hint}")
        return "\n".join(parts)


class PostureMissing(MemhouseError):
    """No reader or writer posture was begun in this transaction."""

    code = "MH001"


class PostureSealInvalid(MemhouseError):
    """The posture's settings were forged, changed or replayed."""

    code = "MH002"


class CredentialUnknown(MemhouseError):
    """No credential answers to this token or database role."""

    code = "MH003"


class CredentialRevoked(MemhouseError):
    """The credential was revoked."""

    code = "MH004"


class CredentialExpired(MemhouseError):
    """The credential's time has passed."""

    code = "MH005"


class PeerUnknown(MemhouseError):
    """``peer_key`` names no peer of this account."""

    code = "MH006"


class ScopeUnknown(MemhouseError):
    """The scope does not exist or is not granted; the two are not told apart."""

    code = "MH007"


class ProfileUnknown(MemhouseError):
    """No retrieval profile has this name."""

    code = "MH008"


class FilterInvalid(MemhouseError):
    """A filter key or value is not understood."""

    code = "MH009"


class ArgumentInvalid(MemhouseError):
    """An argument is missing, malformed or out of range."""

    code = "MH010"


class QueryTooLong(MemhouseError):
    """The query is longer than the server accepts."""

    code = "MH011"


class EmbeddingInvalid(MemhouseError):
    """A vector has the wrong dimension, is zero, or holds NaN or infinity."""

    code = "MH012"


class EmbeddingIdentityUnknown(MemhouseError):
    """The embedding identity is not registered on this server."""

    code = "MH013"


class WriteNotPermitted(MemhouseError):
    """The credential may not write there."""

    code = "MH014"


class NotFound(MemhouseError):
    """Nothing of this id that the caller may see."""

    code = "MH015"


class TransitionInvalid(MemhouseError):
    """The lifecycle has no such edge."""

    code = "MH016"


class AlreadyExists(MemhouseError):
    """The key is taken."""

    code = "MH017"


class AccountUnknown(MemhouseError):
    """No account has this key."""

    code = "MH018"


class SettingInvalid(MemhouseError):
    """An account setting is unknown or has a wrong value."""

    code = "MH019"


class ProfileInvalid(MemhouseError):
    """A retrieval profile is not well formed."""

    code = "MH020"


class FeatureDisabled(MemhouseError):
    """The feature is switched off on this server or for this account."""

    code = "MH021"


class ConsentRequired(MemhouseError):
    """The subject has not agreed to this."""

    code = "MH022"


class AuthorityChanged(MemhouseError):
    """The credential or its grants changed since the posture was begun."""

    code = "MH023"


class HierarchyInvalid(MemhouseError):
    """The scope tree would hold a cycle."""

    code = "MH024"


class DependencyMissing(MemhouseError):
    """An extension or a model that this needs is not there."""

    code = "MH025"


class DeadlineExceeded(MemhouseError):
    """The deadline passed and the server could not even say what is missing."""


class QueryCancelled(MemhouseError):
    """Somebody cancelled the statement before its deadline."""

    code = "57014"


class ConnectionFailed(MemhouseError):
    """The server cannot be reached, or the connection was lost."""


class PermissionDenied(MemhouseError):
    """The database role lacks a privilege; a DBA grants it one of the memhouse roles."""

    code = "42501"


class NotInstalled(MemhouseError):
    """This database has no memhouse schema, or one older than this client."""


class EmbedderFailed(MemhouseError):
    """The embedder raised or returned no usable vector, and ``strict`` is on."""


class RerankerFailed(MemhouseError):
    """The reranker raised or returned no usable scores, and ``strict`` is on."""


#: The database's own errors: SQLSTATE to class.
CATALOGUE: dict[str, type[MemhouseError]] = {
    cls.code: cls for cls in MemhouseError.__subclasses__() if cls.code is not None and cls.code.startswith("MH")
}

_ROLES_HINT = "Grant the login role memhouse_reader, memhouse_writer or memhouse_admin; for selects from tables, memhouse_analyst."
_MIGRATE_HINT = "Run: memhouse migrate"


def from_psycopg(error: Exception, *, deadline_passed: bool = False) -> MemhouseError:
    """The memhouse exception for what psycopg raised.

    ``deadline_passed`` says whether the caller's own clock is beyond its deadline: only then is a
    cancelled statement a ``DeadlineExceeded``; otherwise a person or a DBA cancelled it.
    """
    if not isinstance(error, psycopg.Error):
        # psycopg encodes parameters itself: text that is not valid Unicode never reaches the server.
        return ArgumentInvalid("A value cannot be sent to the server.", detail=str(error))
    state = error.sqlstate
    message = error.diag.message_primary or str(error)
    detail, hint = error.diag.message_detail, error.diag.message_hint
    cls: type[MemhouseError]
    if state is None:
        if isinstance(error, psycopg.DataError | psycopg.ProgrammingError):
            return ArgumentInvalid("A value cannot be sent to the server.", detail=str(error))
        cls = ConnectionFailed if isinstance(error, psycopg.OperationalError) else MemhouseError
    elif state in CATALOGUE:
        cls = CATALOGUE[state]
    elif state == "25P04" or (state in {"57014", "55P03"} and deadline_passed):
        cls = DeadlineExceeded
    elif state == "57014":
        cls = QueryCancelled
    elif state == "42501":
        cls, hint = PermissionDenied, hint or _ROLES_HINT
    elif state in {"3F000", "42883", "42P01"}:
        cls, hint = NotInstalled, _MIGRATE_HINT
    elif state.startswith("22"):
        # Text the server's types could not read: a malformed uuid, an impossible date, a huge number.
        cls = ArgumentInvalid
    elif state.startswith(("08", "28", "57P", "3D", "53")):
        cls = ConnectionFailed
    else:
        cls = MemhouseError
    return cls(message, detail=detail, hint=hint, sqlstate=state)
