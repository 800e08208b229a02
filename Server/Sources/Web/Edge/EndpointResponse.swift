package import HTTPTypes
package import Kernel
package import WalletAuthWire

/// The answer of an endpoint.
package struct EndpointResponse: Sendable {
    package var status: HTTPResponse.Status
    package var headers: HTTPFields
    package var body: [UInt8]
    /// For the log, if the answer refuses the request.
    package private(set) var refusal: LoggedRefusal?

    package init(status: HTTPResponse.Status, headers: HTTPFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// A JSON response, written straight into one buffer.
    package static func json(_ status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) -> Void) -> Self {
        var writer = JSONWriter()
        writer.beginObject()
        write(&writer)
        writer.endObject()
        return .bytes(status, type: "application/json", writer.bytes)
    }

    package static func bytes(_ status: HTTPResponse.Status = .ok, type: String, _ bytes: [UInt8]) -> Self {
        Self(status: status, headers: [.contentType: type], body: bytes)
    }

    /// The answer as a refusal, which the log names.
    /// - Parameters:
    ///   - code: the one of the answer.
    ///   - reason: one sentence for the developer, without secrets and anything personal.
    package func refused(_ code: String, _ reason: String? = nil, redirect: RedirectMismatch? = nil) -> Self {
        var response = self
        response.refusal = LoggedRefusal(code, reason: reason, redirect: redirect)
        return response
    }

    /// A problem document (RFC 9457).
    package static func problem(_ status: HTTPResponse.Status, code: String, _ document: JSONObject) -> Self {
        .bytes(status, type: Problem.contentType, document.bytes).refused(code, document["detail"]?.string)
    }

    package static func html(_ status: HTTPResponse.Status = .ok, _ text: String) -> Self {
        .bytes(status, type: "text/html; charset=utf-8", Array(text.utf8))
    }
}

extension EndpointResponse {
    /// Adds `DPoP-Nonce` (RFC 9449 §8.2), unless the refusal already set one.
    package mutating func offerNonce(_ proofs: ProofOfPossession) {
        guard !headers.contains(.dpopNonce) else { return }
        let nonce = proofs.currentNonce()
        if !nonce.isEmpty { headers[.dpopNonce] = nonce }
    }

    /// Adds the nonce only if the client sent a proof. Such a client then has the nonce for its next proof and never
    /// runs into `use_dpop_nonce` again.
    package mutating func offerNonce(_ proofs: ProofOfPossession, answering proof: PresentedProof) {
        if proof.header != nil { offerNonce(proofs) }
    }
}
