import HTTPTypes
import Hummingbird
import Logging
import WalletAuthVerifier
import WalletAuthWire

/// Answers what handlers throw as problems (RFC 9457), so that an app reads one kind of error.
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
            // The answer says no more than an app has to know; the log has the reason.
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
    /// A problem.
    init(_ problem: Problem) {
        self.init(.init(code: problem.status), type: Problem.contentType, problem.json.bytes)
    }

    /// JSON, which nobody keeps: it says what somebody has.
    init(_ status: HTTPResponse.Status, type: String = "application/json", _ bytes: [UInt8]) {
        self.init(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

extension Request {
    /// The longest body that is read.
    static let longestBody = 16_384

    /// The body as JSON, strictly: no doubled member, no second document behind the first.
    func json() async throws -> JSONObject {
        let buffer = try await body.collect(upTo: Self.longestBody)
        return try JSONValue.object(parsing: Array(buffer.readableBytesView))
    }
}
