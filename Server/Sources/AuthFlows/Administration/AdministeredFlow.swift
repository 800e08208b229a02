public import AuthStore
public import WalletAuthWire

/// A flow of a target above this one, as far as administration has to know it.
public protocol AdministeredFlow: Sendable {
    /// The kinds of its events in the audit log.
    var eventKinds: [String] { get }

    /// What the flow keeps about an account, for the account's export.
    /// - Parameter account: the account.
    /// - Returns: the name of a member of the export, and its value.
    /// - Throws: infrastructure trouble.
    func export(of account: UniqueID) async throws -> (member: String, value: JSONValue)
}
