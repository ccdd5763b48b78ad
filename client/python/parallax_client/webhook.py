"""Signatures of webhooks."""

from collections.abc import Mapping
from typing import Any

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

__all__ = ["WebhookVerificationError", "verify_webhook"]


def verify_webhook(secret: str, headers: Mapping[str, str], body: bytes | str) -> Any:
    """Verifies a delivery and returns its parsed body.

    Give the raw body, not parsed and written again. While a secret is rolled, a delivery has two
    signatures, and one that fits is enough. Raises WebhookVerificationError for a wrong signature
    or one that is older than five minutes.
    """
    return Webhook(secret).verify(body, {name.lower(): value for name, value in headers.items()})
