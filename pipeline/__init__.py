"""From upload to publication: the workflow, its steps and the durable engine below it."""
