internal import ArgumentParser
internal import Core
internal import Kernel
internal import WalletAuthWire

/// A batch of `account import`. The program reads the file and sends the lines; it does not print this command in its help.
package struct AccountImportBatch: CommandWithInput {
    package static let title = "account import-batch"
    package static let access = CommandAccess.terminal
    package static let abstract = "Import a batch of accounts."
    package static let isListed = false

    @Option(help: "The brand.")
    var brand = BrandSettings.defaultBrand

    @Option(help: ArgumentHelp("A digest of the file.", valueName: "digest"))
    var source: String

    @Option(help: ArgumentHelp("An id of this run.", valueName: "id"))
    var run: String

    @Flag(help: "Begin the run.")
    var first = false

    @Flag(help: "End the run.")
    var last = false

    @Option(help: ArgumentHelp("At the end, the number of lines not imported.", valueName: "number"))
    var faulty: Int64 = 0

    @Flag(help: "Only look for faults.")
    var dryRun = false

    @Flag(help: "Write nothing if a line has a fault.")
    var strict = false

    @Flag(help: "Import addresses and numbers to which nothing is sent.")
    var evenUndeliverable = false

    package var input: String?

    package init() {}

    package func readInput(from reader: any CommandInputReader) throws -> String? {
        try reader.file("-", named: "", upTo: 0)
    }

    package func execute(in accounts: AccountImportParts, input: String) async throws -> AdministrationAnswer {
        let request = AccountImport.Request(
            brand: try BrandID(brand), source: try Self.short(source, "--source"), run: try Self.short(run, "--run"),
            isFirst: first, isDry: dryRun, isStrict: strict, takesUndeliverable: evenUndeliverable)
        if last { return Self.answer(try await accounts.accounts.finish(request, faulty: faulty)) }
        return Self.answer(try await accounts.accounts.add(try Self.lines(input), to: request))
    }

    private static func short(_ text: String, _ option: String) throws -> String {
        guard (1...64).contains(text.utf8.count) else {
            throw AdministrationRefusal("\(option) must have 1 to 64 bytes.", code: "malformed")
        }
        return text
    }

    private static func lines(_ input: String) throws -> [AccountImport.Line] {
        let lines = input.split(separator: "\n")
        guard lines.count <= AccountImport.mostLines else {
            throw AdministrationRefusal("A batch has at most \(AccountImport.mostLines) lines.", code: "malformed")
        }
        return try lines.map { text in
            // The wrapping of a longest line.
            let limits = JSONLimits(bytes: 2 * ImportSplitter.longest)
            let line = try JSONValue.object(parsing: Array(text.utf8), limits: limits)
            guard let number = try line.integer("line"), let account = line["account"]?.object else {
                throw AdministrationRefusal("A line of a batch has its number and an account.", code: "malformed")
            }
            return AccountImport.Line(
                number: Int(number), content: Self.content(account), coming: Set(try line.strings("coming") ?? []),
                isFaulty: try line.bool("faulty") ?? false)
        }
    }

    private static func content(_ line: JSONObject) -> Result<ImportedLine, AccountImport.Refusal> {
        let reading = ImportedLine.reading(line)
        guard reading.faults.isEmpty, let content = reading.content else {
            return .failure(AccountImport.Refusal(reading.faults))
        }
        return .success(content)
    }

    private static func answer(_ outcome: AccountImport.Outcome) -> AdministrationAnswer {
        var json = JSONObject()
        for kind in ImportedLine.Kind.allCases { json.set(kind.count, outcome.created[kind] ?? 0) }
        json.set("present", outcome.present)
        json.set("withoutPassword", outcome.withoutPassword)
        json["stopped"] = .bool(outcome.isStopped)
        json["faults"] = .array(
            outcome.faults.map { fault in
                var object = JSONObject()
                object.set("line", Int64(fault.line))
                object.set("reason", fault.fault.reason)
                if fault.fault.isGeneral { object["general"] = .bool(true) }
                return .object(object)
            })
        return .done([], json)
    }
}

/// What the command uses of the server.
package struct AccountImportParts: AdministrationParts {
    let accounts: AccountImport

    package init(_ administration: Administration) {
        let context = administration.server.context
        accounts = AccountImport(
            database: context.database, clock: context.clock, sealing: context.sealing, auditLog: context.auditLog,
            providers: context.providerVault, random: context.random,
            undeliverable: context.settings.undeliverableFactors)
    }
}
