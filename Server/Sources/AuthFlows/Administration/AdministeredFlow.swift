package import AuthStore
package import WalletAuthWire

/// A flow of a target above this one, as far as administration has to know it.
package protocol AdministeredFlow: Sendable {
    /// Its name among the flows, for ``AdministrationCommand/flow(name:command:)``.
    var name: String { get }

    /// The kinds of its events in the audit log.
    var eventKinds: [String] { get }

    /// What the flow keeps about an account, for the account's export.
    /// - Parameter account: the account.
    /// - Returns: the name of a member of the export, and its value.
    /// - Throws: infrastructure errors.
    func export(of account: UniqueID) async throws -> (member: String, value: JSONValue)

    /// What `account show` says of an account.
    /// - Parameter account: the account.
    /// - Throws: infrastructure errors.
    func facts(of account: UniqueID) async throws -> [AccountFact]

    /// What the person has to know whose account is about to be erased, in whole sentences for the operator.
    /// - Parameter account: the account.
    /// - Throws: infrastructure errors.
    func adviceOnErasure(of account: UniqueID) async throws -> [String]

    /// Executes a command of its own.
    /// - Parameter command: JSON in the flow's own form.
    /// - Throws: ``AdministrationRefusal``, `MalformedValue` or infrastructure errors.
    func execute(_ command: [UInt8]) async throws -> AdministrationAnswer

    /// The words of a command of its own, as on the command line, for the log; none of its values.
    /// - Parameter command: JSON in the flow's own form.
    func title(of command: [UInt8]) -> String
}

/// A fact about an account.
package struct AccountFact: Sendable {
    /// What a person reads.
    package let label: String
    /// The JSON member.
    package let member: String
    /// The value.
    package let value: String

    /// Each parameter is the property of its name.
    package init(label: String, member: String, value: String) {
        self.label = label
        self.member = member
        self.value = value
    }
}

extension AdministeredFlow {
    /// A flow without facts about accounts has none to show.
    package func facts(of account: UniqueID) async throws -> [AccountFact] { [] }

    /// A flow that leaves nothing outside of this server has no advice.
    package func adviceOnErasure(of account: UniqueID) async throws -> [String] { [] }

    /// A flow without commands has no words for one.
    package func title(of command: [UInt8]) -> String { name }

    /// A flow without commands refuses every one.
    package func execute(_ command: [UInt8]) async throws -> AdministrationAnswer {
        throw AdministrationRefusal("There is no such command.", code: "malformed")
    }
}
