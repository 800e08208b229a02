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
        "csrf", "email_code", "mfa_token", "mfa_answer", "token", "secret",
        "oneTimePassword", "pin_assertion", "account_pin", "new_pin", "repeated_pin", "repeated_password",
    ]

    private let secrets = Mutex<Set<String>>([])

    /// Enters one secret. What is shorter than eight characters would be found in any log by chance.
    func enter(_ secret: String?) {
        guard let secret, secret.utf8.count >= 8 else { return }
        secrets.withLock { _ = $0.insert(secret) }
    }

    /// Enters the members of a form, a query or a JSON document that are secret by their name.
    func enter(fields: [String: String]) {
        // What a problem document calls `code` says which problem it is (RFC 9457); it comes with a title.
        for (name, value) in fields where Self.names.contains(name) && !(name == "code" && fields["title"] != nil) {
            enter(value)
            guard (6...7).contains(value.utf8.count), value.utf8.allSatisfy({ (0x30...0x39).contains($0) })
            else { continue }
            // A code of so few digits is searched with its name, as logs could have it.
            for text in [
                "\(name)=\(value)", "\(name)=\"\(value)\"", "\"\(name)\":\"\(value)\"", "\"\(name)\": \"\(value)\"",
            ] { enter(text) }
        }
    }

    /// The secrets that stand in a file's bytes, as they are or percent-encoded; shortened, so that the failure's own
    /// message leaks nothing that matters.
    ///
    /// One pass over the bytes, whatever the number of secrets: a run with thousands of tokens has a log of megabytes.
    func found(in bytes: Data) -> [String] {
        var needles: [UInt64: [[UInt8]]] = [:]
        for secret in secrets.withLock({ $0 }) {
            let encoded = secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret
            for form in Set([secret, encoded]) {
                let needle = Array(form.utf8)
                needles[needle.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, default: []].append(needle)
            }
        }
        let text = [UInt8](bytes)
        var found: Set<String> = []
        var window: UInt64 = 0
        for (index, byte) in text.enumerated() {
            window = window << 8 | UInt64(byte)
            guard index >= 7, let candidates = needles[window] else { continue }
            for needle in candidates where text[(index - 7)...].starts(with: needle) {
                found.insert("\(String(decoding: needle.prefix(6), as: UTF8.self))… (\(needle.count) bytes)")
            }
        }
        return found.sorted()
    }
}
