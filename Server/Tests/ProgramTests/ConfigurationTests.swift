import Core
import Kernel
import Logging
import Testing
import WalletAuthWire

@testable import walletauth

@Suite("Configuration")
struct ConfigurationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func read(
        _ arguments: [String] = [], environment: [String: String] = [:],
        for purpose: ServerConfiguration.Purpose = .serving
    ) async -> (ServerConfiguration, faults: [Fault]) {
        let database = ["--database", "sqlite:\(folder.path("walletauth.db"))"]
        do {
            let flags = try SettingFlags(taking: Settings.all, from: database + arguments)
            return await ServerConfiguration.readLeniently(for: purpose, flags: flags, environment: environment)
        } catch {
            Issue.record("the flags were not understood: \(error)")
            return await ServerConfiguration.readLeniently(for: purpose, flags: SettingFlags(), environment: [:])
        }
    }

    @Test("The sandbox works with nothing configured")
    func sandboxDefaults() async {
        let (configuration, faults) = await read()
        #expect(faults.isEmpty)
        #expect(configuration.environment == .sandbox)
        #expect(configuration.port == Settings.port.defaultValue)
        #expect(configuration.host == Settings.host.defaultValue)
        #expect(configuration.masterKey == .generated(folder.path("walletauth.db.master-key")))
        #expect(configuration.adminSocketPath == folder.path("walletauth.db.sock"))
    }

    @Test("A flag wins over the environment, the environment over the file, the file over the default")
    func precedence() async throws {
        let file = try folder.write("port: 1001\nlog:\n  level: error\nshutdownTimeout: 3s\n", to: "c.yaml")
        let environment = ["WALLETAUTH_PORT": "1002", "WALLETAUTH_LOG_LEVEL": "warning", "WALLETAUTH_CONFIG": file]
        let (configuration, faults) = await read(["--port", "1003"], environment: environment)
        #expect(faults.isEmpty)
        #expect(configuration.port == 1003)
        #expect(configuration.logLevel == .warning)
        #expect(configuration.shutdownTimeout == .seconds(3))
        #expect(configuration.passwordsQueue == Settings.passwordsQueue.defaultValue)
    }

    @Test("A list in the file may be a YAML sequence or one text with commas")
    func lists() async throws {
        let sequence = try folder.write("trustedProxies:\n  - 10.0.0.0/8\n  - ::1\n", to: "a.yaml")
        let text = try folder.write("trustedProxies: 10.0.0.0/8, ::1\n", to: "b.yaml")
        for file in [sequence, text] {
            let (configuration, faults) = await read(["--config", file])
            #expect(faults.isEmpty)
            #expect(configuration.trustedProxies.map(\.description) == ["10.0.0.0/8", "::1"])
        }
    }

    @Test("All faults are reported at once, each with what to do")
    func allFaults() async throws {
        let file = try folder.write("prot: 80\ntls:\n  certificate: a.pem\n", to: "c.yaml")
        let (_, faults) = await read([
            "--environment", "production", "--issuer", "http://127.0.0.1:1", "--port", "80000", "--config", file,
            "--log-level", "loud",
        ])
        let problems = faults.map(\.problem).joined(separator: "\n")
        for part in [
            "--port \"80000\"", "--log-level \"loud\"", "\"prot\"", "tls.certificate is set without tls.key",
            "not https",
            "no master key",
        ] {
            #expect(problems.contains(part), "missing: \(part)")
        }
        #expect(faults.allSatisfy { !$0.remedy.isEmpty })
    }

    @Test("Production refuses an http issuer, plain HTTP without a proxy, and a missing master key")
    func productionFaults() async {
        let (_, faults) = await read(["--environment", "production"])
        #expect(faults.count == 3)
    }

    @Test("Production refuses unsafe settings of the file by their lines, in their order; flags have none")
    func productionFaultsOfFile() async throws {
        let key = try folder.write(sampleMasterKey, to: "key")
        let file = try folder.write(
            "log:\n  level: debug\ntrustedProxies: [0.0.0.0/0]\nissuer: http://127.0.0.1:8700\n", to: "c.yaml")
        let (_, faults) = await read([
            "--environment", "production", "--master-key-file", key, "--config", file, "--devices-cooling-period",
            "10s",
        ])
        let unsafe = faults.map(\.problem).filter { $0.hasPrefix(file) || $0.contains("devices.coolingPeriod") }
        #expect(unsafe.count == 4, "\(faults)")
        for (problem, beginning) in zip(unsafe, ["2: log.level: the", "3: trustedProxies trusts", "4: issuer: the"]) {
            #expect(problem.hasPrefix("\(file) line \(beginning) "), "\(problem)")
        }
        #expect(unsafe.last?.hasPrefix("devices.coolingPeriod is so short") == true, "\(unsafe)")
    }

    @Test(
        "No line of the settings' help is wrapped by a terminal of 80 columns, and each line of a description is indented"
    )
    func helpWidth() {
        let lines = ConfigurationDocument.help.split(separator: "\n").dropFirst()
        for line in lines {
            #expect(line.count <= 79 || !line.dropFirst(6).contains(" "), "\(line)")
            #expect(line.hasPrefix("  --") || line.hasPrefix("  WALLETAUTH_") || line.hasPrefix("      "), "\(line)")
        }
    }

    @Test("Production starts behind a trusted proxy with an https issuer and a private master key file")
    func soundProduction() async throws {
        let key = try folder.write(sampleMasterKey, to: "key")
        let (configuration, faults) = await read([
            "--environment", "production", "--issuer", "https://id.example.com", "--trusted-proxies", "10.0.0.1",
            "--master-key-file", key,
        ])
        #expect(faults.isEmpty)
        #expect(configuration.masterKey == .file(key))
    }

    @Test("An empty list of proxies is no proxy: production does not start without TLS", arguments: [true, false])
    func noProxy(inFile: Bool) async throws {
        let key = try folder.write(sampleMasterKey, to: "key")
        let file = try folder.write("trustedProxies: []\n", to: "c.yaml")
        let (_, faults) = await read(
            ["--environment", "production", "--issuer", "https://id.example.com", "--master-key-file", key]
                + (inFile ? ["--config", file] : ["--trusted-proxies="]))
        #expect(faults.count == 1)
        #expect(faults.first?.problem.contains("neither TLS nor a trusted proxy") == true)
    }

    @Test("A proxy range that holds everybody is refused in production: anybody could claim any address")
    func everybodyIsNoProxy() async throws {
        let key = try folder.write(sampleMasterKey, to: "key")
        let (_, faults) = await read([
            "--environment", "production", "--issuer", "https://id.example.com", "--trusted-proxies", "0.0.0.0/0",
            "--master-key-file", key,
        ])
        #expect(faults.count == 1)
    }

    @Test("A cooling period of seconds is for trying things in the sandbox, and refused in production")
    func coolingPeriod() async throws {
        let (sandbox, none) = await read(["--devices-cooling-period", "10s"])
        #expect(none.isEmpty)
        #expect(sandbox.devices.coolingPeriod == .seconds(10))
        let key = try folder.write(sampleMasterKey, to: "key")
        let production = [
            "--environment", "production", "--issuer", "https://id.example.com", "--trusted-proxies", "10.0.0.1",
            "--master-key-file", key,
        ]
        let (_, faults) = await read(production + ["--devices-cooling-period", "59m"])
        #expect(faults.count == 1)
        #expect(faults.first?.problem.contains("devices.coolingPeriod") == true)
        let (left, sound) = await read(production)
        #expect(sound.isEmpty)
        #expect(left.devices.coolingPeriod == DevicePolicy().coolingPeriod)
    }

    @Test("Limits of networks have bounds, and in production not every address is crowded")
    func networkLimits() async throws {
        for flags in [
            ["--limits-network-failures", "4"], ["--limits-network-longest-wait", "2h"],
            ["--limits-network-crowded", "carrier.example"], ["--limits-network-crowd-factor", "1"],
            ["--limits-network-connections", "0"], ["--limits-network-recoveries", "0"],
        ] {
            let (_, faults) = await read(flags)
            #expect(faults.count == 1, "\(flags)")
        }
        let key = try folder.write(sampleMasterKey, to: "key")
        let (_, faults) = await read([
            "--environment", "production", "--issuer", "https://id.example.com", "--trusted-proxies", "10.0.0.1",
            "--master-key-file", key, "--limits-network-crowded", "0.0.0.0/0",
        ])
        #expect(faults.map(\.problem).contains { $0.contains("limits.network.crowded") }, "\(faults)")
    }

    @Test("Limits of one-time passwords for guests are at least one")
    func guestCodeLimits() async throws {
        for name in ["client", "merchant", "network"] {
            let (_, faults) = await read(["--limits-guest-codes-\(name)", "0"])
            #expect(faults.count == 1, "\(name)")
        }
    }

    @Test("What is configured for the flows reaches them")
    func flowSettings() async throws {
        let (configuration, faults) = await read([
            "--devices-cooling-period", "10s", "--passwords-concurrent-hashes", "3", "--passwords-queue", "7",
            "--sca-idle-limit", "2m", "--sca-evidence-retention", "400d", "--limits-network-failures", "200",
            "--limits-network-recoveries", "30", "--limits-network-longest-wait", "1m", "--limits-network-crowded",
            "100.64.0.0/10,2001:db8::/32", "--limits-network-crowd-factor", "7", "--limits-network-connections", "99",
            "--limits-sessions", "5", "--limits-silent-sign-ins", "6", "--limits-guest-codes-client", "11",
            "--limits-guest-codes-merchant", "12", "--limits-guest-codes-network", "13",
        ])
        #expect(faults.isEmpty)
        let settings = configuration.serverSettings(issuer: try Issuer("https://id.example.com"))
        #expect(settings.environment == .sandbox)
        #expect(settings.issuer.rawValue == "https://id.example.com")
        #expect(settings.devices.coolingPeriod == .seconds(10))
        #expect(settings.sessions.limit == 5)
        #expect(settings.sessions.silentSignIns == 6)
        #expect(settings.passwordHashing.concurrency == 3)
        #expect(settings.passwordHashing.queueLimit == 7)
        #expect(settings.sca.policy.idleLimit == .minutes(2))
        #expect(settings.sca.evidenceRetention == .days(400))
        let network = settings.lockout.network
        #expect(network.failures == 200 && network.recoveries == 30 && network.longestWait == .minutes(1))
        #expect(network.crowded.map(\.description) == ["100.64.0.0/10", "2001:db8::/32"] && network.crowdFactor == 7)
        #expect(configuration.networkConnections == 99)
        #expect(settings.codes == .sandbox, "someone who tries it out does not wait for codes")
        let codes = settings.guestCodes
        #expect(codes.client == 11 && codes.merchant == 12 && codes.network == 13)
    }

    @Test("A master key file that others can read is refused, in the sandbox too")
    func readableMasterKey() async throws {
        let key = try folder.write(sampleMasterKey, to: "key", mode: 0o644)
        let (_, faults) = await read(["--master-key-file", key])
        #expect(faults.map(\.problem).contains { $0.contains("mode 0644") })
    }

    @Test("Two master keys are refused: one of them would be ignored in silence")
    func twoMasterKeys() async throws {
        let key = try folder.write(sampleMasterKey, to: "key")
        let (_, faults) = await read(
            ["--master-key-file", key], environment: ["WALLETAUTH_MASTER_KEY": sampleMasterKey])
        #expect(faults.count == 1)
    }

    @Test("No fault, description or dump shows the master key of the environment")
    func masterKeyIsNotShown() async {
        let (configuration, _) = await read(environment: ["WALLETAUTH_MASTER_KEY": sampleMasterKey])
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!dumped.contains(sampleMasterKey))
        #expect(!"\(configuration)".contains(sampleMasterKey))
        let short = "c2hvcnQtc2VjcmV0"
        let (_, faults) = await read(environment: ["WALLETAUTH_MASTER_KEY": short])
        #expect(faults.count == 1)
        #expect(!"\(faults)".contains(short))
    }

    @Test("The master key is no flag and no key of the file, where others would see it")
    func masterKeySources() async throws {
        let flags = try SettingFlags(taking: Settings.all, from: ["--master-key", sampleMasterKey])
        #expect(flags.rest == ["--master-key", sampleMasterKey])
        let file = try folder.write("masterKey: \(sampleMasterKey)\n", to: "c.yaml")
        let (_, faults) = await read(["--config", file])
        #expect(faults.contains { $0.problem.contains("masterKey itself cannot be in a file") })
        #expect(!"\(faults)".contains(sampleMasterKey))
    }

    @Test("A variable that only looks like a setting is reported, and hinders nothing")
    func unknownVariables() async {
        let (configuration, faults) = await read(environment: ["WALLETAUTH_PROT": "80"])
        #expect(faults.isEmpty)
        #expect(configuration.unknownVariables == ["WALLETAUTH_PROT"])
    }

    @Test("An administrative subcommand needs no issuer and no TLS, even in production")
    func administering() async throws {
        let key = try folder.write(sampleMasterKey, to: "key")
        let (_, faults) = await read(
            ["--environment", "production", "--master-key-file", key], for: .administering)
        #expect(faults.isEmpty)
    }

    @Test(
        "A database in memory or of an engine that is not there is refused",
        arguments: ["sqlite::memory:", "sqlite:", "mysql://db/x", "walletauth.db"])
    func databases(_ text: String) async throws {
        #expect(throws: InvalidValue.self) { try SettingTypes.database(text) }
    }

    @Test("A control character in a value forges no further line of the message")
    func noForgedLines() async {
        let (_, faults) = await read(["--port", "80\nwalletauth ready at http://evil"])
        #expect(faults.count == 1)
        #expect(!FaultyConfiguration(faults: faults).description.contains("\nwalletauth ready"))
    }
}
