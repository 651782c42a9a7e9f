"""Entry point: `trustops` and `python -m trustops`."""

from __future__ import annotations


def main() -> None:
    """Runs the command line. Imported late, so that `--help` stays quick."""
    from trustops.cli.app import run

    run()


if __name__ == "__main__":
    main()
