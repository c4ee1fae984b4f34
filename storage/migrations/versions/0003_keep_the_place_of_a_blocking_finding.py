"""Keep check, place and segments of each finding that blocks a review, not its sentence alone."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

REVIEW = sa.table("review", sa.column("id", sa.String()), sa.column("reasons", sa.JSON()))


def upgrade() -> None:
    convert(lambda r: {"check": "", "place": "", "segments": [], "reason": r})


def downgrade() -> None:
    convert(lambda r: r["reason"])


def convert(change: Callable[[Any], Any]) -> None:
    connection = op.get_bind()
    for row in connection.execute(sa.select(REVIEW.c.id, REVIEW.c.reasons)).all():
        if row.reasons:
            new = [change(reason) for reason in row.reasons]
            connection.execute(REVIEW.update().where(REVIEW.c.id == row.id).values(reasons=new))
