"""Attacks on a whole review: goal, wording, carrier, encoding; real files, worst models, an oracle that reads only what is stored."""
