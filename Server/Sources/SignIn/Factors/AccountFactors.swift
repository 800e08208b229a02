package import Store

/// The second factors that an account has set up.
package struct AccountFactors: Sendable, Hashable {
    package var hasTOTP: Bool
    /// The number of codes left.
    package var recoveryCodes: Int64
    /// The number of questions answered.
    package var secretQuestions: Int64

    package static func find(_ account: UniqueID, on connection: any SQLConnection) throws -> AccountFactors {
        let row = try connection.row(
            """
            SELECT (SELECT COUNT(*) FROM totp_secrets t WHERE t.account_id = $1 AND t.state = 'active') AS totp_secrets,
                (SELECT COUNT(*) FROM recovery_codes r WHERE r.account_id = $1) AS recovery_codes,
                (SELECT COUNT(*) FROM secret_questions q WHERE q.account_id = $1) AS secret_questions
            """, [.id(account)])
        return AccountFactors(
            hasTOTP: try row?.integer("totp_secrets") ?? 0 > 0,
            recoveryCodes: try row?.integer("recovery_codes") ?? 0,
            secretQuestions: try row?.integer("secret_questions") ?? 0)
    }

    /// Deletes all of them, for the erasure of an account.
    package static func removeAll(of account: UniqueID, on connection: any SQLConnection) throws {
        for statement in [
            "DELETE FROM open_factors WHERE account_id = $1", "DELETE FROM totp_secrets WHERE account_id = $1",
            "DELETE FROM totp_cooling_periods WHERE account_id = $1",
            "DELETE FROM recovery_codes WHERE account_id = $1", "DELETE FROM secret_questions WHERE account_id = $1",
        ] { try connection.execute(statement, [.id(account)]) }
    }
}
