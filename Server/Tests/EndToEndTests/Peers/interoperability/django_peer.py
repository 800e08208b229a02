"""django-oauth-toolkit in one file: settings, pages and the client, on SQLite, with OpenID Connect and rotating refresh tokens.

Its own two pages (sign-in and consent) are Django's and the toolkit's views, with templates as short as they can be.
"""

import pathlib
import threading

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings
from werkzeug.serving import make_server

FIELDS = "{% csrf_token %}{% for field in form %}{{ field }}{% endfor %}"
PAGES = {
    "registration/login.html": f'<form method="post">{FIELDS}<input type="hidden" name="next" value="{{{{ next }}}}">'
    "<button>Sign in</button></form>",
    "oauth2_provider/authorize.html": f'<form method="post">{FIELDS}<button name="allow" value="Authorize">Allow'
    "</button></form>",
}


# For how many seconds a replaced refresh token is answered by what replaced it. None, unless django_grace_peer.py says so.
grace_period = 0


def private_key():
    return (
        rsa.generate_private_key(65537, 2048)
        .private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        .decode()
    )


def start(base, folder, password, redirect_uris):
    settings.configure(
        SECRET_KEY="only-for-this-run",
        ALLOWED_HOSTS=["127.0.0.1"],
        ROOT_URLCONF=__name__,
        USE_TZ=True,
        LOGIN_URL="/login/",
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],  # quick: the password is made for this run
        INSTALLED_APPS=[
            "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "oauth2_provider",
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
        ],
        TEMPLATES=[{
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "loaders": [("django.template.loaders.locmem.Loader", PAGES)],
                "context_processors": ["django.template.context_processors.request"],
            },
        }],
        DATABASES={"default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": pathlib.Path(folder) / "django.db",
            "OPTIONS": {"timeout": 120, "transaction_mode": "IMMEDIATE", "init_command": "PRAGMA journal_mode=WAL"},
        }},
        OAUTH2_PROVIDER={
            "OIDC_ENABLED": True,
            "OIDC_RSA_PRIVATE_KEY": private_key(),
            "OIDC_ISS_ENDPOINT": base + "/o",
            "SCOPES": {"openid": "Who you are"},
            "PKCE_REQUIRED": True,
            "ROTATE_REFRESH_TOKEN": True,
            "REFRESH_TOKEN_REUSE_PROTECTION": True,
            "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": grace_period,
            "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
        },
    )
    django.setup()
    make_world(password)
    from django.core.wsgi import get_wsgi_application

    listener = make_server("127.0.0.1", 0, get_wsgi_application(), threaded=True)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    return listener.port


def make_world(password):
    from django.contrib.auth import views
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.urls import include, path
    from oauth2_provider.models import Application
    from oauth2_provider.urls import metadata_urlpatterns

    # The toolkit asks for the metadata to be mounted at the root. Without it only OpenID's document is there, which names no
    # revocation endpoint.
    globals()["urlpatterns"] = [
        path("login/", views.LoginView.as_view()),
        path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
        path("", include((metadata_urlpatterns, "oauth2_provider"), namespace="oauth2_metadata")),
    ]
    call_command("migrate", verbosity=0)
    ada = User.objects.create_user("ada", password=password)
    Application.objects.create(
        name="Wallet", client_id="wallet", user=ada, client_type=Application.CLIENT_PUBLIC, algorithm="RS256",
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE, redirect_uris="http://127.0.0.1/callback",
    )


def description(base):
    return {"issuer": base + "/o", "resource": base + "/o/userinfo/", "scope": "openid"}
