"""The service over HTTP: on a port of this machine where the user's settings say so, and on its socket always."""
