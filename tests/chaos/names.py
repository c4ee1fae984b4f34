"""Names that several processes share, in a module that costs nothing to import."""

CPU = "cpu"
CHILD_SETUP = "tests.chaos.child:prepare"
