import HTTPTypes
import Hummingbird
import Logging
import WalletAuthVerifier
import WalletAuthWire

/// Verifies the access token of a request, or responds as the standards prescribe: 401 and 403 with their challenges.
///
/// Copy this file, ``BackendContext`` and ``Response`` below into a Hummingbird service of your own; nothing in them is
/// specific to wallets.
struct AccessMiddleware: RouterMiddleware {
    typealias Context = BackendContext

    let verifier: AccessTokenVerifier
    /// The requirements of the routes behind this middleware: scopes, strength and age of the sign-in, a bound token.
    let requirement: AccessRequirement

    func handle(
        _ request: Request, context: BackendContext,
        next: (Request, BackendContext) async throws -> Response
    ) async throws -> Response {
        // Pass every header of the two names, since two of them are an attack, and the path as received, since the
        // proof names it.
        let presented = PresentedRequest(
            method: request.method.rawValue, path: request.head.path ?? "",
            authorization: request.headers.values(of: "authorization"),
            proofs: request.headers.values(of: "dpop"))
        do {
            let (person, access) = try await verifier.verifyPerson(presented, for: requirement)
            var context = context
            context.person = person
            var response = try await next(request, context)
            // The client's next nonce, if nonces are required.
            response.append(access.responseHeaders)
            return response
        } catch let refusal as AccessRefusal {
            context.logger.info(
                "a request was refused", metadata: ["code": "\(refusal.code.rawValue)", "reason": "\(refusal.reason)"])
            return Response(refusal.answer)
        }
    }
}

extension HTTPFields {
    /// All values of a header.
    ///
    /// - Parameter name: the header's name in lower case.
    func values(of name: String) -> [String] { filter { $0.name.canonicalName == name }.map(\.value) }
}

extension Response {
    /// Creates the response for a verifier's answer.
    init(_ answer: ProblemAnswer) {
        self.init(
            status: HTTPResponse.Status(code: answer.status),
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
        append(answer.headers)
    }

    /// Creates the response with a resource's metadata.
    init(_ metadata: ResourceMetadataDocument) {
        self.init(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(bytes: metadata.body)))
        append(metadata.headers)
    }

    /// Adds fields instead of setting them: `WWW-Authenticate` may appear twice.
    mutating func append(_ fields: [HeaderField]) {
        for field in fields {
            guard let name = HTTPField.Name(field.name) else { continue }
            headers.append(HTTPField(name: name, value: field.value))
        }
    }
}
