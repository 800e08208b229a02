internal import HTTPTypes
internal import Kernel
internal import WalletAuthWire
internal import Web

/// Global Token Revocation (draft-parecki-oauth-global-token-revocation-06): `session end` as tools of other makers call it.
extension AdminEndpoints {
    var globalRevocation: Route {
        get throws {
            let form = try CommandForm.of(SessionClose.self)
            let issuer = administration.server.context.settings.issuer
            return Route(
                .post, Self.prefix + "global-token-revocation", body: .json, .problem, by: .administrator
            ) { request, caller in
                let response = try await answer(form, request, caller) {
                    try Self.account(named: request.json(), issuer: issuer)
                }
                return response.status == .ok ? EndpointResponse(status: .noContent) : response
            }.stating(.administration, "revokeGlobally", "Ends every session of a person") {
                Contract(
                    "Every session has ended",
                    takes: .object(WireObject(members: [.required("sub_id", .anything)], isOpen: true)), .noContent,
                    refuses: refusals(["malformed", "forbidden_role", "not_found", "no_change"]))
            }
        }
    }

    /// The account by its tokens' `sub`: with the issuer, or alone (RFC 9493 §3.2). Addresses and numbers are no names for what cannot be
    /// undone: they may be another person's by now.
    private static func account(named body: JSONObject, issuer: Issuer) throws(MalformedValue) -> JSONObject {
        guard let subject = body["sub_id"]?.object else {
            throw MalformedValue(field: "sub_id", reason: "is no object, or missing")
        }
        let id: String?
        switch try subject.string("format") {
        case "iss_sub":
            guard try subject.string("iss") == issuer.rawValue else {
                throw MalformedValue(field: "iss", reason: "is another issuer")
            }
            id = try subject.string("sub")
        case "opaque": id = try subject.string("id")
        default: throw MalformedValue(field: "format", reason: "must be iss_sub or opaque")
        }
        guard let id else { throw MalformedValue(field: "sub_id", reason: "names no one") }
        return JSONObject(strings: ["account": id])
    }
}
