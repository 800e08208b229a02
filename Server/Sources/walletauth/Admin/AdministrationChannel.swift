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
                throw Refusal("the server behind \(socket) could not be asked: \(reason)")
            }
        }
    }

    private func directly(_ command: AdministrationCommand) async throws -> AdministrationAnswer {
        let path = configuration.database.path
        guard FileStatus(path: path) != nil || command.mayBegin else {
            throw Refusal(
                "there is no database at \(path): name it with --database, or make one with `walletauth database migrate`"
            )
        }
        do {
            let opened = try await OpenedServer.open(configuration, logger: Logger(configuration).quieter)
            let answer = await opened.server.administration.execute(command)
            await opened.close()
            return answer
        } catch let error as StoreError where error.code == .owned {
            throw Refusal(
                "another process has the database \(path) open, and no server answers on \(configuration.adminSocketPath):"
                    + " give the --admin-socket that the server was started with, or wait until the other command is done"
            )
        }
    }
}

extension AdministrationCommand {
    /// Whether the command makes sense on a database that does not exist yet. For the others a missing file is more
    /// likely a mistyped path, and making an empty database there would hide it.
    fileprivate var mayBegin: Bool {
        switch self {
        case .database(.migrate), .client(.create), .account(.create), .brand(.create), .merchant(.create): true
        default: false
        }
    }
}
