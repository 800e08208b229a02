import AuthFlows
import AuthStore
import Logging

/// The way to carry out an administrative command: through the running server where there is one, else on the database
/// itself, whose lock keeps both from happening at once.
struct AdministrationChannel {
    let configuration: ServerConfiguration

    /// Carries out a command.
    ///
    /// - Throws: `Refusal` where neither way is possible; it says why, and what to do.
    func answer(to command: AdministrationCommand) async throws -> AdministrationAnswer {
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

    /// Refuses if there is neither a database nor a socket, before the command asks for a password in vain.
    ///
    /// - Throws: `Refusal` that says what makes a database.
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
    /// Whether the command is there to make a database. For all others a missing file is more likely a mistyped path,
    /// and making an empty database there would hide it.
    fileprivate var makesDatabase: Bool {
        if case .database(.migrate) = self { true } else { false }
    }
}
