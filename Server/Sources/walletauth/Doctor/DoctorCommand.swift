import ArgumentParser
import OneLineText

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct DoctorCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: """
            Check configuration, files, clock, TLS, mail server, server, database, keys and identity providers; change \
            nothing.
            """,
        discussion: "Takes the same settings as `serve`. Exits with 1 if a check fails.\n\n"
            + ConfigurationDocument.help(for: Settings.all))

    @Flag(help: "Print one JSON document.")
    var json = false

    func run(in invocation: Invocation) async throws {
        let findings = await Doctor(flags: invocation.flags, environment: invocation.environment).examine()
        let failures = findings.count { $0.status == .fail }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let report = DoctorReport(healthy: failures == 0, findings: findings)
            try Terminal.say(String(decoding: try encoder.encode(report), as: UTF8.self))
        } else {
            try findings.forEach { try Terminal.say($0.line.escapedForOneLine) }
        }
        guard failures == 0 else {
            throw Refusal(failures == 1 ? "1 check failed" : "\(failures) checks failed")
        }
    }
}

struct DoctorReport: Codable, Sendable {
    var healthy: Bool
    var findings: [Finding]
}
