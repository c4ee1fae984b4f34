"""The web application: upload, review, publications, operations and the API."""
