package import Store

extension Accounts {
    /// Replaces or removes the e-mail address with compare-and-set.
    /// - Parameters:
    ///   - old: the sealed address that the change is based on; another one in the row refuses it.
    ///   - new: sealed; `nil` removes it.
    ///   - state: of the new address; `none` if it is removed.
    /// - Returns: whether the row still had that address and is not erased.
    package static func setEmail(
        of id: UniqueID, from old: [UInt8]?, to new: [UInt8]?, state: EmailState, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE accounts SET email = $3, email_state = $4
            WHERE id = $1 AND state <> 'erased' AND COALESCE(email, $5) = $2
            """,
            // A sealed address is never empty, so an empty value represents none.
            [.id(id), .blob(old ?? []), .optional(new), .name(state), .blob([])]) == 1
    }

    /// Replaces or removes the phone number with compare-and-set, together with the profile, which says whether it is confirmed.
    /// - Parameters:
    ///   - old: the account that the change is based on; another number or profile in the row refuses it.
    ///   - phone: sealed; `nil` removes it.
    ///   - profile: sealed.
    /// - Returns: whether the row still had that number and profile and is not erased.
    package static func setPhone(
        from old: AccountRecord, to phone: [UInt8]?, profile: [UInt8]?, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE accounts SET phone = $4, profile = $5
            WHERE id = $1 AND state <> 'erased' AND COALESCE(phone, $6) = $2 AND COALESCE(profile, $6) = $3
            """,
            [
                .id(old.id), .blob(old.phone ?? []), .blob(old.profile ?? []), .optional(phone), .optional(profile),
                .blob([]),
            ]) == 1
    }
}
