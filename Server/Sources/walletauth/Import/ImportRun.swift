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
    /// Where the batch's accounts are, by their keys.
    private var places: [Int: Place] = [:]
    private var lines: [String] = []
    private var bytes = 0
    /// Faults behind a line that is not sent yet, so that the report has all in the order of the file.
    private var held: [(key: Int, place: Place, fault: ImportFault)] = []
    private var isBegun = false
    /// The keys of what only one account may have.
    private var seen: [[UInt8]: Int] = [:]
    /// The keys of what the server found faulty.
    private var refused: Set<Int> = []

    /// Where an account is in the file, and its user name or what else the operator knows it by.
    private struct Place {
        let line: Int
        var name: String?
    }

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
            let (faults, name) = add(unit)
            if !faults.isEmpty { try await refuse(unit, named: name, faults) }
            if lines.count >= Self.batch.lines || bytes >= Self.batch.bytes { try await flush() }
        }
    }

    /// Faults that are found before anything is sent.
    private mutating func refuse(
        _ unit: ImportSplitter.Unit, named name: String?, _ faults: [ImportFault]
    ) async throws {
        if isStrict, !isDry {
            try await flush()
            guard !report.isStopped else { return }
            report.isStopped = true
        }
        held += faults.map { (key(of: unit), Place(line: unit.line, name: name), $0) }
        if lines.isEmpty || held.count >= Self.batch.lines { try await flush() }
    }

    /// What tells an account from the others of the file: its line, or its number in an array.
    private func key(of unit: ImportSplitter.Unit) -> Int { isArray ? unit.number : unit.line }

    private mutating func note(_ key: Int, _ place: Place, _ fault: ImportFault) throws(Refusal) {
        let name = place.name.map { String($0.prefix(100)) }
        report.add(key: key, line: place.line, isArray: isArray, name: name, fault)
        // The report has it once, with the number of lines.
        guard !isQuiet, !fault.isGeneral else { return }
        let words = (isArray ? "account \(key), " : "") + "line \(place.line)" + (name.map { " (\($0))" } ?? "")
        try Terminal.say("\(words): \(fault.reason)".escapedForOneLine)
    }

    /// Adds an account to the batch, unless it is at fault.
    /// - Returns: its faults, and its name.
    private mutating func add(_ unit: ImportSplitter.Unit) -> (faults: [ImportFault], name: String?) {
        let object: JSONObject
        switch unit.content {
        case .json(let bytes):
            do { object = try JSONValue.object(parsing: bytes) } catch { return ([ImportFault(error)], nil) }
        case .tooLong:
            return ([ImportFault("the account is longer than \(ImportSplitter.longest / 1024) KiB")], nil)
        case .noObject: return ([ImportFault("the array has an element that is no object")], nil)
        }
        let converted = format.line(object, options)
        guard !converted.isServiceAccount else {
            report.serviceAccounts += 1
            return ([], nil)
        }
        let reading = ImportedLine.reading(converted.line)
        let repeated = reading.content.map { repetitions(in: $0) } ?? []
        let faults = converted.faults + reading.faults + repeated
        if faults.isEmpty {
            for mark in reading.content?.marks ?? [] { seen[Self.digest(mark.value)] = key(of: unit) }
            report.ignore(converted.ignored)
            if converted.isWithoutSecondFactor { report.withoutSecondFactor += 1 }
        }
        // A dry run names the faults that the server finds as well.
        if let content = reading.content, faults.isEmpty || isDry {
            enqueue(
                content, reading.members, Place(line: unit.line, name: converted.name), key: key(of: unit),
                isFaulty: !faults.isEmpty)
        }
        return (faults, converted.name)
    }

    private mutating func enqueue(
        _ content: ImportedLine, _ members: JSONObject, _ place: Place, key: Int, isFaulty: Bool
    ) {
        var line = JSONObject()
        line.set("line", Int64(key))
        places[key] = place
        line["account"] = .object(members)
        // What a dry run has made of it by now is nowhere else.
        if isDry { line.set("coming", content.needs.filter(isComing)) }
        if isFaulty { line.set("faulty", true) }
        let text = JSONValue.object(line).text
        lines.append(text)
        bytes += text.utf8.count
    }

    /// The faults of an account whose id, name or identity an earlier one has.
    private func repetitions(in content: ImportedLine) -> [ImportFault] {
        content.marks.compactMap { mark in
            seen[Self.digest(mark.value)].map { earlier in
                ImportFault(
                    "\(mark.field) is the same as in \(isArray ? "account" : "line") \(earlier): give one of them another, or "
                        + "remove it")
            }
        }
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
            let found = ImportFault(
                fault["reason"]?.string ?? "", isGeneral: fault["general"]?.bool ?? false)
            held.append((key, places[key] ?? Place(line: key), found))
        }
        places = [:]
        try noteHeld()
        report.count(document)
        if document["stopped"]?.bool == true { report.isStopped = true }
    }

    private mutating func noteHeld() throws(Refusal) {
        let faults = held.sorted { $0.key < $1.key }
        held = []
        for fault in faults { try note(fault.key, fault.place, fault.fault) }
    }

    private func require(_ answer: AdministrationAnswer) throws(Refusal) {
        guard answer.status == .done else { throw Refusal(answer) }
    }
}
