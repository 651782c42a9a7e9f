"""The tree of errors. Every one says what is wrong, where, and what to do; a user never sees a traceback.

TrustOpsError                 the root; exit code 2
+- UsageError                 the command or a file of the workspace is wrong
|  +- UnknownName             a question, run, control or passage that is not there
|  +- MalformedFile           a configuration file or evidence with a wrong shape
|  +- HostileFile             a questionnaire or evidence that is refused before it is read
|  +- RuleBroken              a score, rubric or record that breaks a rule of its protocol; `rule` names it
+- Refused                    the answer is no; exit code 1
|  +- Locked                  approval of something blocked
|  +- StaleVersion            the version named is not the current one
|  +- NotAllowed              the person's role does not permit it
|  +- Overtaken               somebody else decided or wrote the same meanwhile
|  +- NothingCleared          an export without a cleared answer
+- Unavailable                something outside did not answer; exit code 2
   +- ProviderFailed          a model call that gave no usable reply
"""

from __future__ import annotations

from typing import Any


class TrustOpsError(Exception):
    """What is wrong (message), where (file, sheet, cell, line or key) and what to do (remedy)."""

    exit_code = 2
    code = "ERROR"

    def __init__(self, message: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(message)
        self.message, self.where, self.remedy = message, where, remedy

    def __reduce__(self) -> tuple[Any, ...]:
        """So that an error reaches another process whole, whatever its own class wants to be made with."""
        return _again, (type(self), self.args, self.__dict__)

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        told = self.message if self.message.endswith((".", "?", "!")) or not self.remedy else f"{self.message}."
        return f"{place}{told} {self.remedy}".rstrip()


def _again(kind: type[TrustOpsError], told: tuple[Any, ...], held: dict[str, Any]) -> TrustOpsError:
    made = kind.__new__(kind, *told)
    made.__dict__.update(held)
    return made


class UsageError(TrustOpsError):
    code = "USAGE"


class UnknownName(UsageError):
    code = "UNKNOWN_NAME"


class MalformedFile(UsageError):
    code = "MALFORMED_FILE"


class HostileFile(UsageError):
    code = "HOSTILE_FILE"


class RuleBroken(UsageError):
    """`rule` is the rule's name, for programs: `weights_sum`, `missing_score`, `signature` and so on."""

    code = "RULE_BROKEN"

    def __init__(self, message: str, *, rule: str, where: str = "", remedy: str = "") -> None:
        super().__init__(message, where=where, remedy=remedy)
        self.rule = rule


class Refused(TrustOpsError):
    exit_code = 1
    code = "REFUSED"


class Locked(Refused):
    code = "LOCKED"


class StaleVersion(Refused):
    code = "STALE_VERSION"


class NotAllowed(Refused):
    code = "NOT_ALLOWED"


class Overtaken(Refused):
    code = "OVERTAKEN"


class NothingCleared(Refused):
    code = "NOTHING_CLEARED"


class Unavailable(TrustOpsError):
    code = "UNAVAILABLE"


class ProviderFailed(Unavailable):
    """A model call without a usable reply. `kind` says how: timeout, refusal, truncated, http, empty, limit, invalid, money.

    `attempts` counts what was sent before it was given up, so that the record of a failed call tells what it may have cost.
    """

    code = "PROVIDER_FAILED"

    def __init__(self, message: str, *, kind: str, where: str = "", remedy: str = "", attempts: int = 1) -> None:
        super().__init__(message, where=where, remedy=remedy)
        self.kind, self.attempts = kind, attempts
