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
                        "correct --federated; the operator lists providers with walletauth provider list, and adds one with "
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
