"""List the runs that a batch leaves alone."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # the code now running does not name the column: the default fills it
    column = sa.Column("skipped", sa.JSON(), nullable=False, server_default=sa.text("'[]'"))
    with op.batch_alter_table("batch") as batch:
        batch.add_column(column)


def downgrade() -> None:
    with op.batch_alter_table("batch") as batch:
        batch.drop_column("skipped")
