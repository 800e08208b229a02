package import Store

/// What a process has of a database.
package enum Membership: Sendable {
    /// A share, with other members.
    case member
    /// All of it: no other process is a member.
    case alone
}

/// What the engine reports while the database is open.
package enum PostgreSQLEvent: Sendable {
    /// The group's connection ended or was given up, and the membership with it. Until it is replaced, writes are refused and reads wait.
    case membershipLost(StoreError)
    /// This process is a member again, and writes are accepted. Whether the unasked hosts accept writes as well is not known: a sentence
    /// for each, with the reason.
    case membershipRegained(server: String, unasked: [String])
    /// Other hosts accept writes as well as the group's server. Reported once for each change of those hosts.
    case otherPrimaries([String], server: String)
    /// Meanwhile another process has taken the database for itself. This one has to end.
    case databaseTaken(StoreError)
}
