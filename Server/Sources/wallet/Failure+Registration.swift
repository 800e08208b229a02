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
                "correct it; or its operator adds it by: walletauth client create --id \(client) --name NAME --first-party "
                    + "--redirect-uri http://127.0.0.1/callback --scope \"openid profile offline_access\""
            )
        case "unauthorized_client":
            (
                "the client \"\(client)\"\(named) may not sign people in without a browser",
                "use: wallet sign-in --browser; or name one that its operator made with: walletauth client create --first-party"
            )
        case "invalid_scope":
            (
                "the client \"\(client)\" may not ask for all of these scopes",
                "correct --scope; or its operator allows more by: walletauth client update \(client) --add-scope SCOPE"
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
                "\(server) refuses the client \(client): \(said(error))",
                "correct --client-id, or have the client registered there: public, without a secret, for the code flow "
                    + "with PKCE and the redirect URI in use; then sign in with: wallet sign-in --again"
            )
        case "invalid_scope":
            (
                "\(server) refuses the scopes: \(said(error))",
                "name others with --scope; a server without OpenID Connect does not know openid"
            )
        default: nil
        }
    }
}
