internal import Core
internal import Foundation
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

extension ConsoleTable {
    var declared: [ConsoleColumn] { columns + folded }

    /// The members that the columns show, or have shown.
    private var known: Set<String> {
        declared.reduce(into: []) { known, column in
            known.insert(column.member)
            switch column.form {
            case .person(let name?): known.insert(name)
            case .name(_, let id): known.insert(id)
            case .text, .word, .person(nil), .client, .brand, .merchant, .message, .id: break
            }
        }
    }

    /// What no column declares.
    func rest(of thing: JSONObject) -> [(name: String, value: JSONValue)] {
        let known = known
        return thing.members.filter { !known.contains($0.name) }.map { ($0.name, $0.value) }
    }

    /// The ids that have a name elsewhere.
    func mentions(in things: [JSONObject]) -> MentionedNames.Mentions {
        var mentions = MentionedNames.Mentions()
        for column in declared {
            let ids = things.compactMap { $0[column.member]?.string }
            switch column.form {
            case .person: mentions.accounts.formUnion(ids)
            case .client: mentions.clients.formUnion(ids)
            case .brand: mentions.brands.formUnion(ids)
            case .merchant: mentions.merchants.formUnion(ids)
            case .text, .word, .name, .message, .id: break
            }
        }
        return mentions
    }
}

extension ConsolePages {
    func address(of list: ConsoleList, _ parameters: [(String, String?)] = []) -> String {
        address(ConsoleEndpoints.listPath, [("of", list.rawValue)] + parameters)
    }
}

/// Writes the rows of a table.
struct ConsoleTableView: Sendable {
    let visit: ConsoleVisit
    let names: MentionedNames

    private typealias Cell = ConsoleValues.Cell

    private var text: Texts<ConsoleText> { visit.text }

    func table(_ table: ConsoleTable, _ things: [JSONObject]) -> ConsoleValues.Table {
        .init(
            tableHeading: table.heading.map { text[$0] },
            heads: table.columns.map { .init(head: text[$0.heading]) },
            records: things.map { record(of: $0, in: table) }, span: String(table.columns.count))
    }

    /// A thing in one row, and below it the fold of the rest.
    private func record(of thing: JSONObject, in table: ConsoleTable) -> ConsoleValues.Record {
        let rest = facts(table.folded, thing) + undeclared(table.rest(of: thing))
        return .init(
            anchor: anchor(of: thing, in: table),
            cells: table.columns.map { column in
                let shown = value(column, thing)
                return Cell(
                    head: text[column.heading], value: shown?.text ?? "–", link: shown?.link,
                    isCode: shown != nil && column.isCode, style: shown == nil ? "none" : column.style)
            }, folded: rest.isEmpty ? nil : .init(foldedLabel: text[.moreLabel], rest: rest))
    }

    /// All of one thing.
    func facts(of thing: JSONObject, in table: ConsoleTable) -> [FactValues] {
        let columns = table.columns.filter { column in
            // The heading of the page.
            if case .name = column.form { false } else { true }
        }
        return facts(columns + table.folded, thing) + undeclared(table.rest(of: thing))
    }

    /// The members of an answer besides its rows.
    func facts(of answer: JSONObject, without shown: Set<String>) -> [FactValues] {
        undeclared(answer.members.filter { !shown.contains($0.name) }.map { ($0.name, $0.value) })
    }

    /// What a thing is called.
    func name(of thing: JSONObject, in table: ConsoleTable) -> String {
        for column in table.columns {
            if case .name = column.form, let name = plain(thing[column.member]) { return name }
        }
        return "…"
    }

    private func facts(_ columns: [ConsoleColumn], _ thing: JSONObject) -> [FactValues] {
        columns.compactMap { column in
            value(column, thing).map {
                FactValues(label: text[column.heading], value: $0.text, link: $0.link, isCode: column.isCode)
            }
        }
    }

    private func undeclared(_ members: [(name: String, value: JSONValue)]) -> [FactValues] {
        members.compactMap { name, value in plain(value).map { FactValues(label: label(of: name), value: $0) } }
    }

    /// What a member is called. One that this version does not know is in its own English words.
    private func label(of member: String) -> String {
        let name = member.replacing(ConsoleTable.details, with: "")
        return ConsoleMemberText.label(of: name, in: visit.language) ?? ConsoleVisit.readable(name)
    }

    // MARK: - Values

    private typealias Value = (text: String, link: String?)

    /// `nil` for nothing.
    private func value(_ column: ConsoleColumn, _ thing: JSONObject) -> Value? {
        guard let found = thing[column.member], let plain = plain(found) else { return nil }
        switch column.form {
        case .text, .id: return (plain, nil)
        case .word(let words):
            return (words.names[plain] ?? words.texts[plain].map { text[$0] } ?? plain, nil)
        case .message: return (subject(ofKind: plain), nil)
        case .name(let list, let id): return (plain, page(of: list, thing[id]?.string, brand: thing["brand"]?.string))
        case .person(let member):
            let own = member.flatMap { thing[$0] }.flatMap { self.plain($0) }
            let link = names.readableAccounts.contains(plain) ? visit.address(ofPerson: plain) : nil
            return (own ?? names.accounts[plain] ?? Self.short(plain), link)
        case .client:
            if let own = Self.ownClients[plain] { return (text[own], nil) }
            return named(plain, names.clients, in: .client)
        case .brand: return named(plain, names.brands, in: .brand)
        case .merchant: return named(plain, names.merchants, in: .merchant)
        }
    }

    /// Pages of the server itself, which are registered nowhere.
    private static let ownClients: [String: ConsoleText] = [
        OperatorCaller.console: .ownConsole, AccountPages.clientID: .ownAccountPage,
    ]

    /// A thing by its name, with a link to it. Without one there is no such thing any more, or the role does not reach it.
    private func named(_ id: String, _ names: [String: String], in list: ConsoleList) -> Value {
        names[id].map { ($0, page(of: list, id)) } ?? (id, nil)
    }

    /// A value without a form of its own, in the reader's words as far as it has any.
    private func plain(_ value: JSONValue?) -> String? {
        guard let value else { return nil }
        switch value {
        case .null, .string(""), .array([]): return nil
        case .string(let words): return visit.moment(value) ?? words
        case .bool(let truth): return text[truth ? .yes : .no]
        case .array: return value.strings?.joined(separator: ", ") ?? value.text
        case .integer, .number, .object: return value.text
        }
    }

    /// The subject of a message. What it leaves to the message is left out.
    private func subject(ofKind kind: String) -> String {
        let subject = visit.language.texts(ofSection: MessageText.section(of: kind))[MessageText.Part.subject.rawValue]
        return subject?.replacing(/\{[a-z_]+\}/, with: "…") ?? ConsoleVisit.readable(kind)
    }

    /// Enough of an id to tell two of them apart on a page.
    private static func short(_ id: String) -> String { UniqueID(uuid: id) == nil ? id : "…\(id.suffix(8))" }

    // MARK: - Pages

    /// The page of a thing, or its place in its list; `nil` if the role has neither.
    private func page(of list: ConsoleList, _ id: String?, brand: String? = nil) -> String? {
        guard let id else { return nil }
        if let command = list.detailCommand {
            guard visit.mayRun(command, reading: true) else { return nil }
            return visit.pages.address(of: list, [("id", id), ("brand", list == .provider ? brand : nil)])
        }
        guard visit.reaches(list.command) else { return nil }
        return visit.pages.address(of: list) + "#" + Self.anchor(list, id)
    }

    private func anchor(of thing: JSONObject, in table: ConsoleTable) -> String? {
        for column in table.columns {
            if case .name(let list, let member) = column.form, list.detailCommand == nil, let id = thing[member]?.string
            {
                return Self.anchor(list, id)
            }
        }
        return nil
    }

    private static func anchor(_ list: ConsoleList, _ id: String) -> String { "\(list.rawValue)-\(id)" }
}

extension ConsoleColumn {
    fileprivate var isCode: Bool { if case .id = form { true } else { false } }

    /// The class of a cell. Words are not broken.
    fileprivate var style: String? { if case .word = form { "word" } else { nil } }
}

extension ConsoleVisit {
    /// The page of an account; `nil` for a role without it.
    func address(ofPerson id: String) -> String? {
        guard mayRun("account explain", reading: true), UniqueID(uuid: id) != nil else { return nil }
        return pages.address(ofAccount: id)
    }
}
