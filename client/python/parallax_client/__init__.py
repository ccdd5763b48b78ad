"""Client of the Parallax API."""

from .errors import ParallaxError
from .live import LiveChannel
from .rest import Parallax
from .webhook import WebhookVerificationError, verify_webhook

__all__ = ["LiveChannel", "Parallax", "ParallaxError", "WebhookVerificationError", "verify_webhook"]
