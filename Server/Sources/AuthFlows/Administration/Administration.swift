internal import AuthCore
internal import AuthStore
internal import Logging
internal import WalletAuthWire

/// An operator's commands. They arrive through the socket next to the database or, while no server runs, from the command line
/// itself.
///
/// The folder owns the commands and their answers, restores, and periodic maintenance. Rules about accounts, devices or keys
/// belong to their own folders; the command line's options belong to the program `walletauth`.
package struct Administration: Sendable {
    let context: ServerContext
    /// Flows of targets above this one.
    let flows: [any AdministeredFlow]

    /// Executes one command. Never throws: the answer also reports failures of the store.
    /// - Parameter command: not checked yet.
    package func execute(_ command: AdministrationCommand) async -> AdministrationAnswer {
        do {
            switch command {
            case .client(let command): return try await execute(command)
            case .account(let command): return try await execute(command)
            case .device(let command): return try await execute(command)
            case .passkey(let command): return try await execute(command)
            case .brand(let command): return try await execute(command)
            case .provider(let command): return try await execute(command)
            case .merchant(let command): return try await execute(command)
            case .keys(let command): return try await execute(command)
            case .outbox(let command): return try await execute(command)
            case .database(let command): return try await execute(command)
            case .audit(let command): return try await execute(command)
            case .flow(let name, let command):
                guard let flow = flows.first(where: { $0.name == name }) else {
                    throw AdministrationRefusal(
                        "This server does not know this command; it may be older than the command line.",
                        code: "malformed")
                }
                return try await flow.execute(command)
            }
        } catch let refusal as AdministrationRefusal {
            return .refused(refusal.line, code: refusal.code)
        } catch let malformed as MalformedValue {
            return .refused("\(malformed.field) \(malformed.reason).", code: "malformed")
        } catch let failure as StoreError {
            context.logger.error("administration failed", metadata: ["trouble": "\(failure)"])
            return .refused("The database failed: \(failure.reason).", code: failure.code.rawValue)
        } catch {
            context.logger.error("administration failed", metadata: ["trouble": "\(error)"])
            return .refused("The server failed. See its log for details.", code: "server_error")
        }
    }
}

/// The reason a command is refused: one line for the operator with the remedy, and a stable code for scripts.
package struct AdministrationRefusal: Error {
    package let line: String
    package let code: String

    package init(_ line: String, code: String) {
        self.line = line
        self.code = code
    }

    package static func notFound(_ what: String, _ id: String) -> AdministrationRefusal {
        AdministrationRefusal("There is no \(what) \(id).", code: "not_found")
    }

    package static func taken(_ what: String, _ id: String) -> AdministrationRefusal {
        AdministrationRefusal("The \(what) \(id) already exists; choose another id.", code: "taken")
    }
}
