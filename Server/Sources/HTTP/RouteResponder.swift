import Core
import Hummingbird
import Kernel
import NIOCore
import Operations
import SignIn
import WalletAuthWire

/// Limits of every route.
struct RequestLimits: Sendable {
    let maxBodyBytes: Int
    /// Whether the issuer is https. A request that reached a proxy in plain HTTP is then refused.
    let requiresTLS: Bool
}

/// Checks a request against its route, reads the body, calls the handler, and renders every fault in the route's error
/// format.
struct RouteResponder: HTTPResponder {
    typealias Context = ServerRequestContext

    let route: Route
    let limits: RequestLimits
    let callers: CallerAnswers
    let faults: FaultAnswers

    func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
        guard route.isTimeless || callers.server.context.clocks.check().allowsRequests else {
            var refusal = faults.response(toDisagreeingClocks: route.errorFormat, context)
            if case .any = route.origins { CrossOrigin.expose(&refusal) }
            return refusal
        }
        var response: Response
        do {
            try Negotiation.check(request, against: route)
            if limits.requiresTLS, route.isConfidential, context.client.arrivedInPlain {
                throw RequestFault.plainTransport
            }
            let body = try await Self.body(of: request, route.body, limit: limits.maxBodyBytes)
            response = try await answer(
                EndpointRequest(request: request, path: route.path, context: context, body: body))
        } catch let fault as RequestFault {
            response = faults.response(to: fault, route.errorFormat, context)
        } catch let fault as MalformedValue {
            response = faults.response(to: .malformed(fault.description), route.errorFormat, context)
        } catch let error as OAuthError {
            response = .error(error)
        } catch {
            response = faults.response(toInfrastructure: error, route.errorFormat, context)
        }
        if case .any = route.origins { CrossOrigin.expose(&response) }
        return response
    }

    /// The handler's answer, or the refusal of the caller. Any other error says nothing about either.
    private func answer(_ request: EndpointRequest) async throws -> Response {
        var response: Response
        do {
            response = try await route.handler(request, callers.server.callers)
        } catch let refusal as OAuthRefusal where !route.callers.isEmpty {
            response = callers.response(to: refusal, request, on: route)
        } catch let refusal as DeviceCallRefusal where !route.callers.isEmpty {
            response = callers.response(to: refusal, request)
        }
        callers.offerNonce(&response, request, on: route)
        return response
    }

    private static func body(of request: Request, _ kind: Route.Body, limit: Int) async throws -> [UInt8] {
        if case .none = kind { return [] }
        if case .formOrIgnored = kind, !Negotiation.isForm(request) { return [] }
        // Checked against the announced length before any of the body is read.
        if let announced = request.headers[.contentLength], let length = Int(announced), length > limit {
            throw RequestFault.bodyTooLarge(limit)
        }
        do {
            let buffer = try await request.body.collect(upTo: limit)
            return Array(buffer.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw RequestFault.bodyTooLarge(limit)
        } catch {
            throw RequestFault.bodyTruncated
        }
    }
}

/// Answers every other method of a path with 405 and the allowed methods (RFC 9110 §15.5.6). Answers preflight requests
/// on routes that other origins may read.
struct OtherMethodResponder: HTTPResponder {
    typealias Context = ServerRequestContext

    let methods: [HTTPRequest.Method]
    let errorFormat: Route.ErrorFormat
    let origins: Route.Origins
    let faults: FaultAnswers

    func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
        if request.method == .options {
            if case .any = origins { return CrossOrigin.preflight(for: methods) }
        }
        return faults.response(to: .methodNotAllowed(methods), errorFormat, context)
    }
}
