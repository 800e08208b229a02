internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

/// The audit log.
extension ConsoleVisit {
    func audit() async throws -> EndpointResponse {
        let query = try request.query()
        let account = query["account"]
        let days = ["since", "until"].map { ($0, query[$0].flatMap { $0.isEmpty ? nil : $0 }) }
        let answer = try await read(
            "audit tail",
            [("account", account), ("brand", grant.brand), (CommandForm.cursor, query[CommandForm.cursor])] + days)
        // The newest first, as people read them.
        let entries = answer.rows("entries").reversed().map(flattened)
        let names = try await names(of: ConsoleTable.audit.mentions(in: entries))
        var values = ConsoleValues()
        if entries.isEmpty {
            values.nothing = text[.emptyList]
        } else {
            values.tables = [ConsoleTableView(visit: self, names: names).table(.audit, entries)]
        }
        values.wayOn = next(answer, ConsoleEndpoints.auditPath, [("account", account)] + days)
        values.filter = filter(
            ConsoleEndpoints.auditPath, keeping: [("account", account)],
            zip(days, [ConsoleText.fromLabel, .untilLabel]).map { day, label in
                .init(parameter: day.0, label: text[label], type: "date", value: day.1 ?? "")
            })
        values.links = [LinkValues(address: pages.address(ConsoleEndpoints.path), label: text[.searchAgain])]
        if let account, UniqueID(uuid: account) != nil {
            values.links.insert(
                LinkValues(address: pages.address(ofAccount: account), label: text[.backToAccount]), at: 0)
        }
        return pages.response(
            heading: text[.auditHeading], lead: text[account == nil ? .auditLead : .auditAccountLead], values)
    }

    /// An entry with its details among its members, and what happened as a sentence.
    private func flattened(_ entry: JSONObject) -> JSONObject {
        let (details, kind) = (entry["details"]?.object ?? JSONObject(), entry["kind"]?.string ?? "")
        var thing = JSONObject()
        thing.set(ConsoleTable.sentence, sentence(forKind: kind, details, by: AuditOperators.name(in: entry)))
        for member in entry.members where member.name != "details" { thing[member.name] = member.value }
        for member in details.members {
            thing[thing[member.name] == nil ? member.name : ConsoleTable.details + member.name] = member.value
        }
        // A call of an operator is about an account, and has none of its own.
        if thing["accountId"] == nil { thing["accountId"] = thing["about"] }
        if thing["about"] == thing["accountId"] { thing["about"] = nil }
        return thing
    }

    /// What happened, in a sentence about the person.
    /// - Parameter name: of the operator who did it; `nil` for none, and for one out of the reader's reach.
    func sentence(
        forKind kind: String, _ details: JSONObject = JSONObject(), by name: String? = nil
    ) -> String {
        let call = ["command": details["command"]?.string ?? "", "operator": name ?? ""]
        switch kind {
        case OperatorEvent.called.rawValue: return text[name == nil ? .operatorCalled : .operatorCalledBy, call]
        case OperatorEvent.refused.rawValue: return text[name == nil ? .operatorRefused : .operatorRefusedBy, call]
        case OperatorEvent.requested.rawValue: return text[.callWaits, call]
        default: break
        }
        let activity = ActivityText.ofKind(kind)
        let isSaidCloser = activity.flatMap { ActivityDetailText($0, details) } != nil
        if !isSaidCloser, let event = ConsoleEventText.ofKind(kind) { return language.consoleEventText[event] }
        return activity.map { language.activitySentence($0, details) } ?? Self.readable(kind)
    }

    /// A name that this version does not know, in its own English words: `Webhook secret rotated`.
    static func readable(_ name: String) -> String {
        let words = name.replacing(/[._]/, with: " ").replacing(/[A-Z]/) { " \($0.output.lowercased())" }
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
