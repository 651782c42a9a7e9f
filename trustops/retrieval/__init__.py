"""Full-text search over one organisation's passages and earlier answers (architecture.md, "Evidence and retrieval")."""

from trustops.retrieval.index import Index
from trustops.retrieval.queries import forms, search_all, search_prior_all

__all__ = ["Index", "forms", "search_all", "search_prior_all"]
