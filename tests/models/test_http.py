"""An embedder behind HTTP: what an endpoint can get wrong costs a clear error, and a search its vector only."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from memhouse_thin.errors import EmbedderFailed
from memhouse_thin.models import ModelError
from memhouse_thin.models.http import HttpEmbedder
from support.house import House

Answer = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


class Endpoint(ThreadingHTTPServer):
    """A small server that answers as a test says, and remembers what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer: Answer = embeddings
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self.server.keys.append(self.headers["Authorization"])
        self.server.answer(self, body)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def embeddings(
    handler: BaseHTTPRequestHandler, body: dict[str, Any], *, dimensions: int = 16, value: Any = 0.5
) -> None:
    data = [
        {"index": index, "embedding": [float(len(text)), *[value] * (dimensions - 1)]}
        for index, text in enumerate(body["input"])
    ]
    # The order is not promised; the index is.
    send(handler, 200, json.dumps({"data": data[::-1]}).encode())


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def embedder(endpoint: Endpoint) -> HttpEmbedder:
    return HttpEmbedder(
        endpoint.url, "words", 16, provider="test", query_prefix="query: ", api_key="secret-key", timeout_s=0.5
    )


def test_asks_as_the_interface_says(endpoint: Endpoint, embedder: HttpEmbedder) -> None:
    assert [vector[0] for vector in embedder.many(["a", "bbb"])] == [1.0, 3.0]
    assert endpoint.asked == [{"model": "words", "input": ["a", "bbb"], "encoding_format": "float"}]
    assert endpoint.keys == ["Bearer secret-key"]
    assert embedder.identity.key == "test:words@1#16"


def hang(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    time.sleep(2)


def drip(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(10):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.2)


BAD: dict[str, tuple[Answer, str]] = {
    "hangs": (hang, "did not answer within 0.5 s"),
    "drips": (drip, "did not answer within 0.5 s"),
    "500": (lambda h, b: send(h, 500, b"{}"), "answered 500"),
    "401": (lambda h, b: send(h, 401, b"{}"), "answered 401"),
    "redirect": (lambda h, b: send(h, 302, b"", Location="http://127.0.0.1:1/"), "answered 302"),
    "html": (lambda h, b: send(h, 200, b"<html>Bad gateway</html>"), "no list of embeddings"),
    "half": (lambda h, b: send(h, 200, b'{"data": [{"index": 0, "embedd'), "no list of embeddings"),
    "cut": (lambda h, b: send(h, 200, b'{"data": [', Content_Length="500"), "no list of embeddings|cannot be reached"),
    "empty": (lambda h, b: send(h, 200, b""), "no list of embeddings"),
    "no data": (lambda h, b: send(h, 200, b'{"error": {"message": "x"}}'), "no list of embeddings"),
    "too few": (lambda h, b: send(h, 200, b'{"data": []}'), "0 vectors for 1 texts"),
    "NaN": (lambda h, b: embeddings(h, b, value=float("nan")), "finite numbers"),
    "text": (lambda h, b: embeddings(h, b, value="x"), "finite numbers"),
    "dimension": (lambda h, b: embeddings(h, b, dimensions=8), "8 dimensions; test:words@1#16 has 16"),
    "no vector": (lambda h, b: send(h, 200, b'{"data": [{"index": 0, "embedding": "x"}]}'), "vector of str dimensions"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_answer_is_a_clear_error(endpoint: Endpoint, embedder: HttpEmbedder, case: str) -> None:
    endpoint.answer, message = BAD[case]
    with pytest.raises(ModelError, match=message) as caught:
        embedder("a private text")
    assert "private" not in str(caught.value) and "secret-key" not in str(caught.value)


def test_nobody_there(endpoint: Endpoint) -> None:
    with pytest.raises(ModelError, match="cannot be reached"):
        HttpEmbedder("http://127.0.0.1:1/v1", "words", 16)("x")


def test_only_http(endpoint: Endpoint) -> None:
    with pytest.raises(ModelError, match="no http or https"):
        HttpEmbedder("file:///etc", "words", 16)


@pytest.mark.parametrize("case", ["hangs", "500", "html", "NaN", "dimension"])
def test_a_search_goes_on_without_its_vector_and_says_so(
    endpoint: Endpoint, embedder: HttpEmbedder, house: House, case: str
) -> None:
    with house.client() as client:
        client.remember("The kettle boils.", scope="acme", sensitivity="public", source_key="kettle")
    endpoint.answer = BAD[case][0]
    with house.client(embedder=embedder) as client:
        result = client.search("kettle")
        assert [hit.statement for hit in result] == ["The kettle boils."]
        assert {item.name: item.reason_class for item in result.strategies.dropped} == {
            "semantic": "dependency_unavailable"
        }
    with house.client(embedder=embedder, strict=True) as client, pytest.raises(EmbedderFailed):
        client.search("kettle")


def test_what_failed_is_left_without_and_counted(endpoint: Endpoint, embedder: HttpEmbedder, own_house: House) -> None:
    statements = ["one", "two", "poison", "four"]
    with own_house.client() as client:
        client.remember_many([{"statement": text, "scope": "acme", "sensitivity": "public"} for text in statements])

    def pick_at_poison(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if "poison" in body["input"]:
            send(handler, 500, b"")
        else:
            embeddings(handler, body)

    endpoint.answer = pick_at_poison
    told: list[tuple[int, int]] = []
    with own_house.client(embedder=embedder) as client:
        assert client.embed_missing(batch=10, progress=lambda done, failed: told.append((done, failed))) == 3
        assert [text for _, text in client.unembedded()] == ["poison"]
        assert told == [(3, 1)]
        endpoint.answer = embeddings
        assert client.embed_missing() == 1
    # All at once first, then each for itself.
    assert [len(body["input"]) for body in endpoint.asked] == [4, 1, 1, 1, 1, 1]
