import AuthCore
import AuthFlows
import Hummingbird
import NIOCore
import WalletAuthWire

/// What holds for a request to any route.
struct RequestLimits: Sendable {
    let maxBodyBytes: Int
    /// Whether the issuer is https: then a request that reached a proxy in plain is refused.
    let requiresTLS: Bool
}

/// Meets a route's demands, reads the body, calls the handler, and tells every fault in the way that the route speaks.
struct RouteResponder: HTTPResponder {
    typealias Context = ServerRequestContext

    let route: Route
    let limits: RequestLimits
    let callers: CallerAnswers
    let faults: FaultAnswers

    func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
        var response: Response
        do {
            try Negotiation.check(request, against: route)
            if limits.requiresTLS, route.isConfidential, context.client.arrivedInPlain {
                throw RequestFault.plainTransport
            }
            let body = try await Self.body(of: request, route.body, limit: limits.maxBodyBytes)
            response = try await answer(EndpointRequest(request: request, context: context, body: body))
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

    /// The handler's answer, or why the caller is not let in. What is thrown past it says nothing of either.
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
        // Refused by its announced length before a byte of it is read.
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

/// Answers every other method of a route's path with 405 and the methods there are (RFC 9110 §15.5.6), and preflight
/// requests where other origins may read.
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
