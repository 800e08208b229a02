import Operations
import WalletAuthWire

/// What became of a file.
struct ImportReport {
    private(set) var created: [ImportedLine.Kind: Int64] = [:]
    private(set) var present: Int64 = 0
    private(set) var faulty: Int64 = 0
    /// The accounts made that have neither a password nor an identity.
    private(set) var withoutPassword: Int64 = 0
    /// The first faults, for the JSON document: a file may have one in each line.
    private var faults: [JSONValue] = []
    /// Whose faults were added last: an account may have several.
    private var lastFaulty: Int?
    /// The faults that many accounts have alike, with the number of accounts.
    private var general: [String: Int64] = [:]
    /// Whether the file is an array of accounts, and else of lines.
    private var isArray = false
    private var ignored: [String: Int64] = [:]
    /// The accounts left out because they are clients' own.
    var serviceAccounts: Int64 = 0
    /// People who had second factors, and have none here.
    var withoutSecondFactor: Int64 = 0
    var isStopped = false

    /// In the JSON document.
    private static let mostFaults = 10_000
    private static let mostIgnored = 100
    private static let mostGeneral = 100
    private static let otherReasons = "other reasons, which --json names"

    /// - Parameter document: the answer to a batch.
    mutating func count(_ document: JSONObject) {
        for kind in ImportedLine.Kind.allCases { created[kind, default: 0] += document[kind.count]?.integer ?? 0 }
        present += document["present"]?.integer ?? 0
        withoutPassword += document["withoutPassword"]?.integer ?? 0
    }

    mutating func ignore(_ members: [String]) {
        for member in members where ignored[member] != nil || ignored.count < Self.mostIgnored {
            ignored[member, default: 0] += 1
        }
    }

    /// - Parameter key: the number of the account in an array, or else the line. The faults of an account come together.
    mutating func add(key: Int, line: Int, isArray: Bool, name: String?, _ fault: ImportFault) {
        if lastFaulty != key { faulty += 1 }
        (lastFaulty, self.isArray) = (key, isArray)
        if fault.isGeneral {
            let isShown = general[fault.reason] != nil || general.count < Self.mostGeneral
            general[isShown ? fault.reason : Self.otherReasons, default: 0] += 1
        }
        guard faults.count < Self.mostFaults else { return }
        var json = JSONObject()
        json.set("line", Int64(line))
        json.set("account", isArray ? Int64(key) : nil)
        json.set("username", name)
        json.set("reason", fault.reason)
        faults.append(.object(json))
    }

    func answer(isDry: Bool) -> AdministrationAnswer {
        var json = JSONObject()
        for kind in ImportedLine.Kind.allCases { json.set(kind.count, created[kind] ?? 0) }
        json.set("present", present)
        json.set("faulty", faulty)
        json["dryRun"] = .bool(isDry)
        json["stopped"] = .bool(isStopped)
        json["faults"] = .array(faults)
        json["ignored"] = .object(
            ignored.sorted { $0.key < $1.key }.reduce(into: JSONObject()) { $0.set($1.key, $1.value) })
        json.set("withoutSecondFactor", withoutSecondFactor)
        json.set("withoutPassword", withoutPassword)
        json.set("serviceAccounts", serviceAccounts)
        var lines = general.sorted { $0.key < $1.key }.map { reason, count in
            "\(count) \(isArray ? "account" : "line")\(count == 1 ? "" : "s"): \(reason)"
        }
        lines.append(
            "\(isDry ? "Would import" : "Imported") \(made); \(present) already there; \(faulty) not imported.")
        if serviceAccounts > 0 {
            lines.append(
                "Left out are the service accounts of \(serviceAccounts) \(serviceAccounts == 1 ? "client" : "clients"): register "
                    + "those with `walletauth client create`.")
        }
        if !ignored.isEmpty {
            let names = ignored.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }
            lines.append("There is no place here for: \(names.joined(separator: ", ")).")
        }
        if withoutSecondFactor > 0 {
            lines.append("People who had a second factor and have none here: \(withoutSecondFactor).")
        }
        if withoutPassword > 0 {
            lines.append(
                "Accounts with neither a password nor an identity: \(withoutPassword). None can be recovered by e-mail: have the former "
                    + "system asked (`walletauth provider add repository --adopt-passwords`), or set each password with "
                    + "`walletauth account set-password`.")
        }
        if isStopped {
            let isBegun = created.values.contains { $0 > 0 }
            lines.append(
                "Stopped at the first fault. Correct it and run the same command again"
                    + (isBegun && !isDry ? ": it goes on from there." : "."))
        } else if faulty > 0, !isDry {
            lines.append(
                "Correct the lines above and run the same command again: accounts already there stay as they are.")
        }
        return .done(lines, json)
    }

    /// The accounts, and the other kinds that the file has.
    private var made: String {
        ImportedLine.Kind.allCases.filter { $0 == .account || created[$0] ?? 0 > 0 }.map { kind in
            let count = created[kind] ?? 0
            return "\(count) \(kind.rawValue)\(count == 1 ? "" : "s")"
        }.joined(separator: ", ")
    }
}
