internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// The import that runs, as a row that all processes see, with its counts so far.
///
/// Each batch renews it in its own write. A run that was killed leaves it behind: the same file takes it over at once, and another file
/// when it has expired.
struct ImportLease: Sendable, Hashable {
    /// A digest of the beginning of the file.
    var source: String
    /// The run, which is new each time the command is run.
    var run: String
    let brand: String
    var until: Timestamp
    var created: [ImportedLine.Kind: Int64] = [:]
    var present: Int64 = 0
    var faulty: Int64 = 0

    static let lifetime = Duration.seconds(60)
    private static let name = "account_import"

    init(source: String, run: String, brand: String, until: Timestamp) {
        (self.source, self.run, self.brand, self.until) = (source, run, brand, until)
    }

    private init(_ text: String) throws {
        let object = try JSONValue.object(parsing: Array(text.utf8))
        source = try object.string("source") ?? ""
        run = try object.string("run") ?? ""
        brand = try object.string("brand") ?? BrandSettings.defaultBrand
        until = Timestamp(milliseconds: try object.integer("until") ?? 0)
        for kind in ImportedLine.Kind.allCases { created[kind] = try object.integer(kind.count) }
        present = try object.integer("present") ?? 0
        faulty = try object.integer("faulty") ?? 0
    }

    private var text: String {
        var object = counts
        object.set("source", source)
        object.set("run", run)
        object.set("brand", brand)
        object.set("until", until.milliseconds)
        return JSONValue.object(object).text
    }

    var counts: JSONObject {
        var object = JSONObject()
        for kind in ImportedLine.Kind.allCases {
            if let count = created[kind] ?? (kind == .account ? 0 : nil) { object.set(kind.count, count) }
        }
        object.set("present", present)
        object.set("faulty", faulty)
        return object
    }

    static func current(on connection: any SQLConnection) throws -> ImportLease? {
        guard let text = try Meta.value(name, on: connection), !text.isEmpty else { return nil }
        return try ImportLease(text)
    }

    func write(on connection: any SQLConnection) throws { try Meta.set(Self.name, to: text, on: connection) }

    static func end(on connection: any SQLConnection) throws { try Meta.set(name, to: "", on: connection) }
}

extension ImportedLine.Kind {
    /// The member with its count in the audit log and in answers. A file had only accounts at first.
    package var count: String {
        switch self {
        case .account: "created"
        case .merchant: "merchants"
        case .employee: "employees"
        case .consent: "consents"
        }
    }
}
