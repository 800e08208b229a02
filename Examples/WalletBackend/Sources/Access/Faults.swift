import HTTPTypes
import Hummingbird
import Logging
import WalletAuthVerifier
import WalletAuthWire

/// Turns the errors of handlers into problems (RFC 9457), so that an app handles one kind of error.
struct Faults: RouterMiddleware {
    typealias Context = BackendContext

    func handle(
        _ request: Request, context: BackendContext,
        next: (Request, BackendContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let problem as Problem {
            return Response(problem)
        } catch let fault as MalformedValue {
            return Response(
                Problem(
                    status: 400, code: "bad_request", title: "The request is malformed",
                    detail: fault.description))
        } catch let refusal as OperationRefusal {
            // The answer says only what an app needs to know. The reason goes to the log.
            context.logger.warning(
                "an operation was refused",
                metadata: [
                    "code": "\(refusal.code.rawValue)", "certainty": "\(refusal.certainty)",
                    "trace": "\(refusal.traceID ?? "")", "reason": "\(refusal.reason)",
                ])
            return Response(refusal.answer)
        } catch let error as TransactionCallError {
            context.logger.warning(
                "a transaction was refused",
                metadata: ["trace": "\(error.traceID ?? "")", "reason": "\(error.reason)", "advice": "\(error.advice)"])
            return Response(error.answer)
        } catch let error as any HTTPResponseError {
            return Response(
                Problem(
                    status: error.status.code, code: "http_\(error.status.code)",
                    title: error.status.reasonPhrase))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            context.logger.error("a request failed", metadata: ["error": "\(error)"])
            return Response(
                Problem(status: 500, code: "server_error", title: "The request could not be carried out"))
        }
    }
}

extension Response {
    /// Creates the response for a problem.
    init(_ problem: Problem) {
        self.init(.init(code: problem.status), type: Problem.contentType, problem.json.bytes)
    }

    /// Creates a response with JSON, which must not be cached: it is about a person's money.
    init(_ status: HTTPResponse.Status, type: String = "application/json", _ bytes: [UInt8]) {
        self.init(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension Request {
    /// The longest body to read, in bytes.
    static let longestBody = 16_384

    /// Parses the body as strict JSON: no duplicate member, and nothing after the document.
    func json() async throws -> JSONObject {
        let buffer = try await body.collect(upTo: Self.longestBody)
        return try JSONValue.object(parsing: Array(buffer.readableBytesView))
    }
}
