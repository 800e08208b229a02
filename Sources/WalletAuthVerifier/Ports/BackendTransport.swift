/// Sends an HTTP request to the authorization server and returns its response.
///
/// The verifier has its own types for this, since most server frameworks already have an `HTTPRequest`. In a busy
/// backend, adapt your HTTP client; ``FoundationTransport`` is there if you have none.
///
/// An adapter must keep these rules:
///
/// - It never follows a redirect, which would let another host speak as the issuer.
/// - It verifies certificates and has no switch to turn that off.
/// - It neither caches nor retries: the verifier decides which requests may be sent twice.
/// - It gives up on a response that is longer than ``OutboundRequest/maximumAnswer`` or takes longer than
///   ``OutboundRequest/timeout``.
public protocol BackendTransport: Sendable {
    /// Sends `request` once.
    ///
    /// - Parameter request: the request. Send its headers and body unchanged.
    /// - Returns: the response, whatever its status.
    /// - Throws: ``OutboundFailure`` if there is no response. Any other error counts as a lost response.
    func send(_ request: OutboundRequest) async throws -> OutboundResponse
}

/// A header field of a request or a response.
public struct HeaderField: Hashable, Sendable {
    /// The name, which is not case-sensitive.
    public var name: String
    /// The value.
    public var value: String

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: the name.
    ///   - value: the value.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// A request to the authorization server, with its body in memory.
public struct OutboundRequest: Sendable {
    /// The method, in capitals.
    public var method: String
    /// The absolute URL.
    public var url: String
    /// The header fields.
    public var headers: [HeaderField]
    /// The body; nil for none.
    public var body: [UInt8]?
    /// The time limit for the whole response.
    public var timeout: Duration
    /// The longest body to accept, in bytes.
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

/// The response to an ``OutboundRequest``.
public struct OutboundResponse: Sendable {
    /// The status, 100 to 599.
    public var status: Int
    /// The header fields.
    public var headers: [HeaderField]
    /// The body, empty if there is none.
    public var body: [UInt8]

    /// Creates a response. Each parameter sets the property of the same name.
    public init(status: Int, headers: [HeaderField] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The values of a header, joined as RFC 9110 §5.3 allows; nil if there are none.
    func header(_ name: String) -> String? {
        let name = name.lowercased()
        let values = headers.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// `Retry-After` in seconds (RFC 9110 §10.2.3). Dates are ignored, because the server never sends them.
    var retryAfter: Duration? {
        header("Retry-After").flatMap { Int64($0) }.flatMap { $0 >= 0 ? .seconds(min($0, 86_400)) : nil }
    }
}

/// A request without a response. Its kind says whether the server may have acted on it.
public struct OutboundFailure: Error, Hashable, Sendable {
    /// Whether the request may have reached the server.
    public enum Kind: Hashable, Sendable {
        /// It was not sent: no route, no such host, or connection refused.
        case notSent
        /// It was not sent, because no secure connection could be made.
        case untrusted
        /// It may have been sent, and its response was lost.
        case lost
    }

    /// Whether the request may have reached the server.
    public let kind: Kind
    /// Diagnostic text for developers; it never contains a header, a body or a query.
    public let reason: String

    /// Creates a failure.
    ///
    /// - Parameters:
    ///   - kind: whether the request may have reached the server.
    ///   - reason: diagnostic text for developers.
    public init(_ kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// Creates the failure for any error of an adapter.
    init(_ error: any Error) {
        self = error as? OutboundFailure ?? OutboundFailure(.lost, reason: "the transport failed: \(type(of: error))")
    }
}

extension OutboundRequest: CustomStringConvertible, CustomReflectable {
    /// Method and URL only: headers and body hold credentials.
    public var description: String { "\(method) \(url)" }

    /// No children, so that `dump` shows no credentials.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension OutboundResponse: CustomStringConvertible, CustomReflectable {
    /// The status only: the body may hold a token.
    public var description: String { "\(status)" }

    /// No children, so that `dump` shows no token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
