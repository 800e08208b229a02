package struct SMTPSettings: Sendable {
    /// The protection of the connection.
    package enum Security: String, Sendable, Hashable, CaseIterable {
        /// TLS after the greeting (RFC 3207), and no mail without it.
        case starttls
        /// TLS from the first byte (RFC 8314 §3.3).
        case tls
        /// No TLS, only for a server on this machine.
        case none

        package var usualPort: Int {
            switch self {
            case .starttls: 587
            case .tls: 465
            case .none: 25
            }
        }
    }

    package struct Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        let username: String
        let password: String

        /// Neither value may contain a zero byte.
        package init(username: String, password: String) {
            self.username = username
            self.password = password
        }

        package var description: String { "<redacted>" }
        package var debugDescription: String { "<redacted>" }
        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// A name or an address.
    package var host: String
    package var port: Int
    package var security: Security
    /// `nil` if the server requires no sign-in.
    package var credentials: Credentials?
    package var trustRoots: TrustRoots
    /// The sender of the mail.
    package var sender: Mailbox
    /// This server's host name in EHLO.
    package var clientName: String
    /// The limit for everything about one message.
    package var timeout: Duration

    package init(
        host: String, port: Int, security: Security, credentials: Credentials? = nil, trustRoots: TrustRoots = .system,
        sender: Mailbox, clientName: String, timeout: Duration = .seconds(45)
    ) {
        self.host = host
        self.port = port
        self.security = security
        self.credentials = credentials
        self.trustRoots = trustRoots
        self.sender = sender
        self.clientName = clientName
        self.timeout = timeout
    }
}
