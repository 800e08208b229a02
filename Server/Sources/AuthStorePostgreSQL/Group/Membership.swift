package import AuthStore

/// What a process has of a database.
package enum Membership: Sendable {
    /// A share, with other members.
    case member
    /// All of it: no other process is a member.
    case alone
}

/// What the engine reports while the database is open.
package enum PostgreSQLEvent: Sendable {
    /// The group's connection ended, and the membership with it. Writes are refused until it is replaced.
    case membershipLost
    /// This process is a member again, and writes are accepted.
    case membershipRegained
    /// Meanwhile another process has taken the database for itself. This one has to end.
    case databaseTaken(StoreError)
}
