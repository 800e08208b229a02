package import Core
package import Kernel
package import Store
package import WalletAuthWire

/// A flow of a target above this one, as far as administration has to know it.
package protocol AdministeredFlow: Sendable {
    /// Its own commands.
    static var commands: [any AdminCommand.Type] { get }

    /// The kinds of its events in the audit log.
    static var eventKinds: [any SecurityEventKind] { get }

    /// Exports the flow's data about an account.
    /// - Returns: the name of a member of the export, and its value.
    func export(of account: UniqueID) async throws -> (member: String, value: JSONValue)

    /// Facts for `account show`.
    func facts(of account: UniqueID) async throws -> [AccountFact]

    /// Documents that prove what is known by an id, as the flow's clients get them.
    func evidence(named id: String) async throws -> [FoundEvidence]

    /// The places in the audit log of what is known by an id, in order.
    func auditPlaces(named id: String) async throws -> [AuditHead.Place]

    /// Advice for a person whose account is about to be erased, in whole sentences for the operator.
    func adviceOnErasure(of account: UniqueID) async throws -> [String]
}

/// A document for the operator.
package struct FoundEvidence: Sendable {
    package let document: String
    /// The account that it is about; `nil` if it is about none yet.
    package let account: UniqueID?

    package init(document: String, account: UniqueID?) {
        self.document = document
        self.account = account
    }
}

package struct AccountFact: Sendable {
    /// Shown to people.
    package let label: String
    /// The JSON member.
    package let member: String
    package let value: String

    package init(label: String, member: String, value: String) {
        self.label = label
        self.member = member
        self.value = value
    }
}

extension AdministeredFlow {
    package static var commands: [any AdminCommand.Type] { [] }

    /// A flow without evidence.
    package func evidence(named id: String) async throws -> [FoundEvidence] { [] }

    package func auditPlaces(named id: String) async throws -> [AuditHead.Place] { [] }

    /// A flow without facts about accounts has none to show.
    package func facts(of account: UniqueID) async throws -> [AccountFact] { [] }

    /// A flow that leaves nothing outside this server has no advice.
    package func adviceOnErasure(of account: UniqueID) async throws -> [String] { [] }
}
