"""The steps of `pipeline.workflow`, one file a step.

Each step loads by reference, does one thing, puts the result as a content-addressed artifact and
returns references; `keep` commits the rows in the transaction that records the step.
"""
