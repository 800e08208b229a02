internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

/// The pages that show what a command lists, each in the same way.
enum ConsoleList: String, CaseIterable, Sendable {
    case account, client, brand, provider, merchant, `operator`, outbox, webhook

    var command: String { rawValue + " list" }

    var label: ConsoleText {
        switch self {
        case .account: .accountsLink
        case .client: .clientsLink
        case .brand: .brandsLink
        case .provider: .providersLink
        case .merchant: .merchantsLink
        case .operator: .operatorsLink
        case .outbox: .messagesLink
        case .webhook: .webhooksLink
        }
    }
}

extension ConsoleVisit {
    /// Whether the role runs a command that reads, and the command reads no more than the brand of the role. The command decides again.
    func reaches(_ title: String) -> Bool {
        let words = title.split(separator: " ").map(String.init)
        guard mayRun(title, reading: true),
            let target = try? host.calls.administration.command(for: AdminRequest(words)).target
        else { return false }
        if case .everything = target { return grant.brand == nil }
        return true
    }

    /// The links to the other pages that the role has.
    var others: ConsoleValues.Group? {
        var rows: [ConsoleValues.Row] = []
        func add(_ name: String, _ label: ConsoleText, _ address: String) {
            rows.append(.init(row: "page-\(name)", label: text[label], address: address))
        }
        for list in ConsoleList.allCases where reaches(list.command) {
            add(list.rawValue, list.label, pages.address(ConsoleEndpoints.listPath, [("of", list.rawValue)]))
        }
        if reaches("audit tail") { add("audit", .auditLink, pages.address(ConsoleEndpoints.auditPath)) }
        return rows.isEmpty ? nil : .init(groupHeading: text[.moreGroup], rows: rows)
    }

    func list() async throws -> EndpointResponse {
        let query = try request.query()
        guard let list = query["of"].flatMap(ConsoleList.init) else {
            throw ConsoleFault.refused(.notFound("list", ""))
        }
        let form = try host.form(of: list.command)
        let brand = form.members.contains { $0.name == "brand" } ? grant.brand ?? query["brand"] : nil
        let answer = try await read(list.command, [("brand", brand), (CommandForm.cursor, query[CommandForm.cursor])])
        let things = answer.members.first { $0.value.array != nil }.map { answer.rows($0.name) } ?? []
        var values = ConsoleValues()
        let rows = things.enumerated().map { index, thing in
            list == .client ? row(ofClient: thing, at: index) : row(of: thing, at: index)
        }
        if rows.isEmpty {
            values.nothing = text[.emptyList]
        } else {
            values.groups = [.init(groupHeading: nil, rows: rows)]
        }
        values.wayOn = next(
            answer, ConsoleEndpoints.listPath, [("of", list.rawValue), ("brand", brand)])
        values.links = [LinkValues(address: pages.address(ConsoleEndpoints.path), label: text[.searchAgain])]
        return pages.response(
            heading: text[list.label], lead: text[.listLead, ["command": list.command]], values)
    }

    /// The link to the next page of an answer.
    func next(_ answer: JSONObject, _ path: String, _ parameters: [(String, String?)]) -> LinkValues? {
        answer[CommandForm.cursor]?.string.map { cursor in
            LinkValues(
                address: pages.address(path, parameters + [(CommandForm.cursor, cursor)]), label: text[.nextPage])
        }
    }

    /// A thing by its name, or else by its first member, with all others.
    func row(of thing: JSONObject, at index: Int) -> ConsoleValues.Row {
        let first = thing.members.first { $0.value.string != nil }
        let names = thing["usernames"]?.strings ?? []
        let name = names.first ?? thing["username"]?.string
        let shown = name == nil ? first?.name : names.isEmpty ? "username" : names.count == 1 ? "usernames" : nil
        return ConsoleValues.Row(
            row: "row-\(index)", label: name ?? first?.value.string ?? "…", address: address(first?.name, first?.value),
            facts: facts(of: thing, without: shown))
    }

    /// What tells clients apart, in this order; the rest is folded.
    private static let clientMembers = ["clientId", "kind", "brand", "scope", "redirectUris"]

    private func row(ofClient thing: JSONObject, at index: Int) -> ConsoleValues.Row {
        let all = facts(of: thing, without: "name")
        let first = Self.clientMembers.compactMap { name in all.first { $0.name == name && !$0.value.isEmpty } }
        let rest = all.filter { !Self.clientMembers.contains($0.name) }
        return ConsoleValues.Row(
            row: "row-\(index)", label: thing["name"]?.string ?? thing["clientId"]?.string ?? "…", facts: first,
            folded: .init(foldedLabel: text[.otherSettings], rest: rest))
    }

    func facts(of thing: JSONObject, without left: String? = nil) -> [ConsoleValues.Fact] {
        thing.members.filter { $0.name != left }.map { member in
            let value = member.value.string ?? member.value.strings?.joined(separator: " ") ?? member.value.text
            return .init(name: member.name, value: value, link: address(member.name, member.value))
        }
    }

    /// The page of the account that a member names; `nil` for any other member.
    private func address(_ name: String?, _ value: JSONValue?) -> String? {
        guard ["accountId", "operator", "about", "invitedBy"].contains(name), mayRun("account explain", reading: true),
            let id = value?.string, UniqueID(uuid: id) != nil
        else { return nil }
        return pages.address(ofAccount: id)
    }
}

/// The audit log.
extension ConsoleVisit {
    func audit() async throws -> EndpointResponse {
        let query = try request.query()
        let account = query["account"]
        let answer = try await read(
            "audit tail", [("account", account), (CommandForm.cursor, query[CommandForm.cursor])])
        // The newest first, as people read them.
        let rows = answer.rows("entries").reversed().enumerated().map { index, entry in
            let details = entry["details"]?.object ?? JSONObject()
            let kind = entry["kind"]?.string ?? ""
            var about = JSONObject()
            for name in ["kind", "accountId", "clientId"] { about[name] = entry[name] }
            return ConsoleValues.Row(
                row: "row-\(index)",
                label: sentence(forKind: kind, details, by: AuditOperators.name(in: entry))
                    ?? Self.readable(kind),
                state: moment(entry["occurredAt"]), facts: facts(of: about) + facts(of: details))
        }
        var values = ConsoleValues()
        if rows.isEmpty {
            values.nothing = text[.emptyList]
        } else {
            values.groups = [.init(groupHeading: nil, rows: rows)]
        }
        values.wayOn = next(answer, ConsoleEndpoints.auditPath, [("account", account)])
        values.links = [LinkValues(address: pages.address(ConsoleEndpoints.path), label: text[.searchAgain])]
        if let account, UniqueID(uuid: account) != nil {
            values.links.insert(
                LinkValues(address: pages.address(ofAccount: account), label: text[.backToAccount]), at: 0)
        }
        return pages.response(
            heading: text[.auditHeading], lead: text[account == nil ? .auditLead : .auditAccountLead], values)
    }

    /// What happened, in a sentence about the person; `nil` for a kind without one.
    /// - Parameter name: of the operator who did it; `nil` for none, and for one out of the reader's reach.
    func sentence(
        forKind kind: String, _ details: JSONObject = JSONObject(), by name: String? = nil
    ) -> String? {
        let call = ["command": details["command"]?.string ?? "", "operator": name ?? ""]
        switch kind {
        case OperatorEvent.called.rawValue: return text[name == nil ? .operatorCalled : .operatorCalledBy, call]
        case OperatorEvent.refused.rawValue: return text[name == nil ? .operatorRefused : .operatorRefusedBy, call]
        case OperatorEvent.requested.rawValue: return text[.callWaits, call]
        case OperatorEvent.granted.rawValue: return text[.roleGranted]
        case OperatorEvent.revoked.rawValue: return text[.roleRevoked]
        case AccountEvent.failuresReset.rawValue: return text[.failuresReset]
        case AccountEvent.erased.rawValue: return text[.erased]
        case AccountEvent.merged.rawValue: return text[.merged]
        case AdministrationEvent.clientCreated.rawValue: return text[.clientCreated]
        case AdministrationEvent.clientChanged.rawValue: return text[.clientChanged]
        case OperatorSessionEvent.ended.rawValue: return text[.sessionEnded]
        case OperatorSessionEvent.allEnded.rawValue: return text[.sessionsEnded]
        case DeviceEvent.verified.rawValue: return text[.deviceVerified]
        default: break
        }
        guard let activity = ActivityText.ofKind(kind) else { return nil }
        return Self.neutral(activity).map { text[$0] } ?? language.activityText[activity]
    }

    /// A kind without a sentence, in its own English words: `Webhook secret rotated`.
    static func readable(_ kind: String) -> String {
        let words = kind.replacing(/[._]/, with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// For what the activity says to its reader; `nil` if it can be said to anyone.
    private static func neutral(_ activity: ActivityText) -> ConsoleText? {
        switch activity {
        case .accountSignedIn: .signedIn
        case .sessionSignedOut: .signedOut
        case .accountClosed: .closed
        case .accountExported: .exported
        case .accountProfileChanged, .accountLanguageChanged: .profileChanged
        case .operationVerified: .approved
        case .operationRefused: .refused
        case .transactionSigned: .signed
        case .transactionRejected: .rejected
        case .scanSignInApproved: .scanApproved
        default: nil
        }
    }
}
