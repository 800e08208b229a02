public import Foundation
import WalletAuthTransport

/// Sends one HTTP request and returns its response.
///
/// An adapter must meet these requirements:
/// - It never follows a redirect. It returns the 3xx response as is, because following it would carry tokens to an
///   unintended host.
/// - It verifies certificates by the platform's rules, and has no switch to turn that off.
/// - It caches nothing, and neither sends nor stores cookies.
/// - It repeats nothing: the SDK decides what may be sent twice.
/// - When the task is cancelled, it ends the request and throws `CancellationError` (or ``TransportFailure`` with
///   ``TransportFailure/Kind/lost``).
public protocol HTTPTransport: Sendable {
    /// Sends `request` once.
    /// - Parameter request: the request; headers and body are sent as they are.
    /// - Returns: the response, whatever its status.
    /// - Throws: ``TransportFailure`` if there is no response, `CancellationError` if the task was cancelled.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse
}

/// An HTTP request with its body in memory.
public struct HTTPRequest: Sendable {
    /// The method in upper case, for example `POST`.
    public var method: String
    /// The absolute URL.
    public var url: URL
    /// Header fields in the order of sending.
    public var headers: HTTPFields
    /// The body, or nil for none.
    public var body: Data?
    /// How long to wait for the complete response.
    public var timeout: Duration

    /// Creates a request.
    /// - Parameters:
    ///   - method: the method in upper case.
    ///   - url: the absolute URL.
    ///   - headers: the header fields.
    ///   - body: the body, or nil for none.
    ///   - timeout: how long to wait for the complete response.
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

/// The response to an ``HTTPRequest``.
public struct HTTPResponse: Sendable {
    /// The status, 100 to 599.
    public var status: Int
    /// Header fields; names are case-insensitive.
    public var headers: HTTPFields
    /// The body, empty if there is none.
    public var body: Data

    /// Creates a response.
    /// - Parameters:
    ///   - status: 100 to 599.
    ///   - headers: the header fields.
    ///   - body: the body, empty if there is none.
    public init(status: Int, headers: HTTPFields = HTTPFields(), body: Data = Data()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Ordered header fields with case-insensitive names, which may repeat.
public struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
    /// The fields in the order of sending.
    public private(set) var all: [(name: String, value: String)] = []

    /// Creates an empty list of fields.
    public init() {}

    /// Creates a list of fields.
    /// - Parameter fields: names and values in the order of sending.
    public init(_ fields: some Sequence<(name: String, value: String)>) {
        all = Array(fields)
    }

    /// Creates a list of fields in the order written.
    /// - Parameter elements: names and values.
    public init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { (name: $0.0, value: $0.1) }
    }

    /// The first value with this name. Setting it replaces all fields with the name; nil removes them.
    /// - Parameter name: the case-insensitive name.
    public subscript(name: String) -> String? {
        get { all.first { Self.same($0.name, name) }?.value }
        set {
            all.removeAll { Self.same($0.name, name) }
            if let newValue { all.append((name: name, value: newValue)) }
        }
    }

    /// Returns all values with this name, in order.
    /// - Parameter name: the case-insensitive name.
    public func values(_ name: String) -> [String] {
        all.filter { Self.same($0.name, name) }.map(\.value)
    }

    /// Adds a field without replacing others of the same name.
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

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    /// Method, origin and path: everything else may be secret, also what comes before the host.
    public var description: String {
        let place = (url.bracketedHost ?? "") + (url.port.map { ":\($0)" } ?? "")
        return "\(method) \(url.scheme ?? "")://\(place)\(url.path(percentEncoded: true))"
    }

    /// An empty mirror, without headers and body.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// The status: the body may contain tokens.
    public var description: String { "\(status)" }

    /// An empty mirror, without headers and body.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HTTPFields: CustomStringConvertible, CustomReflectable {
    /// The names, without the values.
    public var description: String { all.map { $0.name }.joined(separator: ", ") }

    /// An empty mirror, without the values.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The reason a request got no response. What matters is whether the server may have acted on it.
public struct TransportFailure: Error, Sendable, Equatable {
    /// What is known about the request.
    public enum Kind: Sendable, Equatable {
        /// No network or no route: the request was never sent.
        case offline
        /// The server could not be reached or refused the connection: the request was never sent.
        case unreachable
        /// The secure connection failed (certificate, protocol): the request was never sent.
        case untrusted
        /// The request may have been sent, but its response was lost (connection dropped, timeout).
        case lost
    }

    /// What is known about the request.
    public let kind: Kind
    /// A diagnostic text for developers; never contains a header, a body or a query string.
    public let reason: String

    /// Creates a failure.
    /// - Parameters:
    ///   - kind: what is known about the request.
    ///   - reason: a diagnostic text for developers, without header, body or query string.
    public init(_ kind: Kind, reason: String) {
        self.kind = kind
        self.reason = reason
    }
}
