import WalletAuth

extension Failure {
    /// Failures of the client's registration, with advice for the server's operator.
    static func textOfRegistration(_ error: WalletError, _ place: Place) -> Text? {
        guard error.outcome == .misconfigured else { return nil }
        let client = place.client ?? "CLIENT-ID"
        let named = place.clientNamedBy.map { " (from \($0.name))" } ?? ""
        guard error.isFromWalletAuth else { return textOfOtherRegistration(error, place, "\"\(client)\"\(named)") }
        return switch error.code {
        case "invalid_client":
            (
                "\(place.server ?? "the server") has no client \"\(client)\"\(named)",
                "correct it; or have its operator add it with: walletauth client create --id \(client) --name NAME --first-party "
                    + "--redirect-uri http://127.0.0.1/callback --scope \"openid profile offline_access\""
            )
        case "unauthorized_client":
            (
                "the client \"\(client)\"\(named) may not sign people in without a browser",
                "use: wallet sign-in --browser; or use a client that the operator created with: walletauth client create --first-party"
            )
        case "invalid_scope":
            (
                "the client \"\(client)\" may not request all of these scopes",
                "correct --scope; or have the operator allow more with: walletauth client update \(client) --add-scope SCOPE"
            )
        default: nil
        }
    }

    /// The same at other servers. Their tools are unknown here, so only the server's own explanation is shown.
    private static func textOfOtherRegistration(_ error: WalletError, _ place: Place, _ client: String) -> Text? {
        let server = place.server ?? "the server"
        return switch error.code {
        case "invalid_client", "unauthorized_client":
            (
                "\(server) refused the client \(client): \(said(error))",
                "correct --client-id, or register the client there: public, without a secret, for the code flow "
                    + "with PKCE and the redirect URI in use; then sign in with: wallet sign-in --again"
            )
        case "invalid_scope":
            (
                "\(server) refused the scopes: \(said(error))",
                "use other scopes with --scope; a server without OpenID Connect does not know openid"
            )
        default: nil
        }
    }
}
