"""XML read with expat alone: no DTD, no entities, byte offsets kept. Nothing here uses a regular expression on XML."""

from __future__ import annotations

from collections.abc import Callable
from xml.parsers import expat

from trustops.domain.errors import HostileFile, MalformedFile

Attributes = dict[str, str]
Parser = expat.XMLParserType


def parser(part: str) -> Parser:
    """An expat parser that refuses a document type before any entity is declared, and an encoding that answers are not written in."""
    made = expat.ParserCreate()
    made.buffer_text = True

    def refuse(*_: object) -> None:
        raise HostileFile(
            "The XML declares a document type; no workbook needs one.", where=part, remedy="Save the file anew in its program."
        )

    def declared(_version: str, encoding: str | None, _standalone: int) -> None:
        if encoding and encoding.lower() not in ("utf-8", "utf8"):
            raise MalformedFile(
                f"The part says that it is in {encoding[:20]!r}, not in UTF-8; an answer would be read wrongly.",
                where=part,
                remedy="Open the file in its program, save it anew and try again.",
            )

    made.XmlDeclHandler = declared
    made.StartDoctypeDeclHandler = refuse
    made.EntityDeclHandler = refuse
    return made


def run(made: Parser, data: bytes, part: str) -> None:
    """Parse the whole part. Raises MalformedFile with part and line where it is no XML."""
    try:
        made.Parse(data, True)
    except expat.ExpatError as error:
        raise MalformedFile(
            f"The part is not well-formed XML (line {error.lineno}: {expat.errors.messages.get(error.code, error.code)}).",
            where=part,
            remedy="Open the file in its program, save it anew and try again.",
        ) from None


def local(name: str) -> str:
    """The name without its prefix."""
    return name.rpartition(":")[2]


def walk(
    data: bytes,
    part: str,
    start: Callable[[str, Attributes], None],
    end: Callable[[str, str], None] | None = None,
) -> None:
    """Call `start(local name, attributes)` and `end(local name, text since the last tag)` through a small part.

    Attribute names lose their prefix as well (`r:id` is `id`), except where both forms stand; the plain one wins.
    """
    made = parser(part)
    text: list[str] = []

    def on_start(name: str, attributes: Attributes) -> None:
        text.clear()
        plain = {local(key): value for key, value in attributes.items()}
        start(local(name), plain | {key: value for key, value in attributes.items() if ":" not in key})

    def on_end(name: str) -> None:
        if end:
            end(local(name), "".join(text))
        text.clear()

    made.StartElementHandler, made.EndElementHandler, made.CharacterDataHandler = on_start, on_end, text.append
    run(made, data, part)


def unescape(text: str) -> str:
    """`_x000D_` as the character it stands for (ECMA-376 part 1, 22.9.2.19, ST_Xstring)."""
    whole, place = "", 0
    while (found := text.find("_x", place)) >= 0:
        if _is_escape(text, found):
            whole += text[place:found] + chr(int(text[found + 2 : found + 6], 16))
            place = found + 7
        else:
            whole += text[place : found + 1]
            place = found + 1
    return whole + text[place:]


def _is_escape(text: str, place: int) -> bool:
    code = text[place + 2 : place + 7]
    return (
        text[place + 1 : place + 2] == "x"
        and len(code) == 5
        and code[4] == "_"
        and all(digit in "0123456789abcdefABCDEF" for digit in code[:4])
    )


def escape(text: str) -> str:
    """Text for an element: markup escaped, what XML cannot hold and what looks like `_x0041_` written as ST_Xstring."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join("_x005F_" if sign == "_" and _is_escape(plain, place) else _character(sign) for place, sign in enumerate(plain))


def _character(sign: str) -> str:
    named = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}.get(sign)
    if named:
        return named
    code = ord(sign)
    bad = (code < 32 and sign not in "\t\n") or 0xD800 <= code <= 0xDFFF or code in (0xFFFE, 0xFFFF)
    return f"_x{code:04X}_" if bad else sign
