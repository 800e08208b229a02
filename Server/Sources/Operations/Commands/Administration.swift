internal import Kernel
internal import Store

/// An operator's commands. They arrive through the socket next to the database or, while no server runs, from the command line
/// itself.
///
/// This folder owns what all commands share. Each command is declared in the folder of its noun, with its options and what it does.
/// A command sees its ``AdminCommand/Parts``, and only their initializers see the whole.
package struct Administration: Sendable {
    package let server: AuthorizationServer
    /// Who calls over HTTP; `nil` at the command line and on the administration socket.
    private(set) var caller: OperatorCaller.Identity?
    /// Their role.
    private(set) var role: OperatorRole?

    init(server: AuthorizationServer) { self.server = server }

    func called(by caller: OperatorCaller.Identity, as role: OperatorRole) -> Administration {
        var administration = self
        (administration.caller, administration.role) = (caller, role)
        return administration
    }
}

/// The reason a command is refused, in whole sentences for the operator, and a stable code for scripts.
package struct AdministrationRefusal: Error {
    package let message: String
    /// The remedy; `nil` if the message says it.
    package let hint: String?
    package let code: String
    /// Why a role does not allow it; `nil` for any other refusal.
    var decision: OperatorDecision?

    package init(_ message: String, hint: String? = nil, code: String) {
        self.message = message
        self.hint = hint
        self.code = code
    }

    package var line: String { [message, hint].compactMap { $0 }.joined(separator: " ") }

    /// - Parameter what: what was not found. If a group of commands has its name, the line names the one that lists.
    package static func notFound(_ what: String, _ id: String) -> AdministrationRefusal {
        let list: String? =
            switch what {
            case "account", "brand", "client", "merchant", "provider", "webhook": "See `walletauth \(what) list`."
            case "device", "passkey": "See `walletauth \(what) list USERNAME`."
            default: nil
            }
        return AdministrationRefusal("There is no \(what) \(id).", hint: list, code: "not_found")
    }

    package static func taken(_ what: String, _ id: String) -> AdministrationRefusal {
        AdministrationRefusal(
            "The \(what) \(id) already exists, or did before it was deleted.", hint: "Choose another id.", code: "taken"
        )
    }
}

extension Database {
    /// Reads a whole list page by page, so that no single read is unbounded.
    func everyPage<Item: Sendable>(
        atMost most: Int? = nil,
        _ page: @escaping @Sendable (_ after: Item?, _ limit: Int, _ connection: any SQLConnection) throws -> [Item]
    ) async throws -> [Item] {
        let size = 500
        var items: [Item] = []
        while true {
            let last = items.last
            let next = try await read { try page(last, size, $0) }
            items.append(contentsOf: next)
            if let most, items.count > most { throw AccountExport.TooLarge() }
            if next.count < size { return items }
        }
    }
}

extension Administration {
    /// A path on the server's machine, which must not depend on the server's working directory.
    static func path(_ path: String, of option: String) throws -> String {
        guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
            throw AdministrationRefusal(
                "\(option) must be an absolute path on the server's machine.", code: "malformed")
        }
        return path
    }

    /// The number of accounts on a page.
    static func accountsPerPage(_ size: Int) throws -> Int {
        let sizes = 1...1000
        guard sizes.contains(size) else {
            throw AdministrationRefusal(
                "--limit must be from \(sizes.lowerBound) to \(sizes.upperBound).", code: "malformed")
        }
        return size
    }
}
