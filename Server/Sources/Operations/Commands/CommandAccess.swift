package import Kernel

/// Who may run a command over HTTP, besides owners. At the command line and on the administration socket every command runs.
package struct CommandAccess: Sendable, Hashable {
    /// The roles that run it while it only reads; `nil` if it never does, and has no `GET`.
    package let readers: Set<OperatorRole>?
    /// The roles that run it when it changes something; `nil` if it never does, and has no `POST`.
    package let changers: Set<OperatorRole>?

    /// Not over HTTP: it uses files or the terminal of the machine, or the database as a whole.
    package static let terminal = CommandAccess(readers: nil, changers: nil)
    /// Owners alone. A command that declares nothing has it.
    package static let owners = CommandAccess(readers: nil, changers: [])

    package static func reading(_ roles: OperatorRole...) -> CommandAccess {
        CommandAccess(readers: Set(roles), changers: nil)
    }

    package static func changing(_ roles: OperatorRole...) -> CommandAccess {
        CommandAccess(readers: nil, changers: Set(roles))
    }

    /// Of a command that reads or changes, as its options say.
    package static func reading(_ readers: Set<OperatorRole>, changing changers: Set<OperatorRole>) -> CommandAccess {
        CommandAccess(readers: readers, changers: changers)
    }

    package var isOffered: Bool { readers != nil || changers != nil }

    /// Whether a role may run it. An owner may run all that is offered.
    package func admits(_ role: OperatorRole, reading: Bool) -> Bool {
        guard let roles = reading ? readers : changers else { return false }
        return role == .owner || roles.contains(role)
    }

    /// The roles that may, for a refusal.
    package func admitted(reading: Bool) -> [OperatorRole] {
        OperatorRole.allCases.filter { admits($0, reading: reading) }
    }
}

/// What a command reads or changes, for operators whose role holds for one brand, and for accounts and clients that administer the
/// server themselves.
package enum CommandTarget: Sendable {
    /// More than one brand, or none. A command that declares nothing has it.
    case everything
    /// The rights of operators: only owners of all brands change them.
    case administration(AccountReference?)
    /// A brand; `nil` for `default`.
    case brand(String?)
    case account(AccountReference)
    /// An account, and another of its brand as typed: a user name or an id.
    case accounts(AccountReference, into: String)
    case client(String, ClientConcern = [])
    case device(String)
    case passkey(String)
}

/// What a change of a client concerns, besides the client.
package struct ClientConcern: OptionSet, Sendable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Every brand, though the client belongs to one.
    static let everyBrand = ClientConcern(rawValue: 1)
    /// Trust as the operator's own, which makes it administration.
    static let ownership = ClientConcern(rawValue: 2)
    /// Where codes, tokens and links go, and what protects them. At one of the operator's own clients, operators sign in too, so it is administration there, and at
    /// other clients that are trusted.
    static let credentials = ClientConcern(rawValue: 4)
}
