package import Core
package import Store
internal import WalletAuthWire

/// The secret of a one-time link, by which the person who is to administer the server sets a password and a second factor.
package struct OperatorLinkSecret: Sendable {
    /// How long a link works, and how long the second factor may take after the password.
    package static let lifetime = Duration.minutes(15)
    private static let length = 32

    package let account: UniqueID
    private let secret: [UInt8]

    package init(account: UniqueID, random: any RandomBytes) {
        self.account = account
        secret = random.bytes(Self.length)
    }

    /// - Parameter text: as in a link; `nil` is returned for anything else.
    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text), bytes.count == 16 + Self.length,
            let account = UniqueID(bytes: bytes.prefix(16))
        else { return nil }
        self.account = account
        secret = Array(bytes.dropFirst(16))
    }

    /// As in a link.
    package func reveal() -> String { Base64URL.encode(account.bytes + secret) }

    /// What the database keeps.
    package var digest: [UInt8] { Digests.of("operator-link", secret) }
}

extension OperatorLinkSecret: CustomStringConvertible, CustomReflectable {
    package var description: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: [(label: String?, value: Any)]()) }
}

/// A role that waits for its person: first for the password, by a link, and then for the second factor.
package struct OperatorInvitation: Sendable, Hashable {
    package var account: UniqueID
    /// Of the link's secret.
    package var digest: [UInt8]
    package var grant: OperatorGrant
    /// The account's. Another change of its password or state ends the invitation.
    package var securityVersion: Int64
    /// The mark of the form that set the password and spent the link; `nil` while the link works.
    package var acceptedBy: [UInt8]?
    /// The operator who made it over HTTP. It counts while they are an owner of all brands; `nil` for one of the command line.
    package var madeBy: UniqueID?
    package var expiresAt: Timestamp

    package init(
        _ link: OperatorLinkSecret, _ grant: OperatorGrant, securityVersion: Int64, madeBy: UniqueID?, now: Timestamp
    ) {
        self.init(
            account: link.account, digest: link.digest, grant: grant, securityVersion: securityVersion,
            acceptedBy: nil, madeBy: madeBy, expiresAt: now + OperatorLinkSecret.lifetime)
    }

    fileprivate init(
        account: UniqueID, digest: [UInt8], grant: OperatorGrant, securityVersion: Int64, acceptedBy: [UInt8]?,
        madeBy: UniqueID?, expiresAt: Timestamp
    ) {
        self.account = account
        self.digest = digest
        self.grant = grant
        self.securityVersion = securityVersion
        self.acceptedBy = acceptedBy
        self.madeBy = madeBy
        self.expiresAt = expiresAt
    }
}

/// Reads and writes invitations, of which an account has one. It owns the `operator_invitations` table.
package enum OperatorInvitations {
    /// Makes an invitation, in place of an earlier one.
    package static func set(_ invitation: OperatorInvitation, on connection: any SQLConnection) throws {
        try connection.execute(
            """
            INSERT INTO operator_invitations (account_id, digest, role, brand_id, security_version, accepted_by,
                made_by, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            ON CONFLICT (account_id) DO UPDATE SET digest = excluded.digest, role = excluded.role,
                brand_id = excluded.brand_id, security_version = excluded.security_version,
                accepted_by = excluded.accepted_by, made_by = excluded.made_by, expires_at = excluded.expires_at
            """,
            [
                .id(invitation.account), .blob(invitation.digest), .name(invitation.grant.role),
                .optional(invitation.grant.brand), .integer(invitation.securityVersion),
                .optional(invitation.acceptedBy), .optional(invitation.madeBy?.bytes),
                .time(invitation.expiresAt),
            ])
    }

    /// What an operator made counts only while they may make it.
    static let makerIsOwner = """
        (made_by IS NULL OR EXISTS (SELECT 1 FROM operators o JOIN accounts a ON a.id = o.account_id
            WHERE o.account_id = operator_invitations.made_by AND o.role = 'owner' AND o.brand_id IS NULL
                AND a.state = 'active'))
        """

    private static let columns =
        "account_id, digest, role, brand_id, security_version, accepted_by, made_by, expires_at"

    /// Finds an invitation that has not expired.
    package static func find(
        _ account: UniqueID, now: Timestamp, on connection: any SQLConnection
    ) throws -> OperatorInvitation? {
        try connection.row(
            """
            SELECT \(columns) FROM operator_invitations
            WHERE account_id = $1 AND expires_at > $2 AND \(makerIsOwner)
            """, [.id(account), .time(now)]
        ).map(invitation)
    }

    /// A page of the invitations that still lead to a role, after an account, in the order of ids.
    package static func list(
        after account: UniqueID?, now: Timestamp, limit: Int, on connection: any SQLConnection
    ) throws -> [OperatorInvitation] {
        try connection.query(
            """
            SELECT \(columns) FROM operator_invitations
            WHERE account_id > $1 AND expires_at > $2 AND \(makerIsOwner)
                AND EXISTS (SELECT 1 FROM accounts p WHERE p.id = operator_invitations.account_id
                    AND p.state = 'active' AND p.security_version = operator_invitations.security_version)
            ORDER BY account_id LIMIT $3
            """, [.blob(account?.bytes ?? []), .time(now), .integer(Int64(limit))]
        ).map(invitation)
    }

    private static func invitation(_ row: SQLRow) throws -> OperatorInvitation {
        OperatorInvitation(
            account: try row.id("account_id"), digest: try row.blob("digest"),
            grant: OperatorGrant(try row.name("role"), brand: try row.optionalText("brand_id")),
            securityVersion: try row.integer("security_version"), acceptedBy: try row.optionalBlob("accepted_by"),
            madeBy: try row.optionalBlob("made_by").flatMap { UniqueID(bytes: $0) },
            expiresAt: try row.time("expires_at"))
    }

    /// Spends the link, in the write that sets the password: that raises the account's security version by one.
    /// - Returns: whether this call spent it. Of several, one does.
    package static func accept(
        _ invitation: OperatorInvitation, by mark: [UInt8], now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            UPDATE operator_invitations SET accepted_by = $4, security_version = security_version + 1, expires_at = $5
            WHERE account_id = $1 AND digest = $2 AND security_version = $3 AND accepted_by IS NULL AND expires_at > $6
                AND \(makerIsOwner)
            """,
            [
                .id(invitation.account), .blob(invitation.digest), .integer(invitation.securityVersion), .blob(mark),
                .time(now + OperatorLinkSecret.lifetime), .time(now),
            ]) == 1
    }

    /// Ends an accepted invitation, in the write that takes the second factor into use.
    /// - Returns: whether its role may be granted now.
    package static func fulfill(
        _ invitation: OperatorInvitation, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        try connection.execute(
            """
            DELETE FROM operator_invitations
            WHERE account_id = $1 AND digest = $2 AND security_version = $3 AND accepted_by IS NOT NULL AND expires_at > $4
                AND \(makerIsOwner)
            """,
            [
                .id(invitation.account), .blob(invitation.digest), .integer(invitation.securityVersion), .time(now),
            ]) == 1
    }

    /// - Returns: whether the account had an invitation.
    @discardableResult
    package static func remove(_ account: UniqueID, on connection: any SQLConnection) throws -> Bool {
        try connection.execute("DELETE FROM operator_invitations WHERE account_id = $1", [.id(account)]) == 1
    }
}
