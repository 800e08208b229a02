package import Core
import HTTPTypes
package import Kernel
internal import Logging
package import Store
package import WalletAuthWire
package import Web

/// A request signed by an enrolled device, as read by the edge. It needs no session.
package struct PresentedDeviceSignature: Sendable {
    package var deviceID: DeviceID
    /// The path below the issuer.
    package var path: String
    /// The exact bytes of the body.
    package var body: [UInt8]
    /// The device's signature over the request.
    package var signature: String
    package var idempotencyKey: IdempotencyKey
    package var origin: RequestOrigin
}

/// A device whose signed request was verified.
package struct DeviceCaller: Sendable {
    /// Active.
    package let device: DeviceRecord
    /// Distinguishes a repetition from another request.
    let idempotencyKey: IdempotencyKey
    package let origin: RequestOrigin
    package let now: Timestamp
}

extension Callers {
    /// Refuses a request without a signature, or with an outdated nonce. Before its first answer a device has no nonce to sign;
    /// this provides one.
    package var staleNonce: PINRefusal { .staleNonce(proofs.currentNonce()) }

    /// Authenticates a device by its signature over the request (`DeviceRequestSignature`, docs/wpin-1.md). Device and client
    /// have to be open (``DeviceAdmission``). A sign-in by PIN says itself that the account is deactivated or needs a new password.
    /// - Throws: ``PINRefusal`` if the device or its signature is not valid.
    package func device(_ presented: PresentedDeviceSignature) async throws -> DeviceCaller {
        let now = clock.now()
        guard let id = UniqueID(uuid: presented.deviceID.rawValue), let target = proofs.target(of: presented.path)
        else {
            throw PINRefusal.invalidCredentials
        }
        let admission = DeviceAdmission(clients: clients)
        let found = try await database.read { connection -> (DeviceRecord, DeviceAdmission.Refusal?)? in
            guard let device = try Devices.find(id, on: connection) else { return nil }
            return (device, try admission.refusal(of: device, now: now, on: connection))
        }
        guard let (device, refusal) = found else { throw PINRefusal.invalidCredentials }
        let expected = DeviceRequestSignature.Expectation(
            audience: issuer, deviceID: presented.deviceID, method: "POST", target: target,
            body: presented.body, idempotencyKey: presented.idempotencyKey)
        let nonce: Nonce
        do {
            nonce = try DeviceRequestSignature.verified(
                presented.signature, by: device.key, for: expected, now: NumericDate(clamping: now.seconds)
            ).nonce
        } catch {
            logger.debug("refused a device's signature", metadata: ["reason": "\(error)"])
            throw PINRefusal.invalidCredentials
        }
        guard proofs.isGood(nonce.rawValue, at: now) else { throw staleNonce }
        switch refusal {
        case nil, .walletDeactivated, .passwordChangeRequired: break
        case .suspended: throw PINRefusal.deviceSuspended
        case .deactivated: throw PINRefusal.deviceDeactivated
        case .unknown: throw PINRefusal.invalidCredentials
        }
        return DeviceCaller(
            device: device, idempotencyKey: presented.idempotencyKey, origin: presented.origin, now: now)
    }
}

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

/// Decides whether an enrolled device may act: by its own state, and by those of its client and its account.
///
/// Everything that a device signs is checked here, in the read or write that it leads to. So what an operator closes is closed at
/// once, whatever rows are still to be ended (docs/threat-model.md, "What an operator closes").
package struct DeviceAdmission: Sendable {
    private let clients: ClientDirectory

    package init(clients: ClientDirectory) { self.clients = clients }

    /// Why a device may not act.
    package enum Refusal: Sendable, Hashable {
        /// It was removed, its account was erased, or its client was deleted or is no longer the operator's own app. It is answered
        /// like a device that never existed.
        case unknown
        case suspended
        case deactivated
        /// Its account is deactivated, so it signs no transaction.
        case walletDeactivated
        /// Its account needs a new password first. Transactions wait for it; a sign-in by PIN does not, because it leads there.
        case passwordChangeRequired
    }

    /// Returns why a device may not act now; `nil` if it may.
    /// - Parameter device: as it was read last.
    package func refusal(
        of device: DeviceRecord, now: Timestamp, on connection: any SQLConnection
    ) throws -> Refusal? {
        switch device.state {
        case .active: break
        case .suspended: return .suspended
        case .deactivated: return .deactivated
        case .removed: return .unknown
        }
        // The cache of clients may be behind a deletion by another process. The row is not.
        guard try Clients.isRegistered(device.clientID, on: connection),
            let client = try clients.find(ClientID(device.clientID), now: now, on: connection),
            client.isFirstParty, let account = try Accounts.find(device.accountID, on: connection)
        else { return .unknown }
        switch account.state {
        case .active: return account.passwordState == .expired ? .passwordChangeRequired : nil
        case .deactivated: return .walletDeactivated
        case .erased: return .unknown
        }
    }
}
