import Core
import Hummingbird
import Kernel
import NIOCore
import SignIn
import WalletAuthWire
import Web

/// Limits of every route.
struct RequestLimits: Sendable {
    let maxBodyBytes: Int
    /// Whether the issuer is https. A request that reached a proxy in plain HTTP is then refused, and
    /// one whose proxy does not say how it did.
    let requiresTLS: Bool
}

/// Checks a request against its route, reads the body, calls the handler, and renders every fault in the route's error
/// format.
struct RouteResponder: HTTPResponder {
    typealias Context = ServerRequestContext

    let route: Route
    let limits: RequestLimits
    let callers: Callers
    let answers: CallerAnswers
    let clocks: ClockMonitor
    let faults: FaultAnswers

    func respond(to request: Request, context: ServerRequestContext) async throws -> Response {
        var endpointRequest = EndpointRequest(
            head: request.head, requestedPath: request.uri.path, queryText: request.uri.query, path: route.path,
            context: context.facts, body: [])
        var response = await answer(to: request, &endpointRequest)
        context.refusal.note(response, to: endpointRequest)
        if case .any = route.origins { CrossOrigin.expose(&response) }
        return Response(response)
    }

    /// - Parameter endpointRequest: without its body, which is read here.
    private func answer(to request: Request, _ endpointRequest: inout EndpointRequest) async -> EndpointResponse {
        let facts = endpointRequest.context
        guard route.isTimeless || clocks.check().allowsRequests else {
            return faults.response(toDisagreeingClocks: route.errorFormat, facts)
        }
        do {
            try Negotiation.check(request, against: route)
            if limits.requiresTLS, route.isConfidential {
                if facts.client.arrivedInPlain { throw RequestFault.plainTransport }
                if facts.client.isOfSilentProxy { throw RequestFault.silentProxy }
            }
            endpointRequest.body = try await Self.body(of: request, route.body, limit: limits.maxBodyBytes)
            return try await answer(endpointRequest)
        } catch let fault as RequestFault {
            return faults.response(to: fault, route.errorFormat, facts)
        } catch let fault as MalformedValue {
            return faults.response(to: .malformed(fault.description), route.errorFormat, facts)
        } catch let error as OAuthError {
            return .error(error)
        } catch {
            return faults.response(toInfrastructure: error, route.errorFormat, facts)
        }
    }

    /// The handler's answer, or the refusal of the caller. Any other error says nothing about either.
    private func answer(_ request: EndpointRequest) async throws -> EndpointResponse {
        var response: EndpointResponse
        do {
            response = try await PageLanguage.$current.withValue(pageLanguage(of: request)) {
                try await PageZone.$current.withValue(pageZone(of: request)) {
                    try await route.handler(request, callers)
                }
            }
        } catch let refusal as OAuthRefusal where !route.callers.isEmpty {
            response = answers.response(to: refusal, request, on: route)
        } catch let refusal as PINRefusal where !route.callers.isEmpty {
            response = answers.pins.answer(to: refusal, request)
        }
        answers.offerNonce(&response, request, on: route)
        return response
    }

    private func pageZone(of request: EndpointRequest) -> PageZone? {
        if case .page = route.errorFormat { PageZone(of: request) } else { nil }
    }

    private func pageLanguage(of request: EndpointRequest) -> Language? {
        guard case .page = route.errorFormat else { return nil }
        return .choose(
            locales: Language.asked(in: request.context.query), acceptLanguage: request.context.acceptLanguage)
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
            if case .any = origins { return Response(CrossOrigin.preflight(for: methods)) }
        }
        let response = faults.response(to: .methodNotAllowed(methods), errorFormat, context.facts)
        context.refusal.note(response, to: nil)
        return Response(response)
    }
}

extension Response {
    init(_ response: EndpointResponse) {
        self.init(
            status: response.status, headers: response.headers,
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: response.body)))
    }
}
