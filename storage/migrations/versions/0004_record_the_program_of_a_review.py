"""Record which version of the program asked for a review: its publication's statement names it."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # every review before this was asked for by this version, and so is one of the code now running
    column = sa.Column("program_version", sa.String(), nullable=False, server_default="0.1.0")
    with op.batch_alter_table("review") as review:
        review.add_column(column)


def downgrade() -> None:
    with op.batch_alter_table("review") as review:
        review.drop_column("program_version")
