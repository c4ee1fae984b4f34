"""The handlers, one file per part of the site."""
