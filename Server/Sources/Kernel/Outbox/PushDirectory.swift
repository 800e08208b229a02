package import Core
package import Outbound
package import Store

/// Where a push goes: a device, as its app registered it last.
package struct PushRegistration: Sendable, Hashable {
    package var device: UniqueID
    /// The address as the row has it, so that only this one is taken away.
    package var sealed: [UInt8]
    package var token: String
    package var service: PushService
    /// Whether Apple's service for apps in development issued the token.
    package var isDevelopment: Bool
    /// The app's id at Apple, if its client has one of its own.
    package var topic: String?
    package var registeredAt: Timestamp

    package init(
        device: UniqueID, sealed: [UInt8], token: String, service: PushService, isDevelopment: Bool, topic: String?,
        registeredAt: Timestamp
    ) {
        self.device = device
        self.sealed = sealed
        self.token = token
        self.service = service
        self.isDevelopment = isDevelopment
        self.topic = topic
        self.registeredAt = registeredAt
    }
}

/// Finds the device of a push when it is sent. A message names the device and not its address, which may have changed since.
package protocol PushDirectory: Sendable {
    /// - Parameter values: those of the message.
    /// - Returns: `nil` if the device is not reached any more.
    func registration(
        in values: [String: String], of account: UniqueID, sealing: SealingKeys, now: Timestamp,
        on connection: any SQLConnection
    ) throws -> PushRegistration?

    /// Takes an address away that no longer leads to the app, unless the app has registered again.
    /// - Parameter since: when the service found it void; `nil` if it did not say.
    func remove(
        _ registration: PushRegistration, of account: UniqueID, since: Timestamp?, auditLog: AuditLog, now: Timestamp,
        on connection: any SQLConnection
    ) throws
}

/// What a push tells of, as its message stores it.
package enum PushSubject {
    package static let id = "subject"
    package static let kind = "subject_kind"
}
