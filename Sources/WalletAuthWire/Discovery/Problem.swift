/// An error outside of OAuth (RFC 9457, `application/problem+json`), with our code and number.
public struct Problem: Error, Hashable, Sendable {
    /// The media type.
    public static let contentType = "application/problem+json"

    /// A URI that names the kind of problem; `about:blank` where the status says it all.
    public var type: String
    /// The kind in words, always the same.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// Our code, which programs switch on: an ``ErrorCode``, or one of an endpoint's own.
    public var code: String
    /// This occurrence in words, never with anything secret in it.
    public var detail: String?
    /// The number that wallet apps switch on.
    public var statusCode: Int?
    /// The request's trace, by which an operator finds it in the logs.
    public var traceID: String?
    /// How many tries are left, where a wrong PIN was charged.
    public var remainingAttempts: Int?
    /// Why the PIN is locked, where it is.
    public var lockReason: PINLockReason?

    /// Makes a problem.
    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - code: our code.
    ///   - title: the kind in words.
    ///   - detail: this occurrence in words.
    ///   - statusCode: the number that wallet apps switch on.
    ///   - traceID: the request's trace.
    ///   - type: a URI that names the kind.
    public init(
        status: Int, code: String, title: String, detail: String? = nil, statusCode: Int? = nil, traceID: String? = nil,
        type: String = "about:blank"
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.code = code
        self.detail = detail
        self.statusCode = statusCode
        self.traceID = traceID
    }

    /// Reads a problem. RFC 9457 section 3.1 gives every member a default.
    /// - Parameter object: the body.
    public init(_ object: JSONObject) {
        type = object["type"]?.string ?? "about:blank"
        title = object["title"]?.string ?? ""
        status = object["status"]?.integer.flatMap { Int(exactly: $0) } ?? 0
        code = object["code"]?.string ?? ""
        detail = object["detail"]?.string
        statusCode = object["statusCode"]?.integer.flatMap { Int(exactly: $0) }
        traceID = object["traceId"]?.string
        remainingAttempts = object["remainingAttempts"]?.integer.flatMap { Int(exactly: $0) }
        lockReason = object["lockReason"]?.string.flatMap(PINLockReason.init)
    }

    /// The body.
    public var json: JSONObject {
        var object = JSONObject()
        object.set("type", type)
        object.set("title", title)
        object.set("status", Int64(status))
        object.set("code", code)
        object.set("detail", detail)
        object.set("statusCode", statusCode.map(Int64.init))
        object.set("traceId", traceID)
        object.set("remainingAttempts", remainingAttempts.map(Int64.init))
        object.set("lockReason", lockReason?.rawValue)
        return object
    }
}
