public import WalletAuthWire

/// An answer that refuses: status, header fields and a body (RFC 9457), to be sent as it is by whatever framework.
public struct ProblemAnswer: Hashable, Sendable {
    /// The status.
    public let status: Int
    /// The header fields, `Content-Type` among them. `WWW-Authenticate` may stand more than once: add the fields, do not
    /// set them.
    public let headers: [HeaderField]
    /// The body's members.
    public let json: JSONObject

    /// The body in UTF-8.
    public var body: [UInt8] { json.bytes }

    init(status: Int, json: JSONObject, headers: [HeaderField] = []) {
        self.status = status
        self.json = json
        self.headers =
            [HeaderField("Content-Type", Problem.contentType), HeaderField("Cache-Control", "no-store")] + headers
    }

    init(_ problem: Problem, headers: [HeaderField] = []) {
        self.init(status: problem.status, json: problem.json, headers: headers)
    }
}

extension SCARequired {
    /// The 403 by which the app learns how its person can agree.
    public var answer: ProblemAnswer { ProblemAnswer(status: Self.httpStatus, json: json) }
}
