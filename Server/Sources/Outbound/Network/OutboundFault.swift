/// Why a connection to another party failed. No case has text from that party, because it may contain data that does
/// not belong in a log, such as a recipient's address.
package enum OutboundFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The URL does not begin with `https://` or `http://`.
    case foreignScheme
    /// The host or port of the URL, its credentials or a character in it are not allowed.
    case unusableURL
    case unresolved
    /// Too many names are being resolved already, because a resolver does not answer.
    case tooManyLookups
    /// No address of the host is permitted.
    case forbiddenAddress
    /// Without TLS, only this machine is permitted.
    case plainText
    /// Nothing accepts connections there.
    case unreachable
    /// The certificate is not trusted for this host, or TLS failed.
    case untrusted
    case timeout
    /// The answer exceeds the limit.
    case tooLarge
    /// The other side answered with this HTTP status instead of the expected one.
    case status(Int)
    /// The connection broke, or the answer does not follow the protocol.
    case broken

    /// For the log and `walletauth doctor`.
    package var description: String {
        switch self {
        case .foreignScheme: "it is not an https URL"
        case .unusableURL: "the URL cannot be used"
        case .unresolved: "the host name has no address"
        case .tooManyLookups: "too many host names are being looked up"
        case .forbiddenAddress: "the host has no address to which connections are allowed"
        case .plainText: "without TLS only connections to this machine are allowed"
        case .unreachable: "nothing accepts connections there"
        case .untrusted: "TLS failed, or the certificate is not trusted for this host"
        case .timeout: "the other side took too long"
        case .tooLarge: "the response is too large"
        case .status(let status): "the response has the status \(status)"
        case .broken: "the connection broke, or the response does not follow the protocol"
        }
    }

    /// What to do about a URL that an operator typed, as a sentence; `nil` if its text is not to blame.
    package var remedyOfURL: String? {
        switch self {
        case .foreignScheme, .plainText: "Begin it with https://."
        case .unusableURL:
            "Check host and port, leave out user name, password and fragment, and escape spaces and letters beyond ASCII."
        case .unresolved: "Check the host."
        case .forbiddenAddress: "Private networks are permitted by the setting outbound.privateNetworks."
        case .tooManyLookups, .unreachable, .untrusted, .timeout, .tooLarge, .status, .broken: nil
        }
    }
}
