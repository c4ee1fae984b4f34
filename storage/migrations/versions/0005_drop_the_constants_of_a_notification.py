"""Drop status and error code of a notification: a row is a call that arrived, nothing else."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("notification") as notification:
        notification.drop_column("status")
        notification.drop_column("error_code")


def downgrade() -> None:
    status = sa.Column("status", sa.String(), nullable=False, server_default="delivered")
    with op.batch_alter_table("notification") as notification:
        notification.add_column(status)
        notification.add_column(sa.Column("error_code", sa.String(), nullable=True))
