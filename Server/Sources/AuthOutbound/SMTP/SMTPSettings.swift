/// How mail leaves.
package struct SMTPSettings: Sendable {
    /// How the connection is kept from being read and changed.
    package enum Security: String, Sendable, Hashable, CaseIterable {
        /// TLS after the greeting (RFC 3207), and no mail without it.
        case starttls
        /// TLS from the first byte (RFC 8314 §3.3).
        case tls
        /// None, to this machine alone.
        case none

        /// The port that is usual for it.
        package var usualPort: Int {
            switch self {
            case .starttls: 587
            case .tls: 465
            case .none: 25
            }
        }
    }

    /// A user name and a password; neither is shown by any description.
    package struct Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        let username: String
        let password: String

        /// - Parameters:
        ///   - username: without a zero byte.
        ///   - password: without a zero byte.
        package init(username: String, password: String) {
            self.username = username
            self.password = password
        }

        /// Neither of the two.
        package var description: String { "<redacted>" }
        /// Neither of the two.
        package var debugDescription: String { "<redacted>" }
        /// Neither of the two.
        package var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The server's name, or its address.
    package var host: String
    /// The server's port.
    package var port: Int
    /// How the connection is protected.
    package var security: Security
    /// What the server is given to let us send; `nil` where it asks for nothing.
    package var credentials: Credentials?
    /// Whose certificates are believed.
    package var trustRoots: TrustRoots
    /// Who the mail is from.
    package var sender: Mailbox
    /// What this server calls itself: a host name.
    package var clientName: String
    /// How long everything for one message may take.
    package var timeout: Duration

    /// Each parameter is the property of its name.
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
