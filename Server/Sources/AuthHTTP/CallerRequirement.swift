import AuthFlows
import WalletAuthWire

/// Who may call a route, and how the edge finds out. The handler gets the caller as a value.
struct CallerRequirement<Admitted: Sendable>: Sendable {
    /// Who may call, for the table.
    let callers: [Route.Caller]
    /// Lets a caller in.
    /// - Throws: `OAuthRefusal` or `DeviceCallRefusal` for one that is not let in, and a fault where the request does not say
    ///   who calls.
    let check: @Sendable (EndpointRequest, Callers) async throws -> Admitted
}

extension CallerRequirement where Admitted == AppCaller {
    /// The operator's own app, for the person who is signed in to it.
    static var app: Self {
        Self(callers: [.app]) { request, callers in try await callers.app(request.call()) }
    }
}

extension CallerRequirement where Admitted == BackendCaller {
    /// A backend in its own name, with a scope.
    static func backend(_ scope: String) -> Self {
        Self(callers: [.backend(scope: scope)]) { request, callers in
            try await callers.backend(request.call(), scope: scope)
        }
    }
}

// MARK: - Callers that the content tells

/// The content of a request that a device signs: it names the device.
protocol DeviceContent: Sendable {
    var deviceID: DeviceID { get }

    init(_ object: JSONObject) throws(MalformedValue)
}

/// A request that a device signed.
struct DeviceRequest<Content: DeviceContent>: Sendable {
    let call: DeviceCaller
    let content: Content
}

extension CallerRequirement {
    /// An enrolled device, by its signature over the request. A request without one is nobody's, whatever it says.
    /// - Parameters:
    ///   - content: what the body is read as.
    ///   - endpoint: what the signature names.
    static func device<Content: DeviceContent>(
        _ content: Content.Type, at endpoint: Endpoint
    ) -> Self where Admitted == DeviceRequest<Content> {
        Self(callers: [.device]) { request, callers in
            guard let signature = try request.headers.single(.deviceSignature) else { throw callers.staleNonce }
            var path = endpoint.path
            if path.contains("{") {
                path = endpoint.path(try request.pathValue("transactionId", as: TransactionID.self))
            }
            let content = try Content(request.json())
            let presented = PresentedDeviceSignature(
                deviceID: content.deviceID, path: path, body: request.body, signature: signature,
                idempotencyKey: try request.requiredIdempotencyKey(), origin: request.origin)
            return DeviceRequest(call: try await callers.device(presented), content: content)
        }
    }
}

/// The content of an app's request about an SCA event: it names the operation.
protocol EventContent: Sendable {
    var operationID: WalletOperationID { get }

    init(_ object: JSONObject) throws(MalformedValue)
}

/// A request of an app in which a person agrees to something.
struct EventRequest<Content: EventContent>: Sendable {
    let event: EventCaller
    let content: Content
}

extension CallerRequirement {
    /// An app in which a person agrees to something. The event is found while the caller is checked.
    /// - Parameter content: what the body is read as.
    static func consentingApp<Content: EventContent>(
        _ content: Content.Type
    ) -> Self where Admitted == EventRequest<Content> {
        Self(callers: [.consentingApp]) { request, callers in
            let call = try request.call()
            let parsed = Result {
                (content: try Content(request.json()), id: try request.pathValue("eventId", as: SCAEventID.self))
            }
            let event = try? parsed.get()
            let admitted = try await callers.consentingApp(
                call, about: event.map { (id: $0.id, operation: $0.content.operationID) })
            return EventRequest(event: admitted, content: try parsed.get().content)
        }
    }
}
