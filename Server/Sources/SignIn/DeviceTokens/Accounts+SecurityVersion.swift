internal import Kernel
package import Store

extension Accounts {
    /// Voids everything in progress for an account, above all codes. Its living sessions go on, and so do the
    /// long-lived sessions of its other devices.
    package static func raiseSecurityVersionKeepingSessions(
        of id: UniqueID, on connection: any SQLConnection
    ) throws {
        guard let version = try raiseSecurityVersion(of: id, on: connection) else { return }
        try connection.execute(
            """
            UPDATE sessions SET security_version = $2
            WHERE account_id = $1 AND revoked_at IS NULL AND security_version = $3
            """, [.id(id), .integer(version), .integer(version - 1)])
        try DeviceTokens.follow(id, from: version - 1, to: version, on: connection)
    }
}
