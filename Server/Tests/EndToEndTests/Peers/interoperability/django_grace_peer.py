"""django-oauth-toolkit with its grace period: a refresh whose answer was lost may be sent again."""

import django_peer
from django_peer import description, start

__all__ = ["description", "start"]
django_peer.grace_period = 3600
