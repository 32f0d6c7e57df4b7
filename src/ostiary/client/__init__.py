"""Clients of the service, which import nothing of the package."""
