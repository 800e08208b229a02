import Consent
import Kernel
import SignIn
import WalletAuthWire

/// The caller a route requires, and the check for it. The check runs at the edge, and the handler gets the caller as a
/// value.
struct CallerRequirement<Admitted: Sendable>: Sendable {
    /// The admitted callers, for the route table.
    let callers: [Route.Caller]
    /// Authenticates the caller.
    /// - Throws: `OAuthRefusal` or `DeviceCallRefusal` if the caller is refused, or a fault if the request does not
    ///   identify one.
    let check: @Sendable (EndpointRequest, Callers) async throws -> Admitted
}

extension CallerRequirement where Admitted == AppCaller {
    /// The operator's own app, on behalf of the person signed in to it.
    static var app: Self {
        Self(callers: [.app]) { request, callers in try await callers.app(request.credentials()) }
    }
}

extension CallerRequirement where Admitted == BackendCaller {
    /// A backend on its own behalf, with a scope.
    static func backend(_ scope: String) -> Self {
        Self(callers: [.backend(scope: scope)]) { request, callers in
            try await callers.backend(request.credentials(), scope: scope)
        }
    }
}

// MARK: - Callers that the content names

/// The content of a request that a device signs. It names the device.
protocol DeviceContent: Sendable {
    var deviceID: DeviceID { get }

    init(_ object: JSONObject) throws(MalformedValue)
}

struct DeviceRequest<Content: DeviceContent>: Sendable {
    let call: DeviceCaller
    let content: Content
}

extension CallerRequirement {
    /// An enrolled device that signed the request. Without a signature the request has no caller, whatever its content
    /// claims.
    ///
    /// The path of the endpoint has no placeholder, or `{transactionId}`.
    /// - Parameters:
    ///   - content: the type of the body.
    ///   - endpoint: the endpoint that the signature covers.
    static func device<Content: DeviceContent>(
        _ content: Content.Type, at endpoint: Endpoint
    ) -> Self where Admitted == DeviceRequest<Content> {
        Self(callers: [.device]) { request, callers in
            guard let signature = try request.headers.single(.deviceSignature) else { throw callers.staleNonce }
            var path = endpoint.path
            if path.contains("{") {
                path = endpoint.path(try request.pathValue(as: TransactionID.self))
            }
            let content = try Content(request.json())
            let presented = PresentedDeviceSignature(
                deviceID: content.deviceID, path: path, body: request.body, signature: signature,
                idempotencyKey: try request.requiredIdempotencyKey(), origin: request.origin)
            return DeviceRequest(call: try await callers.device(presented), content: content)
        }
    }
}

/// The content of an app's request about an SCA event. It names the operation.
protocol EventContent: Sendable {
    var operationID: WalletOperationID { get }

    init(_ object: JSONObject) throws(MalformedValue)
}

/// A request from an app in which a person approves an operation.
struct EventRequest<Content: EventContent>: Sendable {
    let event: EventCaller
    let content: Content
}

extension CallerRequirement {
    /// An app in which a person approves an operation. The check also looks up the event.
    static func consentingApp<Content: EventContent>(
        _ content: Content.Type
    ) -> Self where Admitted == EventRequest<Content> {
        Self(callers: [.consentingApp]) { request, callers in
            let call = try request.credentials()
            let parsed = Result {
                (content: try Content(request.json()), id: try request.pathValue(as: SCAEventID.self))
            }
            let event = try? parsed.get()
            let admitted = try await callers.consentingApp(
                call, about: event.map { (id: $0.id, operation: $0.content.operationID) })
            return EventRequest(event: admitted, content: try parsed.get().content)
        }
    }
}
