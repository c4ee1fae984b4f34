"""What stands between a summary and its endpoints: cache, limits, budget, fallbacks, ledger."""

from models.gateway.gateway import Endpoint, Gateway
from models.gateway.ledger import Ledger, NoLedger, Outcome, Request
from models.gateway.price import Price

__all__ = ["Endpoint", "Gateway", "Ledger", "NoLedger", "Outcome", "Price", "Request"]
