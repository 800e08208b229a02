import Foundation
import Synchronization

/// Every secret that passed through a run, so that its logs can be searched for each of them afterwards.
///
/// Clients of this harness enter what they send and receive by the names that the wire gives to secrets; a test adds
/// what it made up itself.
final class SecretLedger: Sendable {
    /// The names under which OAuth, OpenID Connect and this server's own endpoints carry secrets.
    static let names: Set<String> = [
        "access_token", "refresh_token", "id_token", "code", "authorization_code", "code_verifier", "password",
        "new_password", "client_secret", "client_assertion", "auth_session", "login_nonce", "device_token", "request",
        "csrf", "email_code", "mfa_token", "mfa_answer", "token",
    ]

    private let secrets = Mutex<Set<String>>([])

    /// Enters one secret. What is shorter than eight characters would be found in any log by chance.
    func enter(_ secret: String?) {
        guard let secret, secret.count >= 8 else { return }
        secrets.withLock { _ = $0.insert(secret) }
    }

    /// Enters the members of a form, a query or a JSON document that are secret by their name.
    func enter(fields: [String: String]) {
        for (name, value) in fields where Self.names.contains(name) { enter(value) }
    }

    var count: Int { secrets.withLock { $0.count } }

    /// The secrets that stand in a text, or whose percent-encoded or decoded form does; shortened, so that the
    /// failure's own message leaks nothing that matters.
    func found(in text: String) -> [String] {
        secrets.withLock { $0 }.filter { secret in
            let encoded = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
            return text.contains(secret) || text.contains(encoded)
        }.map { "\($0.prefix(6))… (\($0.count) characters)" }
    }
}
