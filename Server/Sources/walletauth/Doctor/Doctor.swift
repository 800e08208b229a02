import NIOCore

/// Examines an installation, from its configuration to its keys, and changes nothing in it.
struct Doctor {
    let flags: SettingFlags
    let environment: [String: String]
    /// How long a server may take to say who it is.
    var patience = TimeAmount.seconds(30)

    /// Everything that was found, in the order in which it matters.
    func examine() async -> [Finding] {
        let (configuration, faults) = await ServerConfiguration.readLeniently(
            for: .serving, flags: flags, environment: environment)
        var findings = ConfigurationFindings.of(configuration, faults: faults)
        // Where it is unknown which installation is meant, another one's state would only mislead.
        guard !configuration.isPartial else { return findings }
        findings += FilesFindings.of(configuration)
        findings += ClockFindings.of(configuration)
        findings += TLSFindings.of(configuration)
        findings += await OutboundFindings.of(configuration)
        findings += await BreachFindings.of(configuration)
        let server = await ServerFindings.of(configuration, within: patience)
        // Who reads what passes without consent asks what is done, and not what would be after a restart.
        findings += server.sca ?? SCAFindings.of(configuration)
        findings += server.findings
        // The database of a server that runs is that server's own: it is asked.
        if !server.runs {
            findings += await DatabaseFindings.read(configuration)
        } else if server.answers {
            findings += await DatabaseFindings.asked(configuration)
        }
        return findings
    }
}
