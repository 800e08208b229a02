/// Sends one HTTP request to the authorization server and returns its answer.
///
/// The names here are the verifier's own, since a server framework brings an `HTTPRequest` of its own into every file.
/// A busy backend adapts its HTTP client to this; ``FoundationTransport`` serves if there is none.
///
/// What an adapter has to keep:
/// - A redirect is never followed: a followed redirect would let another host speak as the issuer.
/// - Certificates are verified; there is no switch that turns this off.
/// - Nothing is cached, and nothing is repeated: the verifier decides what may be sent twice.
/// - An answer longer than ``OutboundRequest/maximumAnswer`` is given up, and so is one that takes longer than
///   ``OutboundRequest/timeout``.
public protocol BackendTransport: Sendable {
    /// Sends `request` once.
    /// - Parameter request: what to send, its headers and body as they are.
    /// - Returns: the answer, whatever its status.
    /// - Throws: ``OutboundFailure`` where there is no answer. Any other error counts as a lost answer.
    func send(_ request: OutboundRequest) async throws -> OutboundResponse
}

/// A header field of a request or an answer.
public struct HeaderField: Hashable, Sendable {
    /// The name; case does not count.
    public var name: String
    /// The value.
    public var value: String

    /// Names a field.
    /// - Parameters:
    ///   - name: the name.
    ///   - value: the value.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request to the authorization server, its body in memory.
public struct OutboundRequest: Sendable {
    /// The method in capitals.
    public var method: String
    /// The absolute URL.
    public var url: String
    /// The header fields.
    public var headers: [HeaderField]
    /// The body; nil for none.
    public var body: [UInt8]?
    /// How long to wait for the whole answer.
    public var timeout: Duration
    /// The longest body that is read, in bytes.
    public var maximumAnswer: Int

    /// Creates a request. Each parameter sets the property of the same name.
    public init(
        method: String, url: String, headers: [HeaderField] = [], body: [UInt8]? = nil,
        timeout: Duration = .seconds(5), maximumAnswer: Int = 65_536
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maximumAnswer = maximumAnswer
    }
}

/// The answer to an ``OutboundRequest``.
public struct OutboundResponse: Sendable {
    /// The status, 100 to 599.
    public var status: Int
    /// The header fields.
    public var headers: [HeaderField]
    /// The body, empty if there is none.
    public var body: [UInt8]

    /// Creates an answer. Each parameter sets the property of the same name.
    public init(status: Int, headers: [HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The values of a header, joined as RFC 9110 §5.3 allows; nil if there is none.
    func header(_ name: String) -> String? {
        let name = name.lowercased()
        let values = headers.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// `Retry-After` in seconds (RFC 9110 §10.2.3); dates, which no server of ours sends, are not read.
    var retryAfter: Duration? {
        header("Retry-After").flatMap { Int64($0) }.flatMap { $0 >= 0 ? .seconds(min($0, 86_400)) : nil }
    }
}

/// Why a request got no answer. The difference that matters is whether the server may have acted on it.
public struct OutboundFailure: Error, Hashable, Sendable {
    /// What is known about the request.
    public enum Kind: Hashable, Sendable {
        /// It was never sent: no route, no such host, connection refused.
        case notSent
        /// It was never sent, since the secure connection could not be made.
        case untrusted
        /// It may have been sent, and its answer was lost.
        case lost
    }

    /// What is known about the request.
    public let kind: Kind
    /// For whoever looks for the cause; never a header, a body or a query.
    public let reason: String

    /// Creates a failure.
    /// - Parameters:
    ///   - kind: what is known about the request.
    ///   - reason: for whoever looks for the cause.
    public init(_ kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// What an adapter threw.
    init(_ error: any Error) {
        self = error as? OutboundFailure ?? OutboundFailure(.lost, reason: "the transport failed: \(type(of: error))")
    }
}

extension OutboundRequest: CustomStringConvertible, CustomReflectable {
    /// Method and URL: headers and body hold credentials.
    public var description: String { "\(method) \(url)" }

    /// Without children, so that `dump` shows no credential.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension OutboundResponse: CustomStringConvertible, CustomReflectable {
    /// The status: the body may hold a token.
    public var description: String { "\(status)" }

    /// Without children, so that `dump` shows no token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
