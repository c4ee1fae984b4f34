"""Who acts, and what they may do with a review."""

from dataclasses import dataclass

from storage.statuses import Role

_RANK = {Role.UPLOADER: 0, Role.EDITOR: 1, Role.ADMIN: 2}

SYSTEM = "system"


@dataclass(frozen=True)
class Actor:
    """A person or a part of the application; `tenant` is None for one that serves all tenants."""

    id: str
    role: Role
    tenant: str | None = None

    def has_role(self, needed: Role) -> bool:
        """True where the actor may do what `needed` may do."""
        return _RANK[self.role] >= _RANK[needed]

    def serves(self, tenant: str) -> bool:
        """True where the actor may see and change this tenant's runs."""
        return self.tenant is None or self.tenant == tenant


@dataclass(frozen=True)
class ReviewPolicy:
    """What a tenant or template asks of a decision.

    `own_upload` lets people approve what they uploaded themselves.
    """

    role: Role = Role.EDITOR
    own_upload: bool = True
