internal import WalletAuthWire

extension RedirectURI {
    /// Checks what an operator typed.
    /// - Parameters:
    ///   - text: the redirect URI.
    ///   - option: where it was typed: an operator knows it by that, and by nothing that goes over the wire.
    /// - Throws: ``MalformedValue`` that names both.
    init(typed text: String, option: String) throws(MalformedValue) {
        do { try self.init(text) } catch {
            throw MalformedValue(field: "\(option) \(CommandLineSyntax.quoted(text))", reason: error.reason)
        }
        guard !hasAmbiguousHost else {
            throw MalformedValue(
                field: "\(option) \(CommandLineSyntax.quoted(text))",
                reason:
                    "has an IPv4 address in a notation that programs read differently: write four decimal numbers"
            )
        }
    }

    /// What an operator should know about a redirect URI that is taken and could be better; `nil` where nothing is.
    var advice: String? {
        switch kind {
        case .https where !isClaimedByDomain:
            "Warning: the host of \(rawValue) is not a public name, so any program there can take the answer: people "
                + "confirm each sign-in, "
                + "and prompt=none is answered with interaction_required."
        case .https, .loopback: nil
        case .localhost:
            "\(rawValue): a name can be pointed elsewhere, and its port counts; http://127.0.0.1 leads to the device "
                + "on any port (RFC 8252 §8.3)."
        case .customScheme where hasAuthority:
            "\(rawValue) is compared exactly. The usual form, with a single slash as in com.example.app:/callback "
                + "(RFC 8252 §7.1), is a different URI."
        case .customScheme: nil
        }
    }

    /// Whether two slashes follow the scheme.
    private var hasAuthority: Bool { rawValue.drop { $0 != ":" }.hasPrefix("://") }
}
