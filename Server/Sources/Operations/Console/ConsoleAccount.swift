internal import Core
internal import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

/// The page of an account.
extension ConsoleVisit {
    /// Reads the account before it looks at what the role may do there: a role that does not reach it gets no further.
    func account() async throws -> EndpointResponse {
        let query = try request.query()
        guard let id = query["id"].flatMap({ UniqueID(uuid: $0) })?.uuid else {
            throw ConsoleFault.refused(.notFound("account", ""))
        }
        let explained = try await read("account explain", [("account", id)])
        return try await concerning(account: id).account(id, explained, query)
    }

    private func account(
        _ id: String, _ explained: JSONObject, _ query: FormParameters
    ) async throws -> EndpointResponse {
        let verdict = ConsoleVerdict(answer: explained, visit: self)
        if let action = query["ask"].flatMap(ConsoleAction.init), let question = action.question {
            return try await ask(question, action, query["item"], verdict, account: id)
        }
        let shown = try await read("account show", [("account", id)])
        let sessions = try await read("session list", [("account", id)]).rows("sessions")
        let mentions = MentionedNames.Mentions(
            clients: Set(sessions.compactMap { $0["clientId"]?.string }),
            brands: Set([shown["brand"]?.string].compactMap(\.self)))
        let view = ConsoleAccountView(
            visit: self, id: id, verdict: verdict, names: try await names(of: mentions), shown: shown,
            sessions: sessions,
            passkeys: try await read("passkey list", [("account", id)]).rows("passkeys"),
            apps: try await read("account consents", [("account", id)]).rows("clientConsents"))
        let notice = try notice()
        let said = notice.map { words(of: $0, about: verdict.name) }
        var values = ConsoleValues()
        values.notice = said?.values(heading: pages.common[.faultHeading])
        values.detail = notice?.message
        values.remedy = verdict.hindrances.first.flatMap { verdict.remedy(for: $0) }
        values.groups = view.groups
        values.links = [LinkValues(address: pages.address(ConsoleEndpoints.path), label: text[.searchAgain])]
        return try respond(
            heading: verdict.name, lead: verdict.sentence, isFault: said?.isFault ?? false, values, about: id)
    }

    /// The question before an action.
    private func ask(
        _ question: (heading: ConsoleText, lead: ConsoleText), _ action: ConsoleAction, _ item: String?,
        _ verdict: ConsoleVerdict, account id: String
    ) async throws -> EndpointResponse {
        let name: String?
        switch action {
        case .removeDevice:
            name = verdict.answer.rows("devices").first { $0["deviceId"]?.string == item }?["name"]?.string
        case .removePasskey:
            let passkeys = try await read("passkey list", [("account", id)]).rows("passkeys")
            name = passkeys.first { $0["passkeyId"]?.string == item }.map { $0["name"]?.string ?? "…" }
        default: name = verdict.name
        }
        guard let name else { throw ConsoleFault.refused(.notFound("item", "")) }
        guard let form = form([action], item: item, style: "danger") else {
            throw ConsoleFault.refused(OperatorDecision.forbidden("", ""))
        }
        var proof: ConsoleProof?
        if let own = action.ownSignIn {
            let path = action.path(askingAbout: id, item: item)
            proof = host.accountPages.consoleProof(
                in: try request.query()[ConsoleProof.parameter], of: visitor, now: caller.now)
            guard proof?.path == path else {
                return try await host.signIn(before: path, asking: own, request, now: caller.now)
            }
        }
        var values = ConsoleValues()
        values.question = .init(
            questionForm: form, back: LinkValues(address: pages.address(ofAccount: id), label: text[.backToAccount]))
        return try respond(
            heading: text[question.heading, ["name": name]], lead: text[question.lead], values, about: id, proof)
    }

    /// A page with forms about an account.
    private func respond(
        heading: String, lead: String, isFault: Bool = false, _ values: ConsoleValues, about account: String,
        _ proof: ConsoleProof? = nil
    ) throws -> EndpointResponse {
        let (form, changes) = try host.accountPages.consoleForm(for: visitor, proof: proof, cookies, now: caller.now)
        var values = values
        values.account = account
        values.form = PageFormValues(
            action: pages.address(ConsoleEndpoints.accountPath), request: form.request, csrf: form.csrf)
        var response = pages.response(heading: heading, lead: lead, isFault: isFault, values)
        host.authorize.cookies.apply(changes, to: &response)
        return response
    }

    /// The buttons that the role has; `nil` if it has none of them.
    func form(
        _ actions: [ConsoleAction], item: String? = nil, style: String? = "second"
    ) -> ConsoleValues.RowForm? {
        let buttons = actions.filter { mayRun($0.command, reading: false) }.map { action in
            ButtonValues(value: action.rawValue, label: text[action.label])
        }
        return buttons.isEmpty ? nil : .init(item: item, style: style, buttons: buttons)
    }
}

extension JSONObject {
    /// The objects of a list.
    func rows(_ member: String) -> [JSONObject] { (self[member]?.array ?? []).compactMap(\.object) }
}

/// The groups and rows of an account's page, from the answers of the commands.
struct ConsoleAccountView: Sendable {
    let visit: ConsoleVisit
    let id: String
    let verdict: ConsoleVerdict
    let names: MentionedNames
    /// The answer of `account show`.
    let shown: JSONObject
    let sessions: [JSONObject]
    let passkeys: [JSONObject]
    let apps: [JSONObject]

    private typealias Group = ConsoleValues.Group
    private typealias Row = ConsoleValues.Row

    private var text: Texts<ConsoleText> { visit.text }
    private var isErased: Bool { shown["state"] == "erased" }

    var groups: [ConsoleValues.Group] {
        let all = [
            group(.hindrancesGroup, hindranceRows), group(.accountGroup, accountRows),
            group(.devicesGroup, deviceRows), group(.passkeysGroup, passkeyRows),
            group(.sessionsGroup, sessionRows, whole: visit.form([.endSessions])), group(.appsGroup, appRows),
            group(.refusalsGroup, refusalRows), group(.wholeGroup, wholeRows),
        ]
        return all.compactMap(\.self)
    }

    private func group(
        _ heading: ConsoleText, _ rows: [ConsoleValues.Row], whole: ConsoleValues.RowForm? = nil
    ) -> ConsoleValues.Group? {
        rows.isEmpty ? nil : Group(groupHeading: text[heading], rows: rows, whole: whole)
    }

    private func row(
        _ name: String, _ label: String, _ state: String?, _ form: ConsoleValues.RowForm? = nil,
        asking question: (action: ConsoleAction, item: String?)? = nil
    ) -> ConsoleValues.Row {
        var questions: [LinkValues] = []
        if let question, visit.mayRun(question.action.command, reading: false) {
            questions = [
                LinkValues(
                    address: visit.pages.address(question.action.path(askingAbout: id, item: question.item)),
                    label: text[question.action.label])
            ]
        }
        let row = "row-\(name)"
        var form = form
        form?.row = row
        return Row(row: row, label: label, state: state, rowForm: form, questions: questions)
    }

    // MARK: - What is in the way

    /// The worst one is in the sentence at the top, with its button.
    private var hindranceRows: [ConsoleValues.Row] {
        verdict.hindrances.dropFirst().enumerated().map { index, hindrance in
            row("hindrance-\(index)", verdict.sentence(for: hindrance), nil, verdict.remedy(for: hindrance))
        }
    }

    private var refusalRows: [ConsoleValues.Row] {
        verdict.answer.rows("refusals").enumerated().map { index, refusal in
            row(
                "refusal-\(index)", visit.sentence(forKind: refusal["kind"]?.string ?? ""), visit.moment(refusal["at"]))
        }
    }

    // MARK: - The account

    private var accountRows: [ConsoleValues.Row] {
        var rows = [restrictionRow, stateRow].compactMap(\.self)
        rows.append(row("names", text[.namesRow], shown["usernames"]?.strings?.joined(separator: ", ") ?? "–"))
        rows.append(row("id", text[.idRow], id))
        if let other = shown["mergedInto"]?.string {
            var merged = row("merged", text[.mergedRow], other)
            merged.address = visit.pages.address(ofAccount: other)
            rows.append(merged)
        }
        if let others = shown["mergedAccounts"]?.strings {
            rows.append(row("absorbed", text[.absorbedRow], others.joined(separator: ", ")))
        }
        rows.append(row("brand", text[.brandRow], shown["brand"]?.string.map { names.brands[$0] ?? $0 }))
        rows.append(row("last", text[.lastSignInRow], visit.moment(shown["lastLoginAt"]) ?? text[.never]))
        guard !isErased else { return rows }
        if let email = shown["email"]?.string {
            let isConfirmed = shown["emailState"] == "verified"
            rows.append(
                row(
                    "email", text[.emailRow], stated(email, isConfirmed: isConfirmed),
                    isConfirmed ? nil : visit.form([.verifyEmail])))
        }
        if let phone = shown["phone"]?.string {
            rows.append(row("phone", text[.phoneRow], stated(phone, isConfirmed: shown["phoneState"] == "verified")))
        }
        rows += [passwordRow, pinRow, factorRow, identityRow, failureRow].compactMap(\.self)
        return rows
    }

    private func stated(_ address: String, isConfirmed: Bool) -> String {
        "\(PageText.unbroken(address)), \(text[isConfirmed ? .confirmed : .unconfirmed])"
    }

    /// Why there are no buttons.
    private var restrictionRow: ConsoleValues.Row? {
        switch visit.restriction {
        case .administration: return row("restriction", text[.operatorRow, ["user": verdict.name]], nil)
        case .ownAccount:
            var own = row("restriction", text[.ownRow], nil)
            own.address = visit.pages.pages.issuer.url(path: Endpoints.accountPage.path)
            return own
        case .role, .brand, .unknown, .allowed, nil: return nil
        }
    }

    private var stateRow: ConsoleValues.Row {
        var form: ConsoleValues.RowForm?
        var question: (action: ConsoleAction, item: String?)?
        switch shown["state"]?.string {
        case "active":
            form = verdict.hasFailures ? visit.form([.unlock]) : nil
            question = (.close, nil)
        case "deactivated":
            form = shown["closedBy"] == "holder" ? visit.form([.keep]) : visit.form([.reopen])
        default: break
        }
        let word = shown["mergedInto"] == nil ? word(forState: shown["state"]?.string) : text[.stateMerged]
        return row("state", text[.stateRow], word, form, asking: question)
    }

    private func word(forState state: String?) -> String {
        switch state {
        case "active": text[.stateActive]
        case "deactivated": text[.stateDeactivated]
        case "suspended": text[.stateSuspended]
        case "erased": text[.stateErased]
        default: state ?? ""
        }
    }

    private func word(forSecret state: String?) -> String {
        switch state {
        case "active", "current": text[.wordSet]
        case "locked": text[.wordLocked]
        case "exhausted": text[.wordExhausted]
        case "expired": text[.wordExpired]
        case "off": text[.wordOff]
        default: text[.wordNone]
        }
    }

    private var passwordRow: ConsoleValues.Row {
        let state = shown["passwordState"]?.string
        return row(
            "password", text[.passwordRow], word(forSecret: state),
            asking: state == "current" ? (.expirePassword, nil) : nil)
    }

    private var pinRow: ConsoleValues.Row? {
        guard let state = shown["pin"]?.string else { return nil }
        return row("pin", text[.pinRow], word(forSecret: state), visit.form([.removePIN]))
    }

    private var factorRow: ConsoleValues.Row {
        let unsent = factors("undeliverableFactors").map { text[.factorUndeliverable, ["factor": $0]] }
        let words = factors("secondFactors") + unsent
        return row("factors", text[.factorsRow], words.isEmpty ? text[.wordNone] : words.joined(separator: ", "))
    }

    /// The names of the factors of a list.
    private func factors(_ member: String) -> [String] {
        (verdict.answer[member]?.strings ?? []).compactMap(FactorKind.init).map { kind in
            switch kind {
            case .totp: text[.factorTotp]
            case .email: text[.factorEmail]
            case .sms: text[.factorSMS]
            case .secretQuestion: text[.factorQuestion]
            case .recoveryCode: text[.factorRecovery]
            }
        }
    }

    private var identityRow: ConsoleValues.Row? {
        guard let count = verdict.answer["methods"]?.object?["providers"]?.integer, count > 0 else { return nil }
        return row("identities", text[.identitiesRow], String(count))
    }

    private var failureRow: ConsoleValues.Row? {
        let (unknown, known) = (verdict.failures("unknownDevices"), verdict.failures("knownDevices"))
        guard unknown + known > 0 else { return nil }
        return row(
            "failures", text[.failuresRow], text[.failures, ["unknown": String(unknown), "known": String(known)]])
    }

    // MARK: - Its things

    private var deviceRows: [ConsoleValues.Row] {
        verdict.answer.rows("devices").enumerated().map { index, device in
            let item = device["deviceId"]?.string
            let isWaiting = verdict.hindrances.contains {
                $0["deviceId"]?.string == item && $0["code"]?.string == Hindrance.Code.deviceAwaitsCode.rawValue
            }
            let state = device["state"]?.string
            let actions: [ConsoleAction] =
                switch state {
                case "active": (isWaiting ? [.confirmDevice] : []) + [.suspendDevice, .deactivateDevice]
                case "suspended": [.resumeDevice]
                case "deactivated": [.reactivateDevice]
                default: []
                }
            let facts = [
                isWaiting ? text[.stateWaiting] : word(forState: state), device["platform"]?.string,
                text[.devicePIN, ["state": word(forSecret: device["pin"]?.string)]],
                visit.moment(device["lastUsedAt"]).map { text[.used, ["date": $0]] },
            ]
            return row(
                "device-\(index)", name(device), facts.compactMap(\.self).joined(separator: " · "),
                visit.form(actions, item: item), asking: (.removeDevice, item))
        }
    }

    private func name(_ thing: JSONObject) -> String {
        let name = thing["name"]?.string ?? ""
        return name.isEmpty ? "…" : name
    }

    private var passkeyRows: [ConsoleValues.Row] {
        passkeys.enumerated().map { index, passkey in
            row(
                "passkey-\(index)", name(passkey), dates(passkey),
                asking: (.removePasskey, passkey["passkeyId"]?.string))
        }
    }

    private var sessionRows: [ConsoleValues.Row] {
        sessions.enumerated().map { index, session in
            let browser = session["browser"]?.string.flatMap(BrowserFamily.init)?.name
            let system = session["system"]?.string.flatMap(SystemFamily.init)?.name
            let place = [browser, system].compactMap(\.self)
            let label = app(of: session) ?? (place.isEmpty ? text[.browser] : place.joined(separator: ", "))
            return row(
                "session-\(index)", label, dates(session),
                visit.form([.endSession], item: session["sessionId"]?.string))
        }
    }

    /// The app of a session and its device; `nil` for a session of a browser.
    private func app(of session: JSONObject) -> String? {
        guard let id = session["clientId"]?.string else { return nil }
        let device = session["deviceId"]?.string.flatMap { device in
            verdict.answer.rows("devices").first { $0["deviceId"]?.string == device }
        }
        return [names.clients[id] ?? id, device.map(name)].compactMap(\.self).joined(separator: " · ")
    }

    private var appRows: [ConsoleValues.Row] {
        apps.enumerated().map { index, app in
            row(
                "app-\(index)", name(app), visit.moment(app["since"]).map { text[.since, ["date": $0]] },
                visit.form([.withdrawAccess], item: app["clientId"]?.string))
        }
    }

    private func dates(_ thing: JSONObject) -> String {
        let dates = [
            visit.moment(thing["createdAt"]).map { text[.since, ["date": $0]] },
            visit.moment(thing["lastUsedAt"]).map { text[.used, ["date": $0]] }, thing["network"]?.string,
        ]
        return dates.compactMap(\.self).joined(separator: " · ")
    }

    // MARK: - The whole

    private var wholeRows: [ConsoleValues.Row] {
        var rows: [ConsoleValues.Row] = []
        if visit.reaches("audit tail") {
            var audit = row("audit", text[.auditOfAccount], nil)
            audit.address = visit.pages.address(ConsoleEndpoints.auditPath, [("account", id)])
            rows.append(audit)
        }
        if !isErased, visit.mayRun(ConsoleAction.erase.command, reading: false) {
            rows.append(row("erase", text[.eraseRow], nil, asking: (.erase, nil)))
        }
        return rows
    }
}
