/// Why a connection to somebody else came to nothing. No case carries a text of the other side: it may hold what belongs
/// in no log, such as the address that a message was for.
package enum OutboundFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The URL is none that is connected to: its scheme, host or credentials are not allowed.
    case unusableURL
    /// The host has no address.
    case unresolved
    /// Too many names are being looked up already: some resolver does not answer.
    case tooManyLookups
    /// The host's addresses are none that may be connected to.
    case forbiddenAddress
    /// Without TLS only this machine is spoken to.
    case plainText
    /// Nothing accepts connections there.
    case unreachable
    /// The certificate is not one that is trusted for this host, or TLS did not come about.
    case untrusted
    /// The other side took too long.
    case timeout
    /// The answer is larger than what is read.
    case tooLarge
    /// The other side answered, with this HTTP status instead of one that was hoped for.
    case status(Int)
    /// The connection broke, or what came is not of the protocol.
    case broken

    /// What happened, for a log and for the doctor.
    package var description: String {
        switch self {
        case .unusableURL: "the URL cannot be used"
        case .unresolved: "the host name has no address"
        case .tooManyLookups: "too many host names are being looked up"
        case .forbiddenAddress: "the host has no address to which connections are allowed"
        case .plainText: "without TLS only connections to this machine are allowed"
        case .unreachable: "nothing accepts connections there"
        case .untrusted: "TLS failed, or the certificate is not trusted for this host"
        case .timeout: "the other side took too long"
        case .tooLarge: "the answer is too large"
        case .status(let status): "the answer has the status \(status)"
        case .broken: "the connection broke, or the answer does not follow the protocol"
        }
    }
}
