"""Note each call of a language model before it is made, and what became of it."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_COLUMNS = (
    sa.Column("endpoint", sa.String(), nullable=False, server_default=""),
    sa.Column("outcome", sa.String(), nullable=False, server_default="answered"),
    sa.Column("request_sha256", sa.String(), nullable=True),
    sa.Column("answer", sa.JSON(), nullable=True),
    sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
)
_INDEXED = ("request_sha256", "due_at", "at")


def upgrade() -> None:
    with op.batch_alter_table("model_call") as calls:
        for column in _COLUMNS:
            calls.add_column(column.copy())
    for name in _INDEXED:
        op.create_index(f"ix_model_call_{name}", "model_call", [name])


def downgrade() -> None:
    for name in _INDEXED:
        op.drop_index(f"ix_model_call_{name}", "model_call")
    with op.batch_alter_table("model_call") as calls:
        for column in _COLUMNS:
            calls.drop_column(column.name)
