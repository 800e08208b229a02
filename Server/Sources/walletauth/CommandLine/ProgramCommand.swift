import ArgumentParser

/// The input of a subcommand, apart from its own options.
struct Invocation: Sendable {
    let flags: SettingFlags
    let environment: [String: String]
}

/// A subcommand that uses the configuration.
protocol ProgramCommand: ParsableCommand {
    /// - Throws: an error to report in one line on standard error. The program exits with 1, with the status of a `Refusal`,
    ///   or of a faulty configuration with ``ExitStatus/outOfService``.
    func run(in invocation: Invocation) async throws
}

/// Exit codes beyond 0, 1 and 64: some for scripts, and those of sysexits(3) for service managers.
enum ExitStatus {
    /// The evidence is genuine, but the transaction is not signed, or the operation was not approved.
    static let notAgreed: Int32 = 3
    /// The database is older than what this machine has seen (EX_DATAERR). A person must act first.
    static let olderDatabase: Int32 = 65
    /// Another process has taken the database (EX_TEMPFAIL). A restart is refused while that one lives.
    static let databaseTaken: Int32 = 75
    /// Two hosts accept writes (EX_TEMPFAIL). A restart is refused until one of them is stopped.
    static let otherPrimary: Int32 = 75
    /// A copy was interrupted (EX_TEMPFAIL). The same command resumes it.
    static let copyInterrupted: Int32 = 75
    /// The disk failed (EX_IOERR). The service manager should restart the server.
    static let diskFailed: Int32 = 74
    /// A person must act first (EX_CONFIG): the configuration is faulty or another database's, the disk fails again and again, or the
    /// database's file is damaged. The service manager should not restart the server.
    static let outOfService: Int32 = 78
}
