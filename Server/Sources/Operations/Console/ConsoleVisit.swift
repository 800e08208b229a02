internal import Core
internal import Foundation
internal import HTTPTypes
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

/// One request of an operator.
struct ConsoleVisit: Sendable {
    let host: ConsoleEndpoints
    let request: EndpointRequest
    private(set) var cookies: BrowserCookies
    let visitor: ConsoleVisitor
    let caller: OperatorCaller
    let grant: OperatorGrant
    private(set) var pages: ConsolePages
    /// The account of the page, with which the role decides about buttons; `nil` for a page without one.
    private(set) var subject: TargetFacts?
    private let record = OperatorPageRecord()

    var text: Texts<ConsoleText> { pages.text }
    var language: Language { pages.language }

    /// With the form that signs out on each page, and the cookie that the form needs.
    func withSignOut() throws -> (visit: ConsoleVisit, cookies: [CookieChange]) {
        let (form, changes) = try host.accountPages.consoleForm(for: visitor, cookies, now: caller.now)
        var visit = self
        for change in changes where change.cookie == .binding { visit.cookies.binding = change.value }
        visit.pages.setPerson(visitor.name, signingOutBy: form)
        return (visit, changes)
    }

    // MARK: - Commands

    /// The answer of a command that reads.
    /// - Throws: ``ConsoleFault`` if it was refused.
    func read(_ title: String, _ members: [(String, String?)] = []) async throws -> JSONObject {
        var object = JSONObject()
        for (name, value) in members { object.set(name, value) }
        let (form, asked) = (try host.form(of: title), object)
        return try await answer(
            host.calls.answer(to: form, { asked }, by: caller, under: grant, mayChange: false, on: record))
    }

    private func answer(_ outcome: AdminCalls.Outcome) throws(ConsoleFault) -> JSONObject {
        switch outcome {
        case .done(let document): return document
        case .refused(let refusal): throw .refused(refusal)
        case .heldBack(let wait): throw .heldBack(wait)
        }
    }

    /// Whether the operator's role runs a command, and changes the page's account by it. The command decides again.
    func mayRun(_ title: String, reading isReading: Bool) -> Bool {
        let command = host.calls.administration.allCommands.first { $0.title == title }
        guard let access = command?.access, access.admits(grant.role, reading: isReading) else { return false }
        guard !isReading, let subject else { return true }
        return decision(about: subject, access) == .allowed
    }

    private func decision(about subject: TargetFacts, _ access: CommandAccess) -> OperatorDecision {
        OperatorDecision(
            grant, isOwn: subject.concerns(visitor.account.id), access: access, isReading: false, on: subject)
    }

    /// Why the role changes nothing of the page's account; `nil` if it does, or changes nothing of any.
    var restriction: OperatorDecision? {
        let changes = ConsoleAction.allCases.lazy.compactMap { action in
            host.calls.administration.allCommands.first { $0.title == action.command }?.access
        }.first { $0.admits(grant.role, reading: false) }
        guard let changes, let subject else { return nil }
        let decision = decision(about: subject, changes)
        return decision == .allowed ? nil : decision
    }

    /// The visit of an account's page, with the buttons that the role has for this account.
    /// - Parameter id: of an account that the operator has read.
    func concerning(account id: String) async throws -> ConsoleVisit {
        var visit = self
        visit.subject = try await database.read {
            try CommandTarget.account(.id(id)).facts(findingBy: nil, on: $0)
        }
        return visit
    }

    // MARK: - The search

    func search() async throws -> EndpointResponse {
        let query = try request.query()
        let typed = (query["q"] ?? "").trimmingCharacters(in: .whitespaces)
        let brands = grant.brand == nil ? try await ConsoleBrands(in: database) : nil
        let asked = query["brand"].map { $0.trimmingCharacters(in: .whitespaces) }
        guard let brand = grant.brand ?? brands?.id(typed: asked ?? BrandSettings.defaultBrand) else {
            return try await found(
                nothingFor: typed, brand: asked, among: brands, .notFound("brand", ""),
                saying: text[.faultNoBrand, ["brand": asked ?? ""]])
        }
        guard !typed.isEmpty else { return try await found(nothingFor: "", brand: brand, among: brands, nil) }
        var members: [(String, String?)] = [("username", typed), ("brand", brand)]
        if case .id(let id) = AccountReference(typed: typed, brand: brand) { members = [("account", id)] }
        do {
            let account = try await read("account show", members)
            guard let id = account["accountId"]?.string else { throw InvariantViolation() }
            return EndpointResponse(status: .seeOther, headers: [.location: location(ofAccount: id)])
        } catch ConsoleFault.refused(let refusal) where Self.leavesSearch.contains(refusal.code) {
            if refusal.code != "ambiguous", try await areNames(beginningWith: typed, in: brand) {
                let list = [("of", ConsoleList.account.rawValue), ("brand", brand), ("prefix", typed)]
                var parameters = FormParameters()
                for (name, value) in list { parameters.append(name, value) }
                let location = host.base.url(path: ConsoleEndpoints.listPath) + "?" + parameters.encoded
                return EndpointResponse(status: .seeOther, headers: [.location: location])
            }
            return try await found(nothingFor: typed, brand: brand, among: brands, refusal)
        }
    }

    private var database: any Database { host.calls.administration.server.context.database }

    /// Whether user names begin with a text, of those that the role sees whole.
    private func areNames(beginningWith prefix: String, in brand: String) async throws -> Bool {
        let list = ConsoleList.account.command
        guard mayRun(list, reading: true) else { return false }
        do {
            return try await !read(list, [("brand", brand), ("prefix", prefix)]).rows("accounts").isEmpty
        } catch ConsoleFault.refused {
            return false
        }
    }

    /// Codes of a search that may be tried again with other words.
    private static let leavesSearch: Set = ["not_found", "malformed", "ambiguous"]

    func location(ofAccount id: String, _ notice: ConsoleNotice? = nil) -> String {
        var query = FormParameters()
        query.append("id", id)
        query.append(ConsoleNotice.parameter, notice.flatMap { try? notices.seal($0, now: caller.now) })
        return host.base.url(path: ConsoleEndpoints.accountPath) + "?" + query.encoded
    }

    /// The first page, or the one for a search without a result.
    private func found(
        nothingFor typed: String, brand: String?, among brands: ConsoleBrands?, _ refusal: AdministrationRefusal?,
        saying sentence: String? = nil
    ) async throws -> EndpointResponse {
        var values = ConsoleValues()
        if let refusal {
            values.notice = PageNotice(text: sentence ?? pages.sentence(for: refusal.code))
                .values(heading: pages.common[.faultHeading])
        }
        values.search = .init(
            address: pages.address(ConsoleEndpoints.path), typed: typed, searchLabel: text[.searchLabel],
            brandField: brands.map { brands in
                .init(
                    brandLabel: text[.brandLabel], brandTyped: brand.map { brands.label(of: $0) } ?? "",
                    choices: brands.choices)
            },
            searchButton: text[.searchButton])
        var several: ConsoleValues.Group?
        if let refusal { several = try await self.several(refusal) }
        values.groups = [several, others].compactMap(\.self)
        return pages.response(
            refusal.map { AdminEndpoints.status(of: $0.code) } ?? .ok, heading: text[.heading], lead: text[.lead],
            isFault: refusal != nil, values)
    }

    /// The accounts of an address that several have confirmed. The refusal names their ids.
    private func several(_ refusal: AdministrationRefusal) async throws -> ConsoleValues.Group? {
        guard refusal.code == "ambiguous" else { return nil }
        let ids = refusal.message.matches(of: /[0-9a-f-]{36}/).compactMap { UniqueID(uuid: String($0.output))?.uuid }
        let names = try await names(of: MentionedNames.Mentions(accounts: Set(ids)))
        let rows = ids.map { id in
            ConsoleValues.Row(
                row: "row-\(id)", label: names.accounts[id] ?? id, address: pages.address(ofAccount: id))
        }
        return rows.isEmpty ? nil : .init(groupHeading: text[.accountsFound], rows: rows)
    }

    /// In place of a page that another site sent the browser to: a link to it, which only a person follows.
    func askToGoOn() throws -> EndpointResponse {
        var values = ConsoleValues()
        values.wayOn = LinkValues(
            address: pages.address(request.path, try request.query().parameters.map { ($0.name, $0.value) }),
            label: pages.common[.continueLabel])
        return pages.response(heading: text[.goOnHeading], lead: text[.goOn], values)
    }

    // MARK: - Pressing a button

    /// Runs the command of a button, and leads back to the account's page. What nothing undoes runs on the page of its question alone,
    /// which had a sign-in of its own: a copied cookie does not do it.
    /// - Parameters:
    ///   - mark: of the form.
    ///   - proof: of the form's page.
    func press(
        _ pressed: PressedButton, by mark: [UInt8], _ proof: ConsoleProof?
    ) async throws -> EndpointResponse {
        let question = pressed.action.path(askingAbout: pressed.account, item: pressed.item)
        // Without the role for it, the refusal comes from the command.
        if pressed.action.ownSignIn != nil, proof?.path != question, mayRun(pressed.action.command, reading: false) {
            return EndpointResponse(
                status: .seeOther, headers: [.location: host.base.url(path: question)])
        }
        let form = try host.form(of: pressed.action.command)
        let outcome = try await host.calls.answer(
            to: form, { try pressed.action.members(account: pressed.account, item: pressed.item) }, by: caller,
            under: grant, mayChange: true, once: .form(mark))
        var notice = ConsoleNotice(visitor: visitor.account.id.uuid, action: pressed.action.rawValue)
        switch outcome {
        case .done: break
        case .heldBack(let wait): throw ConsoleFault.heldBack(wait)
        case .refused(let refusal):
            // Without an account's page to go back to, or while the server has no room for it.
            if AdminEndpoints.status(of: refusal.code) == .serviceUnavailable { throw ConsoleFault.refused(refusal) }
            notice.code = refusal.code
            notice.decision = refusal.decision
            notice.message = pages.detail(of: refusal)
        }
        return EndpointResponse(
            status: .seeOther, headers: [.location: location(ofAccount: pressed.account, notice)])
    }

    // MARK: - Notices

    private var notices: SealedState<ConsoleNotice> {
        SealedState(
            host.calls.administration.server.context.sealing, purpose: .page, label: "console-notice",
            lifetime: PageState.lifetime, restore: .spares)
    }

    /// What the form before this page came to; `nil` for a page that was opened by itself, or by another person.
    func notice() throws -> ConsoleNotice? {
        let found = try request.query()[ConsoleNotice.parameter].flatMap { notices.open($0, now: caller.now) }
        return found.flatMap { $0.visitor == visitor.account.id.uuid ? $0 : nil }
    }

    /// The sentence of a notice. Its button is known: this server has sealed it.
    /// - Parameter name: of the account's holder.
    func words(of notice: ConsoleNotice, about name: String) -> PageNotice {
        if let code = notice.code {
            let isNoFault = [CallMark.formUsed, OperatorApproval.pending].contains(code)
            return PageNotice(text: pages.sentence(for: code, notice.decision), kind: isNoFault ? .information : .fault)
        }
        let sentence = ConsoleAction(rawValue: notice.action).map { text[$0.done, ["name": name]] } ?? notice.action
        return PageNotice(text: sentence, kind: .success)
    }

    // MARK: - Words

    /// A time of an answer, as people write it.
    func moment(_ value: JSONValue?) -> String? {
        time(value).map { language.moment(of: $0) }
    }

    /// A text that only begins with a time is none.
    func time(_ value: JSONValue?) -> Timestamp? {
        guard let text = value?.string, let date = try? Date(text, strategy: .iso8601) else { return nil }
        let time = Timestamp(seconds: Int64(date.timeIntervalSince1970))
        return time.text == text ? time : nil
    }
}

/// What a form of the console came to, in the address of the page that answers it: sealed, for the operator who sent it.
struct ConsoleNotice: Codable, Sendable {
    static let parameter = PageAddress.parameter

    var visitor: String
    var action: String
    /// Of a refusal.
    var code: String?
    var decision: OperatorDecision?
    var message: String?
}
