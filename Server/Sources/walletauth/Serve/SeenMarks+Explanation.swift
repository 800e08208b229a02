import Kernel

extension SeenMarks.Verdict {
    /// The line for an operator.
    /// - Parameters:
    ///   - database: for people, without a password.
    ///   - server: the host and port that answered, of those that the database's URL names.
    ///   - file: the path of the file with the marks.
    func explanation(database: String, at server: String?, file: String) -> String {
        let answer = server.map { "The server that responded is \($0). " } ?? ""
        return switch self {
        case .current: "the database \(database) is current"
        case .older(let lacking):
            "the database \(database) is older than what this machine has seen"
                + (lacking.map { ": it lacks writes of about \($0.text)" } ?? "")
                + ". \(answer)If it is an old primary that runs again after a failover, stop it; there is nothing else to "
                + "do. If it was restored, or a standby without the last commits took over, stop every server, run "
                + "`walletauth database restored`, and start them again; or repair the database first, if the lost "
                + "commits are still on another host"
        case .restorePending:
            "the database \(database) is marked as restored: a server found that it lacks commits, or `walletauth "
                + "database restored` was interrupted. \(answer)If it is an old primary that runs again after a failover, "
                + "stop it; there is nothing else to do. Otherwise stop every server, run `walletauth database restored`, "
                + "and start them again"
        case .otherDatabase:
            "\(file) belongs to a database other than \(database). \(answer)Name that one, or give this one a folder "
                + "of its own with \(Settings.postgreSQLFolder.spellings). If you created the database again, remove the file"
        }
    }
}

/// A start was refused because the database is older than what this machine has seen.
struct OlderDatabase: Error, CustomStringConvertible {
    let description: String
}
