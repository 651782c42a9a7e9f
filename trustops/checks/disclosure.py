"""Disclosure: nothing leaves that stands only in text not meant for customers (product.md, "Disclosure").

Judged against the whole organisation, not the dossier: a name is confidential wherever it came from. Not checked: paraphrases of
internal text, and identifiers of shapes that no pattern here knows. A key or token leaves in no case, wherever it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from trustops.domain.evidence import Classification, Passage, PriorAnswer
from trustops.domain.finding import Finding, FindingCode, FindingSource, Severity
from trustops.facts.address import speaks_to_agents

RUN = 8
WORD = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*", re.UNICODE)
CJK = re.compile("[\u3400-\u9fff]")
IDENTIFIERS = (
    re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b"),  # mail addresses
    re.compile(r"\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.){1,}(?:[a-z]{2,24})\b", re.IGNORECASE),  # hosts and domains
    re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?\b"),  # IPv4 addresses and networks
    re.compile(r"\b(?:[0-9a-f]{1,4}:){3,7}[0-9a-f]{1,4}\b", re.IGNORECASE),  # IPv6
    re.compile(r"\b\d{4}-\d{4}-\d{4}\b|\b\d{12}\b"),  # cloud account numbers
    re.compile(r"(?<![\w&])#[a-z][\w-]{2,}", re.IGNORECASE),  # channels
    re.compile(r"\b(?=[a-z0-9_-]*[a-z])[a-z0-9]+(?:[-_][a-z0-9]+)+\b", re.IGNORECASE),  # account and host names with - or _
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\b(?=[\w+/]*\d)(?=[\w+/]*[A-Za-z])[\w+/]{24,}={0,2}\b"),  # keys
    re.compile(r"\b[A-Z][a-z]+(?:[ -][A-Z][a-z]+){1,2}\b"),  # persons: two or three capitalised words
)
ORDINARY = re.compile(r"^[a-z]+(?:-[a-z]+)+$", re.IGNORECASE)
"""Hyphenated words without digits ("third-party") are prose unless the document set them off as an identifier (in backticks)."""
OPENED = re.compile(r"(?:^|[.!?:;|]\s+|\n\s*(?:[-*]\s+)?)[A-Z][a-z]+ ([A-Z][a-z]+[ -][A-Z][a-z]+)\b")
"""A person behind the word that opens a sentence: "Ask Jo Doe" names Jo Doe."""
TICKED = re.compile(r"`([^`\s]{3,})`")


@dataclass(frozen=True, slots=True)
class Confidential:
    """What only non-shareable text holds: identifiers, lower-cased, and runs of eight words."""

    identifiers: frozenset[str]
    runs: frozenset[tuple[str, ...]]
    where: dict[str, str]


def confidential(passages: Iterable[Passage], prior_answers: Iterable[PriorAnswer]) -> Confidential:
    """Computed once per run over all of the organisation's passages and earlier answers; one pass, sets only."""
    open_ids: set[str] = set()
    shut_ids: dict[str, str] = {}
    open_runs: set[tuple[str, ...]] = set()
    shut_runs: set[tuple[str, ...]] = set()
    for passage in passages:
        shown = " \n".join((*passage.heading, passage.document.title, passage.text))
        if passage.document.classification is Classification.SHAREABLE:
            open_ids |= identifiers(_public(passage))
            open_runs |= runs(_public(passage))
        else:
            shut_ids |= dict.fromkeys(identifiers(shown), passage.id)
            shut_runs |= runs(passage.text)
    for answer in prior_answers:  # earlier answers are not internal passages, but a name that only they hold was a leak
        shut_ids |= dict.fromkeys(identifiers(answer.answer), answer.id)
    hidden = {name: place for name, place in shut_ids.items() if name not in open_ids}
    return Confidential(frozenset(hidden), frozenset(shut_runs - open_runs), hidden)


def _public(passage: Passage) -> str:
    """What a reader of a shareable passage sees that is not said to the agents: neither hidden text nor an order makes a name public, nor
    does the title that the register gives the document: no reader of the document sees it."""
    if passage.concealed:
        return ""
    lines = (*passage.heading, *passage.text.split("\n"))
    return " \n".join(line for line in lines if not speaks_to_agents(line))


def identifiers(text: str) -> set[str]:
    """Everything in the text that looks like an account, host, address, channel, key or person, lower-cased."""
    plain = _apart(text)
    found = {match.group().lower() for pattern in IDENTIFIERS for match in pattern.finditer(plain)}
    found |= {match[1].lower() for match in OPENED.finditer(plain)}
    prose = {name for name in found if ORDINARY.match(name)}
    return (found - prose) | {name.lower() for name in TICKED.findall(text)}


def _apart(text: str) -> str:
    """Without Chinese characters, which stand beside a name with no space between: to a pattern they are letters of the name."""
    return CJK.sub("\n", text)


def runs(text: str) -> set[tuple[str, ...]]:
    """All runs of eight words of a text; a Chinese character counts as a word."""
    spaced = CJK.sub(lambda found: f" {found.group()} ", text.lower())
    words = WORD.findall(spaced)
    return {tuple(words[at : at + RUN]) for at in range(len(words) - RUN + 1)}


def disclosure_findings(texts: Iterable[str], secret: Confidential) -> tuple[Finding, ...]:
    """SENSITIVE_DISCLOSURE for every confidential identifier or run in what would be written into the customer's file."""
    written = "\n".join(texts)
    lowered = written.lower()
    plain = _apart(lowered)
    named = sorted(name for name in secret.identifiers if _stands_in(name, lowered) or _stands_in(name, plain))
    findings = [_finding(f"names {name!r}, which stands only in text that is not for customers", (secret.where[name],)) for name in named]
    findings += [_finding(f"holds {kind}", ()) for kind in credentials(written)]
    if runs(written) & secret.runs:
        findings.append(_finding(f"repeats {RUN} or more words of an internal document", ()))
    return tuple(findings)


DETECTORS = (
    "aws.AWSKeyDetector", "azure_storage_key.AzureStorageKeyDetector", "basic_auth.BasicAuthDetector", "discord.DiscordBotTokenDetector",
    "github_token.GitHubTokenDetector", "gitlab_token.GitLabTokenDetector", "jwt.JwtTokenDetector", "npm.NpmDetector",
    "openai.OpenAIDetector",
    "private_key.PrivateKeyDetector", "pypi_token.PypiTokenDetector", "sendgrid.SendGridDetector", "slack.SlackDetector",
    "stripe.StripeDetector", "telegram_token.TelegramBotTokenDetector", "twilio.TwilioKeyDetector",
)  # fmt: skip
"""Forms that are keys by their shape alone. Those that guess from entropy or a word beside them would stop honest prose."""


@cache
def _detectors() -> tuple[Any, ...]:
    """Loaded with the first answer: no command that checks nothing waits for them."""
    found = []
    for name in DETECTORS:
        module, _, kind = name.partition(".")
        found.append(getattr(import_module(f"detect_secrets.plugins.{module}"), kind)())
    return tuple(found)


def credentials(text: str) -> tuple[str, ...]:
    """The kinds of keys and tokens in a text, without the keys themselves."""
    lines = [line for line in text.split("\n") if line.strip()]
    kinds = {str(d.secret_type).lower() for d in _detectors() if any(any(d.analyze_string(line)) for line in lines)}
    return tuple(f"what looks like a key or token ({kind})" for kind in sorted(kinds))


def _stands_in(name: str, lowered: str) -> bool:
    return name in lowered and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", lowered) is not None


def _finding(what: str, exhibits: tuple[str, ...]) -> Finding:
    return Finding(
        code=FindingCode.SENSITIVE_DISCLOSURE,
        severity=Severity.BLOCKING,
        source=FindingSource.RULES,
        summary=f"The answer {what}.",
        exhibits=exhibits,
        remedy="Say it without the name or in other words, or classify the document as shareable if customers may read it.",
        cited=True,
    )
