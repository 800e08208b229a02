internal import WalletAuthWire

extension RedirectURI {
    /// What an operator should know about a redirect URI that is taken and could be better; `nil` where nothing is.
    var advice: String? {
        switch kind {
        case .https, .loopback: nil
        case .localhost:
            "\(rawValue): a name can be pointed elsewhere, and its port counts; http://127.0.0.1 leads to the device "
                + "on any port (RFC 8252 §8.3)."
        case .customScheme where hasAuthority:
            "\(rawValue) is taken to the letter; the usual form has a single slash, as in com.example.app:/callback "
                + "(RFC 8252 §7.1), and is another URI."
        case .customScheme: nil
        }
    }

    /// Whether two slashes follow the scheme.
    private var hasAuthority: Bool { rawValue.drop { $0 != ":" }.hasPrefix("://") }
}
