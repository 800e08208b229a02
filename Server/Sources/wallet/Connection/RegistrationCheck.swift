import Foundation
import WalletAuth

/// Checks that the server accepts this client, its scopes and a provider, before the person types a secret.
struct RegistrationCheck {
    let profile: Profile
    let folder: URL
    /// The provider for the sign-in; nil for none.
    var provider: String?

    /// - Throws: ``Failure`` that names the scopes or the provider; `WalletError` for everything else.
    func run(_ wallet: Wallet) async throws {
        do { try await wallet.checkRegistration(provider: provider) } catch let error as WalletError {
            switch error.code {
            case "invalid_scope" where error.isFromWalletAuth: throw try await refusedScopes()
            case .unknownProvider:
                throw Failure(
                    code: error.code.rawValue,
                    message:
                        "\(profile.issuer) has no identity provider \"\(provider ?? "")\" for this client's users",
                    advice:
                        "correct --provider; the operator lists providers with walletauth provider list, and adds one with "
                        + "walletauth provider add oidc, add apple or add repository")
            default: throw error
            }
        }
    }

    /// The same check before a page opens, because the page's own error does not lead the person back here. The result
    /// does not count if the client may use only the page, or if the server has no native sign-in.
    /// - Throws: as ``run(_:)``, but only if the server is unreachable, its metadata is unusable, or it is a walletauth
    ///   server that does not know the client.
    func runBeforePage(_ wallet: Wallet) async throws {
        do { try await run(wallet) } catch let error as WalletError
            where error.reachedServer && error.operation != .setUp
            && (error.code != "invalid_client" || !error.isFromWalletAuth)
        {}
    }

    /// Finds the refused scopes.
    private func refusedScopes() async throws -> Failure {
        var refused: [String] = []
        for scope in profile.scopes ?? [] {
            var one = profile
            one.scopes = [scope]
            do { try await Wallet.of(one, in: folder).checkRegistration() } catch let error as WalletError
                where error.code == "invalid_scope"
            { refused.append(scope) }
        }
        let words = refused.map { "\"\($0)\"" }.joined(separator: ", ")
        return Failure(
            code: "invalid_scope",
            message: refused.count == 1
                ? "the client \"\(profile.clientID)\" may not request the scope \(words)"
                : "the client \"\(profile.clientID)\" may not request the scopes \(words)",
            advice: "omit it from --scope; or have the server's operator allow it with: walletauth client update "
                + "\(profile.clientID) --add-scope \"\(refused.joined(separator: " "))\"")
    }
}

extension Failure {
    /// Failures of the client's registration, with advice for the server's operator.
    static func textOfRegistration(_ error: WalletError, _ place: Place) -> Text? {
        guard error.outcome == .misconfigured else { return nil }
        let client = place.client ?? "CLIENT-ID"
        let named = place.clientNamedBy.map { " (from \($0.name))" } ?? ""
        guard error.isFromWalletAuth else { return textOfOtherRegistration(error, place, "\"\(client)\"\(named)") }
        return switch error.code {
        case "invalid_client":
            Text(
                "\(place.server ?? "the server") has no client \"\(client)\"\(named)",
                "correct it; or have its operator add it with: walletauth client create \(client) --name NAME --public "
                    + "--first-party --redirect-uri http://127.0.0.1/callback --scope \"openid profile offline_access\""
            )
        case "unauthorized_client":
            Text(
                "the client \"\(client)\"\(named) may not sign people in without a browser",
                "use: wallet sign-in --browser; or use a client that the operator created with: walletauth client create --first-party"
            )
        case "invalid_scope":
            Text(
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
            Text(
                "\(server) refused the client \(client): \(said(error))",
                "correct --client-id, or register the client there: public, without a secret, for the code flow "
                    + "with PKCE and the redirect URI in use; then sign in with: wallet sign-in --again")
        case "invalid_scope":
            Text(
                "\(server) refused the scopes: \(said(error))",
                "use other scopes with --scope; a server without OpenID Connect does not know openid")
        default: nil
        }
    }
}
