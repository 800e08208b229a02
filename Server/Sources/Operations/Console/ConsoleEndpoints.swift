internal import Core
internal import HTTPTypes
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

/// `/admin`: pages on which an operator finds a person, reads why they cannot sign in, and mends it.
///
/// This folder owns the pages. Each of them, and each button, runs commands the way `/admin/v1` does (``AdminCalls``): no rule about roles,
/// brands or accounts is in it.
struct ConsoleEndpoints: Sendable {
    let calls: AdminCalls
    let accountPages: AccountPages
    /// Provides the cookies and pages, and the sign-in's answers.
    let authorize: AuthorizeEndpoint
    /// Of the addresses of its pages.
    let base: Issuer
    /// By the titles of their commands.
    private let forms: [String: CommandForm]

    /// - Throws: an error if the options of a command cannot be described.
    init(calls: AdminCalls, accountPages: AccountPages, authorize: AuthorizeEndpoint) throws {
        self.calls = calls
        self.accountPages = accountPages
        self.authorize = authorize
        base = calls.administration.server.context.settings.administration
        let offered = calls.administration.allCommands.filter { $0.access.isOffered && $0.isListed }
        forms = try Dictionary(uniqueKeysWithValues: offered.map { ($0.title, try CommandForm.of($0)) })
    }

    static let path = AccountPages.consolePath
    static let accountPath = path + "/account"
    static let auditPath = path + "/audit"
    static let listPath = path + "/list"
    /// The button of each page, below the name of the person.
    static let signOut = "sign_out"
    /// The parameter that asks for a sign-in in place of the one that the browser has.
    static let anotherAccount = "another"
    /// The parameter that names the brand of the operators' accounts.
    static let operators = "operators"
    /// Parameters that are no part of a page's own address.
    private static let passing: Set = [
        ConsoleNotice.parameter, ConsoleProof.parameter, ConsoleProof.arrival, anotherAccount,
    ]

    var routes: [Route] {
        [
            Route(.get, Self.path, .page, search).stating(
                .pages, "openConsole", "The operators' console: the search for an account"),
            Route(.get, Self.accountPath, .page, account).stating(
                .pages, "openConsoleAccount", "The operators' console: an account, and what keeps it from signing in"),
            Route(.post, Self.accountPath, body: .form, .page, press).stating(
                .pages, "submitConsoleAccount", "What the buttons of an account in the console send"),
            Route(.get, Self.auditPath, .page, audit).stating(
                .pages, "openConsoleAudit", "The operators' console: the audit log"),
            Route(.get, Self.listPath, .page, list).stating(
                .pages, "openConsoleList", "The operators' console: a list of a command"),
        ]
    }

    func form(of title: String) throws(InvariantViolation) -> CommandForm {
        guard let form = forms[title] else { throw InvariantViolation() }
        return form
    }

    // MARK: - The pages

    @Sendable private func search(_ request: EndpointRequest) async throws -> EndpointResponse {
        try await open(request) { try await $0.search() }
    }

    @Sendable private func account(_ request: EndpointRequest) async throws -> EndpointResponse {
        try await open(request) { try await $0.account() }
    }

    @Sendable private func audit(_ request: EndpointRequest) async throws -> EndpointResponse {
        try await open(request) { try await $0.audit() }
    }

    @Sendable private func list(_ request: EndpointRequest) async throws -> EndpointResponse {
        try await open(request) { try await $0.list() }
    }

    /// A button of an account's page.
    @Sendable private func press(_ request: EndpointRequest) async throws -> EndpointResponse {
        if let fault = authorize.faultOfAnotherSite(request) { return fault }
        let (pressed, submission): (PressedButton?, PageSubmission<String>)
        do {
            let form = try request.form()
            submission = try PageSubmission(form, action: form.required("action"))
            pressed = submission.action == Self.signOut ? nil : try PressedButton(submission.action, form)
        } catch {
            return authorize.malformed(error, request)
        }
        guard let pressed else { return try await signOut(submission, request) }
        return try await visit(request, pressed.page) { visit in
            let form = accountPages.consoleMark(
                of: submission, by: visit.visitor, visit.cookies, now: visit.caller.now)
            guard let form else { return expired(request) }
            return try await visit.press(pressed, by: form.mark, form.proof)
        }
    }

    private func expired(_ request: EndpointRequest) -> EndpointResponse {
        authorize.pages.fault(.expiredPage, status: .badRequest, code: "expired_page", request.context)
    }

    /// Ends the browser's session, whatever the person's role, and leads to the sign-in.
    private func signOut(
        _ submission: PageSubmission<String>, _ request: EndpointRequest
    ) async throws -> EndpointResponse {
        let now = calls.administration.server.context.clock.now()
        let cookies = authorize.cookies.cookies(of: request.headers)
        let location = base.url(path: Self.path)
        var response = EndpointResponse(status: .seeOther, headers: [.location: location])
        guard let visitor = try await accountPages.consoleVisitor(cookies, request.origin, now: now) else {
            return response
        }
        guard accountPages.consoleMark(of: submission, by: visitor, cookies, now: now) != nil else {
            return expired(request)
        }
        let changes = try await accountPages.signOutOfConsole(cookies, request.origin, now: now)
        authorize.cookies.apply(changes, to: &response)
        return response
    }

    private func open(
        _ request: EndpointRequest, _ page: (ConsoleVisit) async throws -> EndpointResponse
    ) async throws -> EndpointResponse {
        var query = FormParameters()
        for parameter in try request.query().parameters
        where !Self.passing.contains(parameter.name) {
            query.append(parameter.name, parameter.value)
        }
        let address = query.parameters.isEmpty ? request.path : request.path + "?" + query.encoded
        // Another site could open pages until the operator's calls of the minute are used up. The search by itself runs no command.
        let runsCommands = request.path != Self.path || query["q"] != nil
        let isSent = runsCommands && request.isFromAnotherSite
        let arrival = try request.query()[ConsoleProof.arrival]
        return try await visit(request, address) { plain in
            let (visit, changes) = try plain.withSignOut()
            let hasArrived = accountPages.hasArrived(
                plain.visitor, at: address, saying: arrival, now: plain.caller.now)
            var response = isSent && !hasArrived ? try visit.askToGoOn() : try await page(visit)
            // A sign-in page has a form of its own.
            if response.headers[.setCookie] == nil { authorize.cookies.apply(changes, to: &response) }
            return response
        }
    }

    /// Asks for a sign-in, which leads back.
    /// - Parameters:
    ///   - address: of the page, below the base.
    ///   - question: of the page, if it wants one of its own.
    func signIn(
        before address: String, asking question: ConsoleQuestion?, _ request: EndpointRequest, now: Timestamp
    ) async throws -> EndpointResponse {
        let isElsewhere = accountPages.hasConsoleElsewhere
        // The page's state has it, and is in an address itself.
        let path = isElsewhere && address.utf8.count > 1_000 ? Self.path : address
        let answer = try await accountPages.askToSignIn(
            beforeConsole: path, asking: question, asAnother: request.query()[Self.anotherAccount] != nil,
            brand: Self.brand(of: request), authorize.cookies.cookies(of: request.headers), request.origin, now: now)
        return authorize.respond(with: answer, request, from: isElsewhere)
    }

    /// Lets in a person with a role, whose sign-in is as strong and as recent as a call of `/admin/v1` takes.
    /// - Parameter address: where the sign-in leads, below the base.
    private func visit(
        _ request: EndpointRequest, _ address: String,
        _ body: (ConsoleVisit) async throws -> EndpointResponse
    ) async throws -> EndpointResponse {
        let administration = calls.administration
        let (now, cookies) = (administration.server.context.clock.now(), authorize.cookies.cookies(of: request.headers))
        let visitor = try await accountPages.consoleVisitor(cookies, request.origin, now: now)
        let caller = try visitor.map { try OperatorCaller($0, origin: request.origin, now: now) }
        let wantsAnother = try request.query()[Self.anotherAccount] != nil
        guard !wantsAnother, let visitor, let caller, caller.shortcoming != .strongerSignIn else {
            let question = try request.query()["ask"].flatMap(ConsoleAction.init)?.ownSignIn
            return try await signIn(before: address, asking: question, request, now: now)
        }
        let pages = ConsolePages(
            pages: authorize.pages, language: request.language, isElsewhere: accountPages.hasConsoleElsewhere)
        if case .cooling(let seconds) = caller.shortcoming {
            return try instead(of: pages, for: visitor, cookies, now: now) {
                $0.recovered(until: now + .seconds(seconds), retryAfter: seconds)
            }
        }
        guard let grant = try await OperatorCall.grant(of: caller, in: administration) else {
            let brand = try Self.brand(of: request)
            return try instead(of: pages, for: visitor, cookies, now: now) { $0.noRole(operatorsOf: brand) }
        }
        let visit = ConsoleVisit(
            host: self, request: request, cookies: cookies, visitor: visitor, caller: caller, grant: grant,
            pages: pages)
        do {
            return try await body(visit)
        } catch let fault as ConsoleFault {
            return pages.fault(fault)
        }
    }

    /// In place of a page, for a person whom the console does not let in. It offers to sign out: they may have another account.
    private func instead(
        of pages: ConsolePages, for visitor: ConsoleVisitor, _ cookies: BrowserCookies, now: Timestamp,
        _ page: (ConsolePages) -> EndpointResponse
    ) throws -> EndpointResponse {
        let (form, changes) = try accountPages.consoleForm(for: visitor, cookies, now: now)
        var pages = pages
        pages.setPerson(visitor.name, signingOutBy: form)
        var response = page(pages)
        authorize.cookies.apply(changes, to: &response)
        return response
    }

    /// The brand of the operators' accounts that a request names.
    private static func brand(of request: EndpointRequest) throws -> BrandID? {
        try request.query()[operators].flatMap { try? BrandID($0) }
    }
}

extension OperatorCaller {
    /// In the audit log. No client has it.
    static let console = "operator-console"

    fileprivate init(_ visitor: ConsoleVisitor, origin: RequestOrigin, now: Timestamp) throws {
        self.init(
            identity: .person(visitor.account.id), clientID: try ClientID(Self.console), origin: origin, now: now,
            shortcoming: Self.shortcoming(
                cooling: visitor.account.cooling(at: now), methods: visitor.settledMethods, since: visitor.authTime,
                now: now))
    }
}

/// Why there is no page.
enum ConsoleFault: Error {
    case refused(AdministrationRefusal)
    case heldBack(AdminCalls.HeldBack)
}

/// The button that was pressed, and what it is about.
struct PressedButton: Sendable {
    let action: ConsoleAction
    /// The id of the account whose page has it.
    let account: String
    let item: String?

    /// - Throws: `MalformedValue` for a button that no page has.
    init(_ name: String, _ form: FormParameters) throws(MalformedValue) {
        guard let action = ConsoleAction(rawValue: name) else {
            throw MalformedValue(field: "action", reason: "is not a button of the page")
        }
        guard let id = UniqueID(uuid: try form.required("id")) else {
            throw MalformedValue(field: "id", reason: "is not the id of an account")
        }
        self.action = action
        account = id.uuid
        item = form["item"]
    }

    var page: String { ConsoleEndpoints.accountPath + "?id=" + account }
}
