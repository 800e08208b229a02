/// An error outside OAuth (RFC 9457, `application/problem+json`), with our code and status number.
public struct Problem: Error, Hashable, Sendable {
    /// The media type.
    public static let contentType = "application/problem+json"

    /// A URI for the kind of problem; `about:blank` if the status says it all.
    public var type: String
    /// A fixed description of the kind.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// Our code, for programs to switch on: an ``ErrorCode``, or an endpoint's own code.
    public var code: String
    /// A description of this occurrence, never with anything secret.
    public var detail: String?
    /// The number that older wallet apps switch on.
    public var statusCode: Int?
    /// The request's trace id, for finding it in the logs.
    public var traceID: String?
    /// The tries left, if a wrong PIN was charged.
    public var remainingAttempts: Int?
    /// True if the event of a consent has ended because the person refused it, so that nothing was carried out.
    public var refused: Bool?
    /// The reason the PIN is locked, if it is.
    public var lockReason: PINLockReason?

    /// Creates a problem.
    /// - Parameters:
    ///   - status: the HTTP status.
    ///   - code: our code.
    ///   - title: a description of the kind.
    ///   - detail: a description of this occurrence.
    ///   - statusCode: the number that older wallet apps switch on.
    ///   - traceID: the request's trace id.
    ///   - type: a URI for the kind.
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

    /// Reads a problem. Every member has a default (RFC 9457 §3.1).
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
        refused = object["refused"]?.bool
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
        object.set("refused", refused)
        object.set("lockReason", lockReason?.rawValue)
        return object
    }
}

extension Problem: WireShaped {
    /// Its members. An endpoint's own codes may come with others.
    public static let shape = WireShape.answer(
        Problem.self,
        [
            .required("type", .text(nil)), .required("title", .text(nil)), .required("status", .integer(100...599)),
            .required("code", .text(nil)), .optional("detail", .text(nil)),
            .optional("statusCode", .integer(100...9999)), .optional("traceId", .text(nil)),
            .optional("remainingAttempts", .integer(0...1000)), .optional("refused", .truth),
            .optional("lockReason", .of(PINLockReason.self)),
        ])
}
