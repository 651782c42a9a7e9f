"""Files that a browser keeps rather than shows: always an attachment, under a plain name."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import Response

from trustops.console.uploading import safe_name
from trustops.domain.authenticity import ExecutionMode

KINDS = {
    ".zip": "application/zip",
    ".json": "application/json",
    ".csv": "text/csv; charset=utf-8",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".gz": "application/gzip",
}


def attachment(name: str, data: bytes, mode: str = ExecutionMode.LIVE_AI) -> Response:
    """The file. Its name begins with the mode, where that is not live: what is in a folder of downloads shows no badge. It is given twice
    (RFC 6266, 4.3): in ASCII for old programs, and as it is."""
    plain = safe_name(name if mode == ExecutionMode.LIVE_AI else f"{mode}-{name}")
    ascii_name = "".join(c if c.isascii() and c not in '"\\' else "_" for c in plain)
    suffix = plain[plain.rfind(".") :].lower() if "." in plain else ""
    shown = f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(plain, safe='')}"
    return Response(data, media_type=KINDS.get(suffix, "application/octet-stream"), headers={"Content-Disposition": shown})
