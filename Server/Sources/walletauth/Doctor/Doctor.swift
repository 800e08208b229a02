import NIOCore

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
        let server = await ServerFindings.of(configuration, within: patience)
        // Reports the rules in effect now, not those after a restart.
        findings += server.sca ?? SCAFindings.of(configuration)
        findings += server.findings
        // The database of a running server belongs to that server, so the doctor asks it.
        if !server.runs {
            findings += await DatabaseFindings.read(configuration)
        } else if server.answers {
            findings += await DatabaseFindings.asked(configuration)
        }
        return findings
    }
}
