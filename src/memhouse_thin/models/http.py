"""An embedder behind an OpenAI-compatible HTTP endpoint (``POST {url}/embeddings``); needs nothing but Python."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from memhouse_thin.models import ModelError
from memhouse_thin.results import EmbeddingIdentity

#: An answer longer than this is none: 2,048 vectors of 4,000 numbers as JSON.
MAX_ANSWER_BYTES = 256_000_000

_CHUNK_BYTES = 1 << 16


class _NoRedirect(HTTPRedirectHandler):
    """A redirect would carry the key and the text to somebody else."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class HttpEmbedder:
    """Turns texts into vectors by asking an endpoint; safe to share between threads.

    ``identity`` is what the server knows the vectors as: the endpoint's word for its model, under the version you
    give it; give another one when the endpoint's weights change. Errors never hold the texts or the key.
    """

    def __init__(
        self,
        url: str,
        model: str,
        dimensions: int,
        *,
        provider: str = "http",
        version: str = "1",
        query_prefix: str = "",
        api_key: str | None = None,
        timeout_s: float = 10.0,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ModelError(f"{url} is no http or https address.")
        self.identity = EmbeddingIdentity(provider, model, version, dimensions, query_prefix)
        self._url = url.rstrip("/") + "/embeddings"
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if api_key is not None:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._timeout_s = timeout_s
        self._opener = build_opener(_NoRedirect)

    def __call__(self, text: str, /) -> list[float]:
        return self.many([text])[0]

    def many(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors of several texts in one request."""
        body = json.dumps({"model": self.identity.model, "input": list(texts), "encoding_format": "float"})
        answer = self._post(body.encode("utf-8", "replace"))
        try:
            items = json.loads(answer)["data"]
            # The order is the index's, which a server may mix up but must give.
            vectors = [item["embedding"] for item in sorted(items, key=lambda item: item["index"])]
        except (ValueError, KeyError, TypeError) as error:
            raise ModelError(
                f"{self._url} answered with something that is no list of embeddings ({type(error).__name__})."
            ) from error
        if len(vectors) != len(texts):
            raise ModelError(f"{self._url} gave {len(vectors)} vectors for {len(texts)} texts.")
        return [self._checked(vector) for vector in vectors]

    def _checked(self, vector: Any) -> list[float]:
        wanted = self.identity.dimensions
        if not isinstance(vector, list) or len(vector) != wanted:
            got = len(vector) if isinstance(vector, list) else type(vector).__name__
            raise ModelError(f"{self._url} gave a vector of {got} dimensions; {self.identity.key} has {wanted}.")
        if not all(isinstance(number, int | float) and math.isfinite(number) for number in vector):
            raise ModelError(f"{self._url} gave a vector that holds something else than finite numbers.")
        return vector

    def _post(self, body: bytes) -> bytes:
        until = time.monotonic() + self._timeout_s
        request = Request(self._url, data=body, headers=self._headers, method="POST")
        try:
            with self._opener.open(request, timeout=self._timeout_s) as response:
                answer = bytearray()
                # In pieces: the socket's own timeout only bounds each of them.
                while piece := response.read1(_CHUNK_BYTES):
                    answer += piece
                    if len(answer) > MAX_ANSWER_BYTES:
                        raise ModelError(f"{self._url} answered with more than {MAX_ANSWER_BYTES} bytes.")
                    if time.monotonic() > until:
                        raise TimeoutError
                return bytes(answer)
        except HTTPError as error:
            raise ModelError(f"{self._url} answered {error.code} {error.reason}.") from None
        except TimeoutError:
            raise ModelError(f"{self._url} did not answer within {self._timeout_s:g} s.") from None
        except (URLError, HTTPException, OSError) as error:
            reason = getattr(error, "reason", error)
            if isinstance(reason, TimeoutError):
                raise ModelError(f"{self._url} did not answer within {self._timeout_s:g} s.") from None
            raise ModelError(f"{self._url} cannot be reached: {reason or type(error).__name__}.") from None
