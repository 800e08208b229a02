import AuthCore
import AuthFlows
import AuthHTTP
import Logging
import WalletAuthWire

/// Everything the program is configured with, read, typed and free of faults.
struct ServerConfiguration: Sendable {
    var environment: ServerSettings.Environment
    var database: DatabaseLocation
    /// Nil in the sandbox where none is configured: then it follows from the host and the port listened on.
    var issuer: Issuer?
    var host: String
    var port: Int
    var masterKey: MasterKeySource
    var tls: TLSFiles?
    var trustedProxies: [AddressRange]
    var adminSocketPath: String
    var logFormat: LogFormat
    var logLevel: Logger.Level
    var shutdownTimeout: Duration
    /// Nil where not configured: as many as there are processors.
    var passwordHashes: Int?
    var passwordQueue: Int
    var coolingPeriod: Duration
    var sweepInterval: Duration
    /// The write-ahead log's limit, in MiB.
    var logLimit: Int
    var keyRotation: Duration
    var auditCheckpoints: String
    var outbound: OutboundConfiguration
    var breaches: BreachConfiguration
    var sca: SCASettings
    /// Whether a part of `sca` could not be read, so that its value is not what was meant.
    var isSCAFaulty: Bool
    /// All of it by digests, to be held against a server that runs.
    var given: ConfiguredSettings
    /// Whether something that decides about the rest (the file, the environment, the database) could not be read: then
    /// this configuration may be another installation's.
    var isPartial: Bool
    /// Environment variables named like settings that are none: worth a warning.
    var unknownVariables: [String]
}

extension ServerConfiguration {
    /// What a configuration is read for; serving needs more than reaching the database.
    enum Purpose: Sendable {
        case serving
        case administering
    }

    /// Reads the configuration.
    ///
    /// - Parameters:
    ///   - purpose: What it is read for.
    ///   - flags: The settings given as flags.
    ///   - environment: The process's environment variables.
    /// - Throws: `FaultyConfiguration` with every fault there is.
    static func read(
        for purpose: Purpose, flags: SettingFlags, environment: [String: String]
    ) async throws(FaultyConfiguration) -> ServerConfiguration {
        let (configuration, faults) = await readLeniently(for: purpose, flags: flags, environment: environment)
        guard faults.isEmpty else { throw FaultyConfiguration(faults: faults) }
        return configuration
    }

    /// Reads as much of the configuration as there is: what has a fault is as if not configured. For the doctor, who
    /// examines a faulty installation too.
    static func readLeniently(
        for purpose: Purpose, flags: SettingFlags, environment: [String: String]
    ) async -> (ServerConfiguration, faults: [Fault]) {
        var faults: [Fault] = []
        let text = ConfiguredText(flags: flags, environment: environment, faults: &faults)

        let givenDatabase = text.value(of: Settings.database, faults: &faults)
        let database = givenDatabase ?? DatabaseLocation(path: "walletauth.db")
        let givenEnvironment = text.value(of: Settings.environment, faults: &faults)
        let environment = givenEnvironment ?? .sandbox
        let isPartial =
            !text.isWhole || (givenDatabase == nil && text.isGiven(Settings.database))
            || (givenEnvironment == nil && text.isGiven(Settings.environment))
        let adminSocket = text.value(of: Settings.adminSocket, faults: &faults) ?? database.adminSocketPath
        faults += Self.faults(ofAdminSocket: adminSocket)

        // Only who serves sends: a command need not fail for the mail server's password, for a list of stolen ones,
        // or for what wallet operations need.
        var outboundFaults: [Fault] = []
        let outbound = OutboundConfiguration.configured(in: text, environment: environment, faults: &outboundFaults)
        let breaches = BreachConfiguration.configured(in: text, policy: outbound.policy, faults: &outboundFaults)
        var scaFaults: [Fault] = []
        let sca = SCASettings.configured(in: text, faults: &scaFaults)
        outboundFaults += scaFaults
        if purpose == .serving { faults += outboundFaults }

        let configuration = ServerConfiguration(
            environment: environment,
            database: database,
            issuer: text.value(of: Settings.issuer, faults: &faults),
            host: text.value(of: Settings.host, faults: &faults) ?? "127.0.0.1",
            port: text.value(of: Settings.port, faults: &faults) ?? 8700,
            masterKey: .configured(in: text, environment: environment, database: database, faults: &faults),
            tls: .configured(in: text, faults: &faults),
            trustedProxies: text.value(of: Settings.trustedProxies, faults: &faults) ?? [],
            adminSocketPath: adminSocket,
            logFormat: text.value(of: Settings.logFormat, faults: &faults) ?? .text,
            logLevel: text.value(of: Settings.logLevel, faults: &faults) ?? .info,
            shutdownTimeout: text.value(of: Settings.shutdownTimeout, faults: &faults) ?? .seconds(10),
            passwordHashes: text.value(of: Settings.passwordHashes, faults: &faults),
            passwordQueue: text.value(of: Settings.passwordQueue, faults: &faults) ?? 64,
            coolingPeriod: text.value(of: Settings.coolingPeriod, faults: &faults) ?? DevicePolicy().coolingPeriod,
            sweepInterval: text.value(of: Settings.sweepInterval, faults: &faults) ?? .seconds(60),
            logLimit: text.value(of: Settings.logLimit, faults: &faults) ?? 1024,
            keyRotation: text.value(of: Settings.keyRotation, faults: &faults) ?? .seconds(90 * 86_400),
            auditCheckpoints: text.value(of: Settings.auditCheckpoints, faults: &faults) ?? database.checkpointsPath,
            outbound: outbound,
            breaches: breaches,
            sca: sca,
            isSCAFaulty: !scaFaults.isEmpty,
            given: text.settings,
            isPartial: isPartial,
            unknownVariables: text.unknownVariables)

        // The consequence of a fault that is already reported is not a fault of its own.
        if !isPartial { faults += configuration.faults(for: purpose, in: text) }
        return (configuration, faults)
    }

    /// An address of a socket holds no longer path (`sockaddr_un`: 104 bytes on Darwin, 108 on Linux).
    private static func faults(ofAdminSocket path: String) -> [Fault] {
        guard path.utf8.count > 100 else { return [] }
        return [
            Fault(
                problem: "the path of the administration socket is longer than 100 bytes: \(path)",
                remedy: "Give a shorter one with \(Settings.adminSocket.flag), in a directory that only you can access")
        ]
    }

    /// What is wrong with settings that can be read, each or together.
    private func faults(for purpose: Purpose, in text: ConfiguredText) -> [Fault] {
        var faults: [Fault] = []
        if masterKey != .missing || !text.givesMasterKey { faults += masterKey.faults(in: environment) }
        if purpose == .serving {
            faults += tls?.faults(in: environment) ?? []
            if environment == .production { faults += text.missingIssuer + text.missingTLS + productionFaults }
        }
        return faults
    }
}

extension TLSFiles {
    fileprivate static func configured(in text: ConfiguredText, faults: inout [Fault]) -> TLSFiles? {
        let certificate = text.value(of: Settings.tlsCertificate, faults: &faults)
        let key = text.value(of: Settings.tlsKey, faults: &faults)
        switch (certificate, key) {
        case (let certificate?, let key?):
            return TLSFiles(certificateChain: certificate, privateKey: key)
        case (nil, nil):
            return nil
        case (_?, nil) where !text.isGiven(Settings.tlsKey):
            faults.append(incomplete(Settings.tlsCertificate, without: Settings.tlsKey, in: text))
            return nil
        case (nil, _?) where !text.isGiven(Settings.tlsCertificate):
            faults.append(incomplete(Settings.tlsKey, without: Settings.tlsCertificate, in: text))
            return nil
        case (_?, nil), (nil, _?):
            return nil
        }
    }
}

extension TLSFiles {
    private static func incomplete(
        _ given: some DeclaredSetting, without missing: some DeclaredSetting, in text: ConfiguredText
    ) -> Fault {
        Fault(
            problem: "\(text.origin(of: given)) is given without \(missing.name)",
            remedy: "Give both \(Settings.tlsCertificate.name) and \(Settings.tlsKey.name), or neither")
    }
}

extension ConfiguredText {
    /// Whether a master key is configured in any way, be it a faulty one.
    fileprivate var givesMasterKey: Bool {
        isGiven(Settings.masterKeyFile) || isGiven(Settings.masterKeyCommand) || isGiven(Settings.masterKey)
    }

    /// Production answers over TLS, its own or a proxy's. Where either was meant and has a fault, that is the fault.
    fileprivate var missingTLS: [Fault] {
        guard !isGiven(Settings.tlsCertificate), !isGiven(Settings.tlsKey), !isGiven(Settings.trustedProxies) else {
            return []
        }
        return [
            Fault(
                problem: "there is neither TLS nor a trusted proxy: every token would travel unencrypted",
                remedy:
                    "Give \(Settings.tlsCertificate.flag) and \(Settings.tlsKey.flag), or name the proxy that ends"
                    + " TLS with \(Settings.trustedProxies.flag)")
        ]
    }

    /// Production has no URL of its own to fall back to.
    fileprivate var missingIssuer: [Fault] {
        guard text(of: Settings.issuer) == nil else { return [] }
        return [
            Fault(
                problem: "no issuer is configured",
                remedy: "Give the public https URL of this server with \(Settings.issuer.flag)")
        ]
    }
}
