"""What every other package shares: settings, error classes, clock and durations."""
