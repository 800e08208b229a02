import ArgumentParser
import Core
import NIOCore
import Programs

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct DoctorCommand: ProgramCommand, ArgumentExplaining {
    static let insteadOfArgument = SettingFlags.insteadOfArgument

    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: """
            Check configuration, files, clock, TLS, mail server, server, database, keys and identity providers; change \
            nothing.
            """,
        discussion: "Accepts the same settings as `serve`. Exits with 1 if a check fails.\n\n"
            + ConfigurationDocument.help)

    @Flag(help: "Print one JSON document.")
    var json = false

    func run(in invocation: Invocation) async throws {
        let findings = await Doctor(flags: invocation.flags, environment: invocation.environment).examine()
        let failures = findings.count { $0.status == .fail }
        if json {
            try Terminal.say(json: DoctorReport(healthy: failures == 0, findings: findings))
        } else {
            try findings.forEach { try Terminal.say($0.line.escapedForOneLine) }
        }
        guard failures == 0 else {
            // The report is the answer, also for a script: no other document follows.
            Terminal.complain(failures.counted("check failed", "checks failed"))
            throw ExitCode.failure
        }
    }
}

struct DoctorReport: Codable, Sendable {
    var healthy: Bool
    var findings: [Finding]
}

/// Examines an installation, from its configuration to its keys, without changing anything. Each check is a `…Findings`
/// type in this folder.
struct Doctor {
    let flags: SettingFlags
    let environment: [String: String]
    /// The time limit for the server's status.
    var patience = TimeAmount.seconds(30)

    /// All findings, the most important subjects first.
    func examine() async -> [Finding] {
        let (configuration, faults) = await ServerConfiguration.readLeniently(
            for: .serving, flags: flags, environment: environment)
        var findings = ConfigurationFindings.of(configuration, faults: faults)
        // A partial configuration may belong to another installation, whose state would mislead.
        guard !configuration.isPartial else { return findings }
        findings += FilesFindings.of(configuration)
        findings += ClockFindings.of(configuration)
        findings += TLSFindings.of(configuration)
        findings += await OutboundFindings.of(configuration)
        findings += await BreachFindings.of(configuration)
        if case .postgreSQL(let url) = configuration.database.engine {
            // No running server can be asked: they may be on other machines.
            return findings + SCAFindings.of(configuration)
                + (await PostgreSQLFindings.of(url, configuration, authorities: environment["SSL_CERT_FILE"]))
        }
        let server = await ServerFindings.of(configuration, within: patience)
        // Reports the rules in effect now, not those after a restart.
        findings += server.sca ?? SCAFindings.of(configuration)
        findings += server.findings
        // The database of a running server belongs to that server, so the doctor asks it.
        if !server.runs {
            findings += await DatabaseFindings.read(configuration)
        } else if server.answers {
            findings += await DatabaseFindings.asked(configuration, keys: server.wrappedKeys)
        }
        return findings
    }
}
