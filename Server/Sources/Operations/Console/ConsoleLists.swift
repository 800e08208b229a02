internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

/// The pages that show what a command lists, and its things one by one.
extension ConsoleVisit {
    /// Whether the role runs a command that reads, and the command reads no more than the brand of the role. The command decides again.
    func reaches(_ title: String) -> Bool {
        let takesBrand = (try? host.form(of: title))?.members.contains { $0.name == "brand" } ?? false
        let brand = takesBrand ? grant.brand.map { "--brand=\($0)" } : nil
        let words = title.split(separator: " ").map(String.init) + [brand].compactMap { $0 }
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
            add(list.rawValue, list.label, pages.address(of: list))
        }
        if reaches("audit tail") { add("audit", .auditLink, pages.address(ConsoleEndpoints.auditPath)) }
        return rows.isEmpty ? nil : .init(groupHeading: text[.moreGroup], rows: rows)
    }

    func list() async throws -> EndpointResponse {
        let query = try request.query()
        guard let list = query["of"].flatMap(ConsoleList.init) else {
            throw ConsoleFault.refused(.notFound("list", ""))
        }
        if let id = query["id"], let command = list.detailCommand {
            return try await thing(id, of: list, by: command, brand: query["brand"])
        }
        let form = try host.form(of: list.command)
        let brand = form.members.contains { $0.name == "brand" } ? grant.brand ?? query["brand"] : nil
        let prefix = list == .account ? query["prefix"].flatMap { $0.isEmpty ? nil : $0 } : nil
        let answer = try await read(
            list.command, [("brand", brand), ("prefix", prefix), (CommandForm.cursor, query[CommandForm.cursor])])
        let tables = list.tables.map { (table: $0, rows: answer.rows($0.member)) }
        let names = try await names(of: tables.map { $0.table.mentions(in: $0.rows) })
        let view = ConsoleTableView(visit: self, names: names)
        var values = ConsoleValues()
        values.tables = tables.filter { !$0.rows.isEmpty }.map { view.table($0.table, $0.rows) }
        if values.tables.isEmpty { values.nothing = text[.emptyList] }
        // What a command says besides its rows.
        let shown = Set(list.tables.map(\.member) + [CommandForm.cursor])
        values.facts = view.facts(of: answer, without: shown)
        values.wayOn = next(
            answer, ConsoleEndpoints.listPath, [("of", list.rawValue), ("brand", brand), ("prefix", prefix)])
        if list == .account {
            values.filter = filter(
                ConsoleEndpoints.listPath, keeping: [("of", list.rawValue), ("brand", brand)],
                [
                    .init(
                        parameter: "prefix", label: text[.prefixLabel], type: "search", longest: "320",
                        value: prefix ?? "")
                ])
        }
        values.links = [LinkValues(address: pages.address(ConsoleEndpoints.path), label: text[.searchAgain])]
        return pages.response(heading: text[list.label], lead: text[.listLead], values)
    }

    /// The page of one thing of a list, with all that its command answers.
    private func thing(
        _ id: String, of list: ConsoleList, by command: String, brand: String?
    ) async throws -> EndpointResponse {
        let form = try host.form(of: command)
        let hasBrand = form.members.contains { $0.name == "brand" }
        let answer = try await read(command, [("id", id), ("brand", hasBrand ? brand : nil)])
        guard let table = list.tables.first else { throw InvariantViolation() }
        let view = ConsoleTableView(visit: self, names: try await names(of: table.mentions(in: [answer])))
        var values = ConsoleValues()
        values.facts = view.facts(of: answer, in: table)
        if reaches(list.command) {
            values.links.append(LinkValues(address: pages.address(of: list), label: text[list.label]))
        }
        if list == .brand, mayRun(ConsoleList.account.command, reading: true) {
            values.links.append(
                LinkValues(address: pages.address(of: .account, [("brand", id)]), label: text[.accountsLink]))
        }
        values.links.append(LinkValues(address: pages.address(ConsoleEndpoints.path), label: text[.searchAgain]))
        return pages.response(heading: view.name(of: answer, in: table), lead: text[list.label], values)
    }

    /// The names of what a page mentions by its id.
    func names(of mentions: [MentionedNames.Mentions]) async throws -> MentionedNames {
        try await .of(
            mentions.reduce(into: MentionedNames.Mentions()) { all, some in all.formUnion(some) }, under: grant,
            in: host.calls.administration.server.context.database)
    }

    func names(of mentions: MentionedNames.Mentions) async throws -> MentionedNames { try await names(of: [mentions]) }

    /// The form that narrows the list of a page.
    func filter(
        _ path: String, keeping kept: [(String, String?)], _ fields: [ConsoleValues.Filter.Field]
    ) -> ConsoleValues.Filter {
        .init(
            address: pages.address(path),
            hidden: kept.compactMap { name, value in value.map { .init(parameter: name, value: $0) } }, fields: fields,
            filterButton: text[.filterButton])
    }

    /// The link to the next page of an answer.
    func next(_ answer: JSONObject, _ path: String, _ parameters: [(String, String?)]) -> LinkValues? {
        answer[CommandForm.cursor]?.string.map { cursor in
            LinkValues(
                address: pages.address(path, parameters + [(CommandForm.cursor, cursor)]), label: text[.nextPage])
        }
    }
}
