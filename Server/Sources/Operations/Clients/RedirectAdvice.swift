internal import WalletAuthWire

extension RedirectURI {
    /// Checks a redirect URI that an operator typed.
    /// - Parameters:
    ///   - text: the redirect URI.
    ///   - option: the command-line option: an operator knows the value by it, and not by its name on the wire.
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

    /// Advice on a redirect URI that is accepted but could be better; `nil` for none.
    var advice: String? {
        switch kind {
        case .https where !isClaimedByDomain:
            "Warning: the host of \(rawValue) is not a public name, so any program there could intercept the response: "
                + "people confirm each sign-in, and prompt=none returns interaction_required."
        case .https, .loopback: nil
        case .localhost:
            "\(rawValue): a name can be made to resolve elsewhere, and its port must match; http://127.0.0.1 always "
                + "leads to the device, on any port (RFC 8252 §8.3)."
        case .customScheme where hasAuthority:
            "\(rawValue) is compared exactly. The usual form, with a single slash as in com.example.app:/callback "
                + "(RFC 8252 §7.1), is a different URI."
        case .customScheme: nil
        }
    }

    /// Whether two slashes follow the scheme.
    private var hasAuthority: Bool { rawValue.drop { $0 != ":" }.hasPrefix("://") }
}
