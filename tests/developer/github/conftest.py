"""Fixtures of these tests."""

from tests.developer.hub_fixtures import no_proxy

__all__ = ["no_proxy"]
