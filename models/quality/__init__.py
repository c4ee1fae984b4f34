"""Checks of what is about to be reviewed and published. At most an embedder is asked."""

from models.quality.checks import check_quality
from models.quality.nonsense import require_sense
from models.quality.thresholds import QualityThresholds

__all__ = ["QualityThresholds", "check_quality", "require_sense"]
