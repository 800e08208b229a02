public import Foundation

/// Sends one HTTP request and returns its answer.
///
/// What an adapter has to keep:
/// - A redirect is never followed: the 3xx answer is returned as it came, because a followed redirect would carry
///   tokens to a host nobody chose.
/// - Certificates are verified by the platform's rules; there is no switch that turns this off.
/// - Nothing is cached, no cookie is sent or kept.
/// - Nothing is repeated: the SDK decides what may be sent twice.
/// - Cancelling the task ends the request and throws `CancellationError` (or ``TransportFailure`` with
///   ``TransportFailure/Kind/lost``).
public protocol HTTPTransport: Sendable {
    /// Sends `request` once.
    /// - Parameter request: what to send, its headers and body as they are.
    /// - Returns: the answer, whatever its status.
    /// - Throws: ``TransportFailure`` when there is no answer, `CancellationError` when the task was cancelled.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// An HTTP request with its body in memory.
public struct HTTPRequest: Sendable {
    /// The method in capitals, for example `POST`.
    public var method: String
    /// The absolute URL.
    public var url: URL
    /// Header fields in the order in which they are sent.
    public var headers: HTTPFields
    /// The body, or nil for none.
    public var body: Data?
    /// How long to wait for the whole answer.
    public var timeout: Duration

    /// Makes a request; the timeout is 30 seconds unless told.
    /// - Parameters:
    ///   - method: the method in capitals.
    ///   - url: the absolute URL.
    ///   - headers: the header fields.
    ///   - body: the body, or nil for none.
    ///   - timeout: how long to wait for the whole answer.
    public init(
        method: String, url: URL, headers: HTTPFields = HTTPFields(), body: Data? = nil,
        timeout: Duration = .seconds(30)
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
    }
}

/// The answer to an ``HTTPRequest``.
public struct HTTPResponse: Sendable {
    /// The status, 100 to 599.
    public var status: Int
    /// Header fields; names compare without regard to case.
    public var headers: HTTPFields
    /// The body, empty when there is none.
    public var body: Data

    /// Makes an answer.
    /// - Parameters:
    ///   - status: 100 to 599.
    ///   - headers: the header fields.
    ///   - body: the body, empty when there is none.
    public init(status: Int, headers: HTTPFields = HTTPFields(), body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Header fields: ordered, names without regard to case, a name may occur more than once.
public struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
    /// The fields as they are sent.
    public private(set) var all: [(name: String, value: String)] = []

    /// No fields.
    public init() {}

    /// The given fields.
    /// - Parameter fields: names and values in the order in which they are sent.
    public init(_ fields: some Sequence<(name: String, value: String)>) {
        all = Array(fields)
    }

    /// The given fields, in the order written.
    public init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The first field of that name; setting it replaces every field of the name, nil removes them.
    /// - Parameter name: without regard to case.
    public subscript(name: String) -> String? {
        get { all.first { Self.same($0.name, name) }?.value }
        set {
            all.removeAll { Self.same($0.name, name) }
            if let newValue { all.append((name: name, value: newValue)) }
        }
    }

    /// Every value of that name, in order.
    /// - Parameter name: without regard to case.
    public func values(_ name: String) -> [String] {
        all.filter { Self.same($0.name, name) }.map(\.value)
    }

    /// Adds a field beside those already there.
    /// - Parameters:
    ///   - name: the field's name.
    ///   - value: its value.
    public mutating func add(_ name: String, _ value: String) {
        all.append((name: name, value: value))
    }

    private static func same(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && zip(a.utf8, b.utf8).allSatisfy { lowercase($0) == lowercase($1) }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (65...90).contains(byte) ? byte | 0x20 : byte
    }
}

/// Why a request got no answer. The difference that matters is whether the server may have acted on it.
public struct TransportFailure: Error, Sendable, Equatable {
    /// What is known about the request.
    public enum Kind: Sendable, Equatable {
        /// No network or no route: the request was never sent.
        case offline
        /// The server could not be reached or refused the connection: the request was never sent.
        case unreachable
        /// The secure connection could not be made (certificate, protocol): the request was never sent.
        case untrusted
        /// The request may have been sent, but its answer was lost (connection dropped, timeout).
        case lost
    }

    /// What is known about the request.
    public let kind: Kind
    /// For a person who looks for the cause; never holds a header, a body or a query string.
    public let reason: String

    /// Makes a failure.
    /// - Parameters:
    ///   - kind: what is known about the request.
    ///   - reason: for a person who looks for the cause; without header, body or query string.
    public init(_ kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }
}
