import WalletAuthWire

/// Whether the database belongs to the issuer that it would be served under.
enum IssuerFindings {
    /// - Parameters:
    ///   - configuration: What was configured.
    ///   - recorded: The issuer in the database, or of the server that runs; nil where it was never served.
    static func of(_ configuration: ServerConfiguration, recorded: String?) -> [Finding] {
        guard let recorded else { return [] }
        // Without an issuer the port decides, and port 0 is any: what it would come to is not known yet.
        let derived = configuration.port == 0 ? nil : try? configuration.sandboxIssuer(port: configuration.port)
        guard let issuer = configuration.issuer ?? derived else { return [] }
        guard issuer.rawValue != recorded else {
            return [.ok("issuer", "\(recorded) is the one that the database belongs to")]
        }
        let fault = Fault.otherIssuer(recorded: recorded, configured: issuer.rawValue)
        return [.fail("issuer", fault.problem, fault.remedy)]
    }
}
