import Core
import HTTP
import Kernel
import Logging
import WalletAuthWire

/// The program's complete configuration, typed and validated.
///
/// This folder owns reading and validating settings. It opens no database and no listener; that is in `Serve`.
struct ServerConfiguration: Sendable {
    var environment: ServerSettings.Environment
    var database: DatabaseLocation
    /// With PostgreSQL.
    var postgreSQLConnections: Int
    var postgreSQLPooler: PostgreSQLPooler
    /// Nil in the sandbox if none is configured. It is then derived from the host and the port.
    var issuer: Issuer?
    var host: String
    var port: Int
    var masterKey: MasterKeySource
    var tls: TLSFiles?
    var trustedProxies: [AddressRange]
    /// With SQLite.
    var adminSocketPath: String
    var adminAPI: Bool
    var adminConsole: Bool
    /// The address of a listener for both.
    var adminListen: ListenAddress?
    /// Where it is reached, without a path.
    var adminOrigin: Issuer?
    var metricsListen: ListenAddress?
    var twoOperators: Bool
    var scim: Bool
    var logFormat: LogFormat
    var logLevel: Logger.Level
    var shutdownDelay: Duration
    var shutdownTimeout: Duration
    /// Nil if not configured: as many as there are processors.
    var passwordsConcurrentHashes: Int?
    var passwordsQueue: Int
    var network: NetworkLimits
    var guestCodes: GuestCodeLimits
    /// The most open connections of one network.
    var networkConnections: Int
    var devices: DevicePolicy
    /// The file from which `devices` has the revoked Android keys.
    var androidRevocations: String?
    var sessions: SessionPolicy
    var sweepInterval: Duration
    /// The limit of the write-ahead log, in MiB.
    var walLimit: Int
    var signingKeysRotationInterval: Duration
    var auditCheckpoints: String
    var outbound: OutboundConfiguration
    var breaches: BreachConfiguration
    var sca: SCASettings
    /// Whether a part of `sca` was invalid, so that its value is not the intended one.
    var isSCAFaulty: Bool
    /// Whether host, port or issuer was invalid, so that this is not where the server listens.
    var isAddressFaulty: Bool
    /// All settings as digests, to compare with those of a running server.
    var given: ConfiguredSettings
    /// Whether a source that affects everything else was unreadable (file, environment or database). This configuration
    /// may then belong to another installation.
    var isPartial: Bool
    /// Environment variables that look like settings but are not. They get a warning.
    var unknownVariables: [String]
}

extension ServerConfiguration {
    /// The purpose of reading. Serving needs more settings than access to the database.
    enum Purpose: Sendable {
        case serving
        case administering
    }

    /// Reads the configuration.
    ///
    /// - Throws: `FaultyConfiguration` with every fault.
    static func read(
        for purpose: Purpose, flags: SettingFlags, environment: [String: String]
    ) async throws(FaultyConfiguration) -> ServerConfiguration {
        let (configuration, faults) = await readLeniently(for: purpose, flags: flags, environment: environment)
        guard faults.isEmpty else { throw FaultyConfiguration(faults: faults) }
        return configuration
    }

    /// Reads as much as possible, and treats faulty settings as not configured. The doctor uses it, since it also
    /// examines faulty installations.
    static func readLeniently(
        for purpose: Purpose, flags: SettingFlags, environment: [String: String]
    ) async -> (ServerConfiguration, faults: [Fault]) {
        var faults: [Fault] = []
        let text = ConfiguredText(flags: flags, environment: environment, faults: &faults)

        // A fault in these affects everything else.
        var sources: [Fault] = []
        let folder = text.value(of: Settings.postgreSQLFolder, faults: &sources)
        let database = text.value(of: Settings.database, faults: &sources).keepingFiles(in: folder)
        let environment = text.value(of: Settings.environment, faults: &sources)
        let isPartial = !text.isWhole || !sources.isEmpty
        faults += sources
        let adminSocket = text.value(of: Settings.adminSocket, faults: &faults) ?? database.adminSocketPath
        if !database.isPostgreSQL {
            faults += Self.faults(ofAdminSocket: adminSocket)
        } else if text.isGiven(Settings.adminSocket) {
            faults.append(.socketWithPostgreSQL(text.origin(of: Settings.adminSocket)))
        }

        // Only a server sends messages. Other commands must not fail because of the mail server's password, the list of
        // breached passwords or the settings of wallet operations.
        var outboundFaults: [Fault] = []
        let outbound = OutboundConfiguration.configured(in: text, environment: environment, faults: &outboundFaults)
        let breaches = BreachConfiguration.configured(in: text, policy: outbound.policy, faults: &outboundFaults)
        var scaFaults: [Fault] = []
        let sca = SCASettings.configured(in: text, faults: &scaFaults)
        outboundFaults += scaFaults
        if purpose == .serving { faults += outboundFaults }
        // No command looks at an attestation.
        let revocations =
            purpose == .serving ? text.value(of: Settings.androidRevocations, faults: &faults) : nil

        let configuration = ServerConfiguration(
            environment: environment,
            database: database,
            postgreSQLConnections: text.value(of: Settings.postgreSQLConnections, faults: &faults),
            postgreSQLPooler: text.value(of: Settings.postgreSQLPooler, faults: &faults),
            issuer: text.value(of: Settings.issuer, faults: &faults),
            host: text.value(of: Settings.host, faults: &faults),
            port: text.value(of: Settings.port, faults: &faults),
            masterKey: .configured(in: text, environment: environment, database: database, faults: &faults),
            tls: .configured(in: text, faults: &faults),
            trustedProxies: text.value(of: Settings.trustedProxies, faults: &faults) ?? [],
            adminSocketPath: adminSocket,
            adminAPI: text.value(of: Settings.adminAPI, faults: &faults),
            adminConsole: text.value(of: Settings.adminConsole, faults: &faults),
            adminListen: text.value(of: Settings.adminListen, faults: &faults),
            adminOrigin: text.value(of: Settings.adminOrigin, faults: &faults),
            metricsListen: text.value(of: Settings.metricsListen, faults: &faults),
            twoOperators: text.value(of: Settings.twoOperators, faults: &faults),
            scim: text.value(of: Settings.scim, faults: &faults),
            logFormat: text.value(of: Settings.logFormat, faults: &faults),
            logLevel: text.value(of: Settings.logLevel, faults: &faults),
            shutdownDelay: text.value(of: Settings.shutdownDelay, faults: &faults),
            shutdownTimeout: text.value(of: Settings.shutdownTimeout, faults: &faults),
            passwordsConcurrentHashes: text.value(of: Settings.passwordsConcurrentHashes, faults: &faults),
            passwordsQueue: text.value(of: Settings.passwordsQueue, faults: &faults),
            network: .configured(in: text, faults: &faults),
            guestCodes: .configured(in: text, faults: &faults),
            networkConnections: text.value(of: Settings.networkConnections, faults: &faults),
            devices: .configured(in: text, for: purpose, revocations: revocations, faults: &faults),
            androidRevocations: revocations,
            sessions: .configured(in: text, faults: &faults),
            sweepInterval: text.value(of: Settings.sweepInterval, faults: &faults),
            walLimit: text.value(of: Settings.walLimit, faults: &faults),
            signingKeysRotationInterval: text.value(of: Settings.signingKeysRotationInterval, faults: &faults),
            auditCheckpoints: text.value(of: Settings.auditCheckpoints, faults: &faults) ?? database.checkpointsPath,
            outbound: outbound,
            breaches: breaches,
            sca: sca,
            isSCAFaulty: !scaFaults.isEmpty,
            isAddressFaulty: text.isInvalid(Settings.host) || text.isInvalid(Settings.port)
                || text.isInvalid(Settings.issuer),
            given: text.settings,
            isPartial: isPartial,
            unknownVariables: text.unknownVariables)

        // The consequences of a reported fault are not reported again.
        if !isPartial { faults += configuration.faults(for: purpose, in: text) }
        return (configuration, faults)
    }

    /// A socket address cannot hold a longer path (`sockaddr_un`: 104 bytes on Darwin, 108 on Linux).
    private static func faults(ofAdminSocket path: String) -> [Fault] {
        guard path.utf8.count > 100 else { return [] }
        return [
            Fault(
                "the path of the administration socket is longer than 100 bytes: \(path)",
                "Set a shorter one with \(Settings.adminSocket.spellings), in a directory that only you can access")
        ]
    }

    /// Faults in valid settings, alone or in combination.
    private func faults(for purpose: Purpose, in text: ConfiguredText) -> [Fault] {
        var faults: [Fault] = []
        if environment == .production { faults += databaseFaults }
        if masterKey != .missing || !text.givesMasterKey { faults += masterKey.faults(in: environment) }
        if purpose == .serving {
            faults += tls?.faults(in: environment) ?? []
            faults += listenerFaults
            if environment == .production {
                faults += text.missingIssuer + text.missingTLS + productionFaults(in: text)
                if database.isPostgreSQL { faults += text.missingFolder }
            }
        }
        return faults
    }
}

extension Fault {
    fileprivate static func socketWithPostgreSQL(_ origin: String) -> Fault {
        Fault(
            "\(origin) is set, but with PostgreSQL there is no administration socket: commands change the "
                + "database, and every server picks up the change", "Leave it out")
    }
}

extension DevicePolicy {
    fileprivate static func configured(
        in text: ConfiguredText, for purpose: ServerConfiguration.Purpose, revocations: String?,
        faults: inout [Fault]
    ) -> DevicePolicy {
        var policy = DevicePolicy()
        policy.coolingPeriod = text.value(of: Settings.coolingPeriod, faults: &faults)
        policy.biometricKeys = text.value(of: Settings.biometricKeys, faults: &faults)
        if purpose == .serving {
            policy.attestation = .configured(in: text, revocations: revocations, faults: &faults)
        }
        return policy
    }
}

extension NetworkLimits {
    fileprivate static func configured(in text: ConfiguredText, faults: inout [Fault]) -> NetworkLimits {
        var limits = NetworkLimits()
        limits.failures = Int64(text.value(of: Settings.networkFailures, faults: &faults))
        limits.recoveries = Int64(text.value(of: Settings.networkRecoveries, faults: &faults))
        limits.longestWait = text.value(of: Settings.networkLongestWait, faults: &faults)
        limits.crowded = text.value(of: Settings.networkCrowded, faults: &faults) ?? []
        limits.crowdFactor = Int64(text.value(of: Settings.networkCrowdFactor, faults: &faults))
        return limits
    }
}

extension GuestCodeLimits {
    fileprivate static func configured(in text: ConfiguredText, faults: inout [Fault]) -> GuestCodeLimits {
        var limits = GuestCodeLimits()
        limits.client = Int64(text.value(of: Settings.guestCodesClient, faults: &faults))
        limits.merchant = Int64(text.value(of: Settings.guestCodesMerchant, faults: &faults))
        limits.network = Int64(text.value(of: Settings.guestCodesNetwork, faults: &faults))
        return limits
    }
}

extension SessionPolicy {
    fileprivate static func configured(in text: ConfiguredText, faults: inout [Fault]) -> SessionPolicy {
        var policy = SessionPolicy()
        policy.limit = text.value(of: Settings.limitsSessions, faults: &faults)
        policy.silentSignIns = text.value(of: Settings.limitsSilentSignIns, faults: &faults)
        return policy
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
            "\(text.origin(of: given)) is set without \(missing.name)",
            "Set both \(Settings.tlsCertificate.name) and \(Settings.tlsKey.name), or neither")
    }
}

extension ConfiguredText {
    /// Whether any master key is configured, even an invalid one.
    fileprivate var givesMasterKey: Bool {
        isGiven(Settings.masterKeyFile) || isGiven(Settings.masterKeyCommand) || isGiven(Settings.masterKey)
    }

    /// Production requires TLS, the server's own or a proxy's. If either is configured but invalid, that fault is
    /// already reported.
    fileprivate var missingTLS: [Fault] {
        guard !isGiven(Settings.tlsCertificate), !isGiven(Settings.tlsKey), !namesProxy else { return [] }
        return [
            Fault(
                "there is neither TLS nor a trusted proxy: every token would travel unencrypted",
                "Use \(Settings.tlsCertificate.spellings) and \(Settings.tlsKey.spellings), or name the proxy that"
                    + " terminates TLS with \(Settings.trustedProxies.spellings)")
        ]
    }

    /// Whether a proxy is configured, even an invalid one. An empty list names none.
    private var namesProxy: Bool {
        var reported: [Fault] = []
        let proxies = value(of: Settings.trustedProxies, faults: &reported)
        return proxies.map { !$0.isEmpty } ?? isGiven(Settings.trustedProxies)
    }

    /// The working directory would be another one with each way of starting the server, and the files would be lost.
    fileprivate var missingFolder: [Fault] {
        guard !isGiven(Settings.postgreSQLFolder) else { return [] }
        return [
            Fault(
                "no folder is configured for what this machine has seen of the database, so an older one "
                    + "would not be noticed",
                "Set one that only the server's user can write, with \(Settings.postgreSQLFolder.spellings)")
        ]
    }

    /// Production has no default URL.
    fileprivate var missingIssuer: [Fault] {
        guard text(of: Settings.issuer) == nil else { return [] }
        return [
            Fault("no issuer is configured", "Set the public https URL of this server with \(Settings.issuer.flag)")
        ]
    }
}
