import Crypto
import Operations
import Programs
import WalletAuthWire

/// One run over a file: reads it, converts each account and sends them in batches. Only a batch and the names are in memory.
struct ImportRun {
    let brand: BrandID
    let format: ImportFormat
    let options: ImportOptions
    let isDry: Bool
    let isStrict: Bool
    let isQuiet: Bool
    let takesUndeliverable: Bool
    /// Executes a batch.
    let send: (AdminRequest) async throws -> AdministrationAnswer

    private let source: String
    private let run: String
    private var report = ImportReport()
    /// Whether the accounts are elements of an array, which may all be on one line: reports then name each by its number.
    private let isArray: Bool
    /// The lines of the batch's accounts, by their keys.
    private var places: [Int: Int] = [:]
    private var lines: [String] = []
    private var bytes = 0
    /// Faults behind a line that is not sent yet, so that the report has all in the order of the file.
    private var held: [(key: Int, line: Int, reason: String)] = []
    private var isBegun = false
    /// The keys of what only one account may have.
    private var seen: [[UInt8]: Int] = [:]
    /// The keys of what the server found faulty.
    private var refused: Set<Int> = []

    private static let batch = (lines: 1000, bytes: 1 << 20)
    /// Lines that do not wait for the next part of the file, which may come from a program that is slow.
    private static let least = 100
    /// How much of the file decides about its form, and names it.
    static let beginning = 64 * 1024

    init(
        brand: BrandID, format: ImportFormat, options: ImportOptions, isDry: Bool, isStrict: Bool, isQuiet: Bool,
        takesUndeliverable: Bool, beginning: [UInt8],
        send: @escaping (AdminRequest) async throws -> AdministrationAnswer
    ) {
        (self.brand, self.format, self.options, self.send) = (brand, format, options, send)
        (self.isDry, self.isStrict, self.isQuiet) = (isDry, isStrict, isQuiet)
        self.takesUndeliverable = takesUndeliverable
        isArray = format.layout(of: beginning) != .lines
        source = Base64URL.encode(Array(SHA256.hash(data: beginning).prefix(12)))
        var generator = SystemRandomNumberGenerator()
        run = String(generator.next(), radix: 36)
    }

    /// - Returns: the report, also if it stopped.
    /// - Throws: `Refusal` if a batch is refused, the file cannot be read, or ends in the middle.
    mutating func run(_ beginning: [UInt8], then file: borrowing ImportFile) async throws -> ImportReport {
        var splitter = ImportSplitter(format.layout(of: beginning))
        var part = beginning
        while !part.isEmpty, !report.isStopped {
            try await take(splitter.append(part))
            if lines.count >= Self.least { try await flush() }
            part = try file.bytes(Self.beginning)
        }
        if !report.isStopped {
            let (rest, end) = splitter.finish()
            if let rest { try await take([rest]) }
            try await flush()
            if end != .whole, !report.isStopped { try complain(of: end) }
        }
        if isBegun, !isDry { try require(await send(request(["--last", "--faulty=\(report.faulty)"], ""))) }
        return report
    }

    private func complain(of end: ImportSplitter.End) throws(Refusal) {
        switch end {
        case .whole: return
        case .cut:
            throw Refusal(
                "the file ends in the middle of a document", hint: "Export it again; what was whole is imported",
                code: "cut_file")
        case .noAccounts:
            throw Refusal(
                "the file has no array of accounts", hint: "Name its form with --format", code: "no_accounts")
        }
    }

    private mutating func take(_ units: [ImportSplitter.Unit]) async throws {
        for unit in units where !report.isStopped {
            do throws(MalformedValue) {
                try add(unit)
            } catch {
                try await refuse(unit, "\(error.field) \(error.reason)")
            }
            if lines.count >= Self.batch.lines || bytes >= Self.batch.bytes { try await flush() }
        }
    }

    /// A fault that is found before anything is sent.
    private mutating func refuse(_ unit: ImportSplitter.Unit, _ reason: String) async throws {
        if isStrict, !isDry {
            try await flush()
            guard !report.isStopped else { return }
            report.isStopped = true
        }
        held.append((key(of: unit), unit.line, reason))
        if lines.isEmpty || held.count >= Self.batch.lines { try await flush() }
    }

    /// What tells an account from the others of the file: its line, or its number in an array.
    private func key(of unit: ImportSplitter.Unit) -> Int { isArray ? unit.number : unit.line }

    private mutating func note(_ key: Int, line: Int, _ reason: String) throws(Refusal) {
        report.add(line: line, account: isArray ? key : nil, reason)
        let place = isArray ? "account \(key), line \(line)" : "line \(line)"
        if !isQuiet { try Terminal.say("\(place): \(reason)".escapedForOneLine) }
    }

    private mutating func add(_ unit: ImportSplitter.Unit) throws(MalformedValue) {
        let json: [UInt8]
        switch unit.content {
        case .json(let bytes): json = bytes
        case .tooLong:
            throw MalformedValue(field: "the account", reason: "is longer than \(ImportSplitter.longest / 1024) KiB")
        case .noObject: throw MalformedValue(field: "the array", reason: "has an element that is no object")
        }
        let object = try JSONValue.object(parsing: json)
        do {
            let converted = try format.line(object, options)
            let content = try ImportedLine(converted.line)
            try requireUnique(content, key: key(of: unit))
            report.ignore(converted.ignored)
            var line = JSONObject()
            line.set("line", Int64(key(of: unit)))
            places[key(of: unit)] = unit.line
            line["account"] = .object(converted.line)
            // What a dry run has made of it by now is nowhere else.
            if isDry { line.set("coming", content.needs.filter(isComing)) }
            let text = JSONValue.object(line).text
            lines.append(text)
            bytes += text.utf8.count
            if converted.isWithoutSecondFactor { report.withoutSecondFactor += 1 }
        } catch let malformed as MalformedValue {
            throw malformed
        } catch {
            throw MalformedValue(field: "the account", reason: "cannot be read: \(error)")
        }
    }

    /// - Throws: ``MalformedValue`` if an earlier account has the same id, name or identity.
    private mutating func requireUnique(_ content: ImportedLine, key: Int) throws(MalformedValue) {
        let marks = content.marks.map { (field: $0.field, digest: Self.digest($0.value)) }
        for mark in marks {
            guard let earlier = seen[mark.digest] else { continue }
            throw MalformedValue(
                field: mark.field,
                reason:
                    "is the same as in \(isArray ? "account" : "line") \(earlier): give one of them another, or remove it"
            )
        }
        for mark in marks { seen[mark.digest] = key }
    }

    private static func digest(_ mark: String) -> [UInt8] { Array(SHA256.hash(data: Array(mark.utf8)).prefix(16)) }

    /// Whether an earlier line makes it, as far as the server has looked.
    private func isComing(_ mark: String) -> Bool {
        seen[Self.digest(mark)].map { !refused.contains($0) } ?? false
    }

    private func request(_ options: [String], _ input: String) -> AdminRequest {
        var words =
            ["account", "import-batch", "--brand=\(brand.rawValue)", "--source=\(source)", "--run=\(run)"] + options
        if isDry { words.append("--dry-run") }
        if isStrict { words.append("--strict") }
        if takesUndeliverable { words.append("--even-undeliverable") }
        return AdminRequest(words, input: input)
    }

    private mutating func flush() async throws {
        guard !lines.isEmpty else { return try noteHeld() }
        let answer = try await send(request(isBegun ? [] : ["--first"], lines.joined(separator: "\n")))
        (lines, bytes) = ([], 0)
        try require(answer)
        isBegun = true
        let document = try answer.document()
        for fault in document["faults"]?.array?.compactMap(\.object) ?? [] {
            let key = Int(fault["line"]?.integer ?? 0)
            refused.insert(key)
            held.append((key, places[key] ?? key, fault["reason"]?.string ?? ""))
        }
        places = [:]
        try noteHeld()
        report.count(document)
        if document["stopped"]?.bool == true { report.isStopped = true }
    }

    private mutating func noteHeld() throws(Refusal) {
        let faults = held.sorted { $0.key < $1.key }
        held = []
        for fault in faults { try note(fault.key, line: fault.line, fault.reason) }
    }

    private func require(_ answer: AdministrationAnswer) throws(Refusal) {
        guard answer.status == .done else { throw Refusal(answer) }
    }
}
