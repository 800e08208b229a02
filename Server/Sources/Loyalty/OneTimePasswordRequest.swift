package import WalletAuthWire
internal import Web

/// Has a one-time password sent to a guest's mobile phone (`POST /onetimepassword/generateAndSendSMSOTP.json`): by an integrator's
/// backend. The parameters are in the query or, so that no log has them, in a form.
package struct OneTimePasswordRequest: Hashable, Sendable {
    /// The guest's merchant.
    var merchantID: Int64
    /// The number, in any spelling.
    var mobilePhone: String
    /// The access token of the guest who proves by the code that the number is theirs; nil to sign in by the code.
    var accessToken: AccessToken?
}

extension OneTimePasswordRequest {
    private static let token = "access_token"

    /// Reads a request's parameters.
    /// - Parameters:
    ///   - form: the parameters of the body.
    ///   - query: the parameters of the query. A token there is refused: the log of any proxy would have it.
    /// - Throws: ``LoyaltyFailure`` to answer with.
    init(form: FormParameters = FormParameters(), query: FormParameters) throws(LoyaltyFailure) {
        guard query[Self.token] == nil else {
            throw LoyaltyFailure(MalformedValue(field: Self.token, reason: "belongs in the body"))
        }
        for name in ["merchantId", "mobilePhone"] where form[name] != nil && query[name] != nil {
            throw LoyaltyFailure(MalformedValue(field: name, reason: "appears more than once"))
        }
        guard let merchant = (form["merchantId"] ?? query["merchantId"]).flatMap({ Int64($0) }) else {
            throw LoyaltyFailure(MalformedValue(field: "merchantId", reason: "is not a number"))
        }
        merchantID = merchant
        mobilePhone = try MobilePhone.checked(form["mobilePhone"] ?? query["mobilePhone"])
        do { accessToken = try form[Self.token].map { try AccessToken($0) } } catch {
            throw LoyaltyFailure(.invalidAccessToken)
        }
    }
}

/// `mobilePhone` of a request. Whether it is a number, the server decides.
enum MobilePhone {
    static func checked(_ text: String?) throws(LoyaltyFailure) -> String {
        guard let text, !text.isEmpty else { throw .field("mobilePhone", .required) }
        guard TextRule.printable(text, 1...64) == nil else { throw .field("mobilePhone", .invalid) }
        return text
    }
}

extension OneTimePasswordRequest: WireShaped {
    /// The parameters of the form. The first two may be in the query instead.
    package static let shape = WireShape.answer(
        OneTimePasswordRequest.self,
        [
            .optional("merchantId", .integer()), .optional("mobilePhone", .text(.printable(1...64))),
            .optional(token, .of(AccessToken.self)),
        ])
}
