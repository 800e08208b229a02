internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The attributes that an app may show after a native sign-in: the times of the last sign-in and password change always, others on
/// request. Unknown names are ignored.
struct AdditionalAttributes: Sendable {
    let database: any Database

    /// Attributes returned only on request.
    private enum Requestable: String, CaseIterable {
        /// Whether push messages reach the device that signed in.
        case pushEnabled = "push_enabled"
        case emailVerified = "email_verified"
        case locale
        case preferredUsername = "preferred_username"
    }

    /// - Parameters:
    ///   - account: as it was before this sign-in.
    ///   - device: the enrolled device that signed in.
    ///   - requested: the names that the app requested.
    func of(_ account: AccountRecord, device: UniqueID?, requested: [String]) async throws -> JSONObject {
        var attributes = JSONObject()
        attributes.set("last_login", account.lastLoginAt?.seconds)
        attributes.set("last_password_update", account.passwordChangedAt?.seconds)
        let expiry = try await database.read { try account.passwordExpiry(on: $0) }
        attributes.set("password_expires_at", expiry?.seconds)
        for attribute in Set(requested).compactMap(Requestable.init).sorted(by: { $0.rawValue < $1.rawValue }) {
            switch attribute {
            case .pushEnabled:
                let found = try await database.read { connection in
                    try device.flatMap { try Devices.find($0, on: connection) }
                }
                attributes[attribute.rawValue] = .bool(found?.pushAddress != nil)
            case .emailVerified: attributes[attribute.rawValue] = .bool(account.emailState == .verified)
            case .locale: attributes.set(attribute.rawValue, account.locale)
            case .preferredUsername:
                let names = try await database.read { try Accounts.names(of: account.id, on: $0) }
                attributes.set(attribute.rawValue, names.first)
            }
        }
        return attributes
    }
}
