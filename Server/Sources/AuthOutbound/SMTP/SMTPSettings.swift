/// How mail leaves.
public struct SMTPSettings: Sendable {
    /// How the connection is kept from being read and changed.
    public enum Security: String, Sendable, Hashable, CaseIterable {
        /// TLS after the greeting (RFC 3207), and no mail without it.
        case starttls
        /// TLS from the first byte (RFC 8314 §3.3).
        case tls
        /// None, to this machine alone.
        case none

        /// The port that is usual for it.
        public var usualPort: Int {
            switch self {
            case .starttls: 587
            case .tls: 465
            case .none: 25
            }
        }
    }

    /// A user name and a password; neither is shown by any description.
    public struct Credentials: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        let username: String
        let password: String

        /// - Parameters:
        ///   - username: without a zero byte.
        ///   - password: without a zero byte.
        public init(username: String, password: String) {
            self.username = username
            self.password = password
        }

        /// Neither of the two.
        public var description: String { "<redacted>" }
        /// Neither of the two.
        public var debugDescription: String { "<redacted>" }
        /// Neither of the two.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The server's name, or its address.
    public var host: String
    /// The server's port.
    public var port: Int
    /// How the connection is protected.
    public var security: Security
    /// What the server is given to let us send; `nil` where it asks for nothing.
    public var credentials: Credentials?
    /// Whose certificates are believed.
    public var trustRoots: TrustRoots
    /// Who the mail is from.
    public var sender: Mailbox
    /// What this server calls itself: a host name.
    public var clientName: String
    /// How long everything for one message may take.
    public var timeout: Duration

    /// Each parameter is the property of its name.
    public init(
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
