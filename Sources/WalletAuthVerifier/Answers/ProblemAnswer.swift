public import WalletAuthWire

/// A refusal as an HTTP response: status, header fields and a body (RFC 9457). Send it unchanged with any framework.
public struct ProblemAnswer: Hashable, Sendable {
    /// The status.
    public let status: Int
    /// The header fields, including `Content-Type`. `WWW-Authenticate` may appear more than once: add the fields
    /// instead of setting them.
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
    /// The 403 response that tells the app how the person can give consent.
    public var answer: ProblemAnswer { ProblemAnswer(status: Self.httpStatus, json: json) }
}
