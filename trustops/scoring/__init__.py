"""Scores of agents, skills and answers: pure formulas over plain values (scoring.md). They inform people; no gate reads them."""
