"""Holds a server to its own description: openapi-spec-validator reads /openapi.json, and Schemathesis sends what it describes.

    openapi_check.py ISSUER CLIENT < SECRET

The client is a confidential one, and its secret is the one line of standard input. Prints one line of JSON: how many requests each
operation got, what the links of a transaction that it creates led to, and what did not hold: an answer of 5xx, a status, a media type or
a body that the description does not have. The requests are the same in every run.
"""

import json
import sys
import uuid

import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from openapi_spec_validator import OpenAPIV31SpecValidator
from schemathesis.checks import content_type_conformance, not_a_server_error, response_schema_conformance, status_code_conformance
from schemathesis.core.failures import FailureGroup

EXAMPLES = 8
OF_BODIES = [content_type_conformance, response_schema_conformance]
ALWAYS = [not_a_server_error, status_code_conformance]


def token(issuer, document, client, session):
    scopes = document["components"]["securitySchemes"]["backend"]["flows"]["clientCredentials"]["scopes"]
    form = {"grant_type": "client_credentials", "scope": " ".join(scopes)}
    return session.post(f"{issuer}/oauth2/token", data=form, auth=client, timeout=10).json()["access_token"]


def examples(operation):
    """Sends an operation some requests that it describes; the caller gives a function for each."""
    limits = settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    return lambda send: limits(given(case=operation.as_strategy())(send))()


def follow(schema, session, bearer, broken):
    """Creates a transaction for each of the links that it has for a backend, and follows that one."""
    create = schema.find_operation_by_id("createTransaction")
    body = {"type": "ORDER", "lines": [{"label": "Table", "value": "7"}]}
    links = create.definition.raw["responses"]["201"]["links"]
    followed = {}
    for name, link in sorted(links.items()):
        operation = schema.find_operation_by_id(link["operationId"])
        schemes = {scheme for requirement in operation.definition.raw["security"] for scheme in requirement}
        if "backend" not in schemes:
            continue
        try:
            case = create.Case(body=body, media_type="application/json", headers={"Idempotency-Key": str(uuid.uuid4())})
            created = case.call(headers=bearer, session=session, timeout=20)
            case.validate_response(created, checks=ALWAYS + OF_BODIES)
            values = {
                # "$response.body#/transactionId"
                parameter: created.json()[expression.rpartition("/")[2]] for parameter, expression in link["parameters"].items()
            }
            case = operation.Case(path_parameters=values)
            response = case.call(headers=bearer, session=session, timeout=20)
            followed[name] = response.status_code
            case.validate_response(response, checks=ALWAYS + (OF_BODIES if response.content else []))
        except (Exception, FailureGroup) as failure:  # noqa: BLE001: the report names the link, whatever happened
            broken.append(f"the link {name}: {failure}"[:2000])
    return followed


def check(issuer, client):
    session = requests.Session()
    document = session.get(f"{issuer}/openapi.json", timeout=10).json()
    broken = [f"the description: {error.message}"[:800] for error in OpenAPIV31SpecValidator(document).iter_errors()]
    schema = schemathesis.openapi.from_dict(document)
    schema.config.update(base_url=issuer)
    bearer = {"Authorization": f"Bearer {token(issuer, document, client, session)}"}
    asked = {}
    for result in schema.get_all_operations():
        operation = result.ok()
        described = operation.definition.raw
        if "default" in described["responses"]:
            # A page for people.
            continue
        schemes = {name for requirement in described.get("security", []) for name in requirement}
        asked[operation.label] = 0

        def send(case):
            if case.query:
                # A request that waits for a change shows nothing more.
                case.query.pop("wait", None)
            response = case.call(
                headers=bearer if "backend" in schemes else None,
                session=session,
                auth=client if "client" in schemes else None,
                timeout=20,
            )
            asked[operation.label] += 1
            # Some answers have no body, as those to a call without a token (RFC 6750 §3.1).
            case.validate_response(response, checks=ALWAYS + (OF_BODIES if response.content else []))

        try:
            examples(operation)(send)
        except (Exception, FailureGroup) as failure:  # noqa: BLE001: the report names the operation, whatever happened
            broken.append(f"{operation.label}: {failure}"[:2000])
    return {"asked": asked, "followed": follow(schema, session, bearer, broken), "broken": broken}


print(json.dumps(check(sys.argv[1].rstrip("/"), (sys.argv[2], sys.stdin.readline().strip()))))
