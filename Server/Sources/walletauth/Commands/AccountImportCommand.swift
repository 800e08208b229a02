import ArgumentParser
import Kernel
import Operations
import WalletAuthWire

/// Imports accounts of another system.
struct AccountImportCommand: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import accounts with the hashes of their passwords, from our own lines or another system's export.",
        discussion: """
            Begin with --dry-run, which names every fault and changes nothing. Without --strict a faulty line is reported and \
            left out, and the exit code is 1. Sign-ins go on meanwhile. If this is interrupted, run the same command again: \
            accounts already there stay as they are.

            The forms: lines (our own, docs/migrating.md), keycloak, auth0, firebase, kratos.
            """)

    @Argument(help: ArgumentHelp("The file, or - for standard input.", valueName: "file"))
    var file: String

    @Option(
        help: ArgumentHelp(
            "The form of the file: lines, keycloak, auth0, firebase or kratos. Recognized if omitted.",
            valueName: "form"))
    var format: String?

    @Option(help: "The brand; `default` if omitted.")
    var brand: String?

    @Flag(help: "Only name the faults.")
    var dryRun = false

    @Flag(help: "Stop at the first fault.")
    var strict = false

    @Option(
        help: ArgumentHelp(
            "A provider's id in the file, and its id here; nothing after = leaves its identities out. Repeatable.",
            valueName: "theirs=ours"))
    var provider: [String] = []

    @Flag(help: "Import people whose second factor cannot be imported; they sign in without one.")
    var withoutSecondFactors = false

    @Flag(help: "Import people with addresses and numbers to which this server sends nothing yet.")
    var evenUndeliverable = false

    @Option(
        help: ArgumentHelp(
            "A file with the hash_config { … } that the Firebase console shows.", valueName: "file"))
    var firebaseHashConfig: String?

    @OptionGroup var output: OutputOptions

    func run(in invocation: Invocation) async throws {
        let brand = try read { try BrandID(self.brand ?? BrandSettings.defaultBrand) }
        let options = try importOptions()
        let configuration = try await ServerConfiguration.read(
            for: .administering, flags: invocation.flags, environment: invocation.environment)
        let channel = AdministrationChannel(configuration: configuration)
        try channel.requireDestination()
        let input = try ImportFile(file)
        let beginning = try input.bytes(ImportRun.beginning)
        let format = try importFormat(of: beginning)
        let report = try await channel.withExecutor { send in
            var run = ImportRun(
                brand: brand, format: format, options: options, isDry: dryRun, isStrict: strict, isQuiet: output.json,
                takesUndeliverable: evenUndeliverable, beginning: beginning, send: send)
            return try await run.run(beginning, then: input)
        }
        try output.print(report.answer(isDry: dryRun))
        if report.faulty > 0 { throw ExitCode.failure }
    }

    private func importFormat(of beginning: [UInt8]) throws -> ImportFormat {
        let names = ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")
        if let format {
            guard let known = ImportFormat(rawValue: format) else {
                throw ValidationError("--format must be one of \(names)")
            }
            if let likely = known.conflict(with: beginning) {
                throw Refusal(
                    "the file looks like \(likely.rawValue), not like \(format); nothing was imported",
                    hint: "Use --format \(likely.rawValue), or leave --format out", code: "other_format")
            }
            return known
        }
        guard let detected = ImportFormat.detect(beginning) else {
            throw Refusal(
                "the form of the file is not clear", hint: "Name it with --format: \(names)", code: "unknown_format")
        }
        return detected
    }

    private func importOptions() throws -> ImportOptions {
        var options = ImportOptions()
        options.areSecondFactorsLeftOut = withoutSecondFactors
        for pair in provider {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty else { throw ValidationError("--provider must be THEIRS=OURS") }
            options.providers[String(parts[0])] = String(parts[1])
        }
        if let firebaseHashConfig {
            let text = try LocalInput().file(firebaseHashConfig, named: "--firebase-hash-config ", upTo: 16 * 1024)
            options.firebase = try read { try ImportOptions.Firebase(text) }
        }
        return options
    }

    private func read<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let malformed as MalformedValue {
            throw Refusal("\(malformed.field) \(malformed.reason)", code: "malformed")
        }
    }
}
