import HTTPTypes
import Hummingbird
import Logging
import WalletAuthVerifier
import WalletAuthWire

/// Lets a request in by its access token, or answers as the standards say: 401 and 403 with their challenges.
///
/// Copy this file, ``BackendContext`` and ``Response`` below into a Hummingbird service of your own; nothing in them knows
/// of wallets.
struct AccessMiddleware: RouterMiddleware {
    typealias Context = BackendContext

    let verifier: AccessTokenVerifier
    /// What the routes behind this need: scopes, how strong and how fresh the sign-in is, a bound token.
    let requirement: AccessRequirement

    func handle(
        _ request: Request, context: BackendContext,
        next: (Request, BackendContext) async throws -> Response
    ) async throws -> Response {
        // Every header of the two names, since two of them are an attack; the path as it came, since the proof names it.
        let presented = PresentedRequest(
            method: request.method.rawValue, path: request.head.path ?? "",
            authorization: request.headers.values(of: "authorization"),
            proofs: request.headers.values(of: "dpop"))
        do {
            let (person, access) = try await verifier.verifyPerson(presented, for: requirement)
            var context = context
            context.person = person
            var response = try await next(request, context)
            // The client's next nonce, where nonces are asked for.
            response.append(access.responseHeaders)
            return response
        } catch let refusal as AccessRefusal {
            context.logger.info(
                "not let in", metadata: ["code": "\(refusal.code.rawValue)", "reason": "\(refusal.reason)"])
            return Response(refusal.answer)
        }
    }
}

extension HTTPFields {
    /// Every value of a header.
    /// - Parameter name: its name in lower case.
    func values(of name: String) -> [String] { filter { $0.name.canonicalName == name }.map(\.value) }
}

extension Response {
    /// What the verifier answers with, as it is.
    init(_ answer: ProblemAnswer) {
        self.init(
            status: HTTPResponse.Status(code: answer.status),
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
        append(answer.headers)
    }

    /// Fields are added and not set: `WWW-Authenticate` may stand twice.
    mutating func append(_ fields: [HeaderField]) {
        for field in fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            headers.append(HTTPField(name: name, value: field.value))
        }
    }
}
