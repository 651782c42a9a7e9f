"""Evidence files and earlier answers, read into passages that keep where every word stands (architecture.md, "Evidence and retrieval").

`read_folder`, `load_register`, `read` and `read_answers` are what the rest of the program uses; parsing runs in a limited child.
"""

from trustops.formats.evidence.answers import read_answers
from trustops.formats.evidence.folder import read_folder
from trustops.formats.evidence.reading import read
from trustops.formats.evidence.register import load_register

__all__ = ["load_register", "read", "read_answers", "read_folder"]
