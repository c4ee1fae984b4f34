"""Checks of what is about to be reviewed and published; small models are asked, no large one."""

from models.quality.checks import CheckOptions, check_quality
from models.quality.nonsense import require_sense
from models.quality.thresholds import QualityThresholds

__all__ = ["CheckOptions", "QualityThresholds", "check_quality", "require_sense"]
