import AuthAdministration
import AuthFlows
import AuthStore
import Logging

/// Executes an administrative command: in the running server if there is one, otherwise directly on the database. The
/// database's lock prevents both at once.
struct AdministrationChannel {
    let configuration: ServerConfiguration

    /// - Throws: `Refusal` if neither is possible, with the reason and a remedy.
    func answer(to command: AdministrationCommand) async throws -> AdministrationAnswer {
        if configuration.database.isPostgreSQL, let remedy = command.remedyWithPostgreSQL { throw Refusal(remedy) }
        let socket = configuration.adminSocketPath
        do {
            return try await AdminClient(path: socket).answer(to: command)
        } catch {
            switch error {
            case .nobodyListens:
                return try await directly(command)
            case .notPermitted:
                throw Refusal(
                    "the server's socket \(socket) belongs to another user: run this as the user who runs the server")
            case .failed(let reason):
                throw Refusal("the server behind \(socket) could not be reached: \(reason)")
            }
        }
    }

    /// Refuses if there is neither a database nor a socket, before the command asks for a password.
    ///
    /// - Throws: `Refusal` that explains how to create a database.
    func requireDestination() throws(Refusal) {
        guard configuration.database.exists || FileStatus(path: configuration.adminSocketPath) != nil else {
            throw Refusal(configuration.database.missing)
        }
    }

    private func directly(_ command: AdministrationCommand) async throws -> AdministrationAnswer {
        guard configuration.database.exists || command.makesDatabase else {
            throw Refusal(configuration.database.missing)
        }
        do {
            let opened = try await OpenedServer.open(configuration, logger: Logger(configuration).quieter)
            let answer = await opened.server.administration.execute(command)
            await opened.close()
            return answer
        } catch let error as StoreError where error.code == .owned {
            throw Refusal(
                "\(error.reason), and no server answers on \(configuration.adminSocketPath): use the same "
                    + "\(Settings.adminSocket.flag) as the server, or wait until the server has started or the other command is done"
            )
        }
    }
}

extension AdministrationCommand {
    /// What to use instead of a command that works only on a file.
    fileprivate var remedyWithPostgreSQL: String? {
        switch self {
        case .database(.backup):
            "PostgreSQL makes its own backups, with pg_dump or pg_basebackup; nothing was written"
        case .database(.check):
            "PostgreSQL checks its own files, with pg_amcheck; `walletauth doctor` checks that this program can use them"
        default: nil
        }
    }

    /// Whether the command may create a database. For any other command a missing file is more likely a mistyped path,
    /// which an empty new database would hide.
    fileprivate var makesDatabase: Bool {
        if case .database(.migrate) = self { true } else { false }
    }
}
