import Store

extension StoreError {
    /// What to do about a PostgreSQL database that cannot be used, as one sentence; `nil` where the reason says it.
    var remedy: String? {
        switch code {
        case .loginRefused:
            "Check the role, its password (PGPASSWORD, or a passfile that this user owns) and the server's pg_hba.conf"
        case .untrustedServer:
            "Check that the server has TLS turned on, that its certificate has not expired and names the host in the URL, and "
                + "that sslrootcert is the certificate of its issuer"
        case .noDatabase: "Create the database, or correct its name in the setting \(Settings.database.name)"
        case .noConnections:
            "Raise max_connections or the pooler's pool size, or lower \(Settings.postgreSQLConnections.spellings)"
        case .readOnly: "Name the primary, or all servers: postgresql://user@first,second/database"
        case .otherPrimary: "If a standby was promoted by mistake, stop that one"
        case .notDurable: "Turn fsync and full_page_writes on at the server"
        case .full: "Make room on the disk of the database's server"
        case .damaged:
            "Check the disk of the database's server. pg_amcheck finds what is damaged: rebuild an index with REINDEX, restore "
                + "a backup for anything else, and restart the servers"
        // A reason with an SQLSTATE came from a server that runs.
        case .unavailable where !reason.contains("(PostgreSQL "):
            "Check that the server runs, and that its host and port are right"
        default: nil
        }
    }

    /// The reason and the remedy.
    var explanation: String { reason + (remedy.map { ". \($0)" } ?? "") }
}
