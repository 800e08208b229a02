import HTTPTypes
package import WalletAuthWire
package import Web

/// The content of a request that a device signs. It names the device.
package protocol DeviceContent: Sendable {
    var deviceID: DeviceID { get }

    init(_ object: JSONObject) throws(MalformedValue)
}

package struct DeviceRequest<Content: DeviceContent>: Sendable {
    package let call: DeviceCaller
    package let content: Content
}

extension CallerRequirement {
    /// An enrolled device that signed the request. Without a signature the request has no caller, whatever its content
    /// claims.
    ///
    /// The path of the endpoint has no placeholder, or `{transactionId}`.
    /// - Parameters:
    ///   - content: the type of the body.
    ///   - endpoint: the endpoint that the signature covers.
    package static func device<Content: DeviceContent>(
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
