"""TrustOps: security questionnaires answered by five agents, and nothing unsupported leaves."""

__version__ = "0.1.0"
