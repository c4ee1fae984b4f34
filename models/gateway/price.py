"""What calls cost."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Price:
    """What a model costs, in US dollars per million tokens."""

    input_usd_per_million: float = 0.0
    output_usd_per_million: float = 0.0

    def cost_usd(self, input_tokens: int, output_tokens: int) -> float:
        """Return what a call costs."""
        return (
            input_tokens * self.input_usd_per_million + output_tokens * self.output_usd_per_million
        ) / 1_000_000
