"""What people thought of answers: one row a rating, never changed."""

from __future__ import annotations

from sqlalchemy import func, select

from trustops.domain.rating import Rating
from trustops.storage import tables as t
from trustops.storage.book import ORG, Book, given

LAST = select(func.max(t.ratings.c.seq)).where(t.ratings.c.org == ORG, t.ratings.c.review == given("review"))
ALL = select(t.ratings.c.body).where(t.ratings.c.org == ORG, t.ratings.c.review == given("review")).order_by(t.ratings.c.seq)


class RatingLedger(Book):
    """Ratings by review and number."""

    def append_rating(self, rating: Rating) -> None:
        with self.writing(durable=True):
            seq = (self.all(LAST, review=rating.review)[0][0] or 0) + 1
            self.add(t.ratings, review=rating.review, seq=seq, rater=rating.rater, body=rating.model_dump_json())

    def ratings(self, review: str) -> tuple[Rating, ...]:
        """All ratings of a review, oldest first."""
        return tuple(Rating.model_validate_json(row.body) for row in self.all(ALL, review=review))
