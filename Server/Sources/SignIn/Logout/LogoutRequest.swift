internal import Core
internal import WalletAuthWire
internal import Web

/// A client's request to sign a person out (OpenID Connect RP-Initiated Logout 1.0 §2). `logout_hint` is ignored: a page asks the
/// person at the browser.
struct LogoutRequest: Codable, Sendable {
    var clientID: ClientID?
    /// As it arrived: one that no client could register is answered like one that this client did not.
    var returnURI: String?
    var state: OAuthState?
    /// Best first.
    var locales: [LocaleTag] = []

    /// - Throws: `MalformedValue` for a `client_id` or a `state` that is none.
    init(_ parameters: FormParameters) throws(MalformedValue) {
        clientID = try parameters["client_id"].map { text throws(MalformedValue) in try ClientID(text) }
        returnURI = parameters["post_logout_redirect_uri"]
        state = try parameters["state"].map { text throws(MalformedValue) in try OAuthState(text) }
        locales = parameters.uiLocales
    }

    /// The address that shows a browser that it is signed out, in the look of the client.
    /// - Parameter page: the address of the endpoint.
    func plainAddress(at page: String) -> String {
        var query = FormParameters()
        query.append("client_id", clientID?.rawValue)
        query.append("ui_locales", locales.isEmpty ? nil : locales.map(\.rawValue).joined(separator: " "))
        return query.isEmpty ? page : page + "?" + query.encoded
    }
}
