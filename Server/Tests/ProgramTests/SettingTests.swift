import Foundation
import Kernel
import Testing
import WalletAuthWire

@testable import walletauth

@Suite("Settings")
struct SettingTests {
    @Test("A setting's name makes its flag and its variable")
    func names() {
        #expect(Settings.masterKeyFile.flag == "--master-key-file")
        #expect(Settings.masterKeyFile.spellings == "--master-key-file (masterKey.file)")
        #expect(Settings.issuer.spellings == "--issuer", "the key of the file is the same word")
        #expect(Settings.masterKeyFile.environmentVariable == "WALLETAUTH_MASTER_KEY_FILE")
        #expect(Settings.passwordsConcurrentHashes.flag == "--passwords-concurrent-hashes")
    }

    @Test("No two settings share a name, a flag or a variable")
    func unique() {
        #expect(Set(Settings.all.map(\.name)).count == Settings.all.count)
        #expect(Set(Settings.all.map(\.flag)).count == Settings.all.count)
        #expect(Set(Settings.all.map(\.environmentVariable)).count == Settings.all.count)
    }

    @Test("No setting of the file lies under another: YAML has no place for a value and a mapping of one name")
    func noNesting() {
        let names = Settings.all.filter { $0.sources.contains(.file) }.map(\.name)
        for name in names {
            #expect(!names.contains { $0.hasPrefix(name + ".") })
        }
    }

    @Test("docs/configuration.md is what the program prints")
    func page() throws {
        let page = URL(filePath: #filePath).appending(path: "../../../../docs/configuration.md").standardizedFileURL
        let isCurrent = try String(contentsOf: page, encoding: .utf8) == ConfigurationDocument.markdown + "\n"
        #expect(isCurrent, "run `walletauth configuration --markdown > docs/configuration.md`")
    }

    @Test("Flags are taken from anywhere before a lone --, with = or a space, and the rest is left as it was")
    func takesFlags() throws {
        let flags = try SettingFlags(
            taking: Settings.all,
            from: ["serve", "--port=80", "--json", "--host", "::1", "--", "--port", "90"])
        #expect(flags.values == ["port": "80", "host": "::1"])
        #expect(flags.rest == ["serve", "--json", "--", "--port", "90"])
    }

    @Test(
        "A flag without its value, or given twice, is a mistake", arguments: [["--port"], ["--port=1", "--port", "2"]])
    func mistakes(_ arguments: [String]) {
        #expect(throws: UsageFault.self) { try SettingFlags(taking: Settings.all, from: arguments) }
    }

    @Test("A duration needs its unit")
    func durations() throws {
        let parse = SettingTypes.duration(.seconds(1) ... .seconds(86_400))
        #expect(try parse("90s") == .seconds(90))
        #expect(try parse("1500ms") == .milliseconds(1500))
        #expect(try parse("12h") == .seconds(43_200))
        for wrong in ["", "90", "s", "-5s", "1.5h", "2d", "999999999999h", "5 m", "0s"] {
            #expect(throws: InvalidValue.self, "\(wrong)") { try parse(wrong) }
        }
    }

    @Test("The bounds of a duration are shown as one would write them")
    func bounds() throws {
        let parse = SettingTypes.duration(.milliseconds(250) ... .seconds(2_592_000))
        let other = SettingTypes.duration(.seconds(90) ... .seconds(43_200))
        let long = #expect(throws: InvalidValue.self) { try parse("31d") }
        #expect(long.map { "\($0)".contains("from 250ms to 30d") } == true, "\(String(describing: long))")
        let short = #expect(throws: InvalidValue.self) { try other("1s") }
        #expect(short.map { "\($0)".contains("from 90s to 12h") } == true, "\(String(describing: short))")
    }

    @Test("The page shows a default as the setting's parser reads it")
    func defaults() throws {
        let settings = Settings.all.compactMap { $0 as? any DefaultedSetting }
        #expect(settings.contains { $0.name == Settings.sweepInterval.name })
        for setting in settings {
            let shown = try setting.parsesItsDefault()
            #expect(shown, "\(setting.name)")
        }
        #expect(
            try SettingTypes.money(Settings.lowValueCumulative.fallback).minorUnits
                == ExemptionSettings.LowValue.highestCumulative)
    }

    @Test("The page of settings names every one of them")
    func document() {
        let page = ConfigurationDocument.markdown
        for setting in Settings.all {
            #expect(page.contains("\n## \(setting.name)\n"))
        }
    }
}

/// A setting with a default.
private protocol DefaultedSetting: DeclaredSetting {
    /// Whether the text of the default is parsed to the default.
    func parsesItsDefault() throws -> Bool
}

extension Setting: DefaultedSetting where Value: SettingValue {
    fileprivate func parsesItsDefault() throws -> Bool { try parse(fallback) == defaultValue }
}
