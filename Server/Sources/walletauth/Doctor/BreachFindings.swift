import AuthOutbound

/// Checks that breached passwords can be looked up: reads the file, and requests one range from the service.
enum BreachFindings {
    static func of(_ configuration: ServerConfiguration) async -> [Finding] {
        let breaches = configuration.breaches
        var findings: [Finding] = []
        if let file = breaches.file, let source = breaches.fileSource {
            if let problem = await source.examine() {
                findings.append(
                    .fail("breaches", "the file \(file) \(problem)", "Download it again, ordered by hash, with SHA-1"))
            } else {
                findings.append(.ok("breaches", "the file \(file) is a list of stolen passwords, ordered by hash"))
            }
        }
        if let url = breaches.url, let source = breaches.urlSource {
            if let problem = await source.examine() {
                findings.append(
                    .fail(
                        "breaches", "the service \(url): \(problem); passwords are not checked against it",
                        "Fix \(Settings.breachesURL.name), the connection, or outbound.privateNetworks"))
            } else {
                findings.append(.ok("breaches", "the service \(url) answers with a range of stolen passwords"))
            }
        }
        return findings
    }
}
