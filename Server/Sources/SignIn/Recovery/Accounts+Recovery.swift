package import Core
package import Kernel
package import Store

extension Accounts {
    /// Sets a new password after a recovery, voids every earlier sign-in, and opens the account if failures had closed
    /// it. An account that an operator closed stays closed.
    /// - Parameters:
    ///   - sealed: the new sealed hash.
    ///   - expected: the security version that the recovery was based on; any other refuses it.
    ///   - device: the device whose key took part, as read for the decision. If an operator has closed it or its holder
    ///     has removed it since, the recovery is refused.
    ///   - cooling: until then no credential of the account may be changed; `nil` keeps the present value.
    ///   - now: the time of the write, as for a change of the password.
    /// - Returns: the new security version, or `nil` if the account cannot be recovered at the expected version.
    package static func recover(
        _ id: UniqueID, to sealed: [UInt8], expecting expected: Int64, asOn device: DeviceRecord?,
        coolingUntil cooling: Timestamp?, now: Timestamp, on connection: any SQLConnection
    ) throws -> Int64? {
        try connection.row(
            """
            UPDATE accounts SET password = $2, password_state = 'current', password_changed_at = \(changeOfPassword),
                password_checked_at = NULL, state = 'active', deactivated_by = NULL,
                cooling_until = COALESCE($5, cooling_until), security_version = security_version + 1
            WHERE id = $1 AND security_version = $3
                AND (state = 'active' OR (state = 'deactivated' AND deactivated_by = 'failures'))
                AND (EXISTS (SELECT 1 FROM devices d WHERE d.id = $6 AND d.account_id = $1
                    AND d.state = $7 AND COALESCE(d.deactivated_by, '') = COALESCE($8, '')) OR $6 IS NULL)
            RETURNING security_version
            """,
            [
                .id(id), .blob(sealed), .integer(expected), .time(now), .time(cooling), .id(device?.id),
                .optional(device?.state.rawValue), .optional(device?.deactivatedBy?.rawValue),
            ])?.integer("security_version")
    }
}
