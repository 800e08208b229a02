internal import ArgumentParser
internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// Answers "why can this person not sign in?" and "why was this sign-in refused?".
struct AccountExplain: AdminCommand {
    static let title = "account explain"
    static let access = CommandAccess.reading(.support, .auditor)
    static let abstract = "Say why a person cannot sign in, and the command that helps."
    static let discussion = """
        The first line is the answer. Below it are the reasons with their remedies, the ways to sign in, the devices, \
        and the latest refusals in the audit log, which has the 4th, 8th, 16th and so on of wrong passwords in a row, and of \
        wrong codes the first five as well. An app whose attestation was refused is among them.

          walletauth account explain ada
          walletauth account explain --request 4bf92f3577b34da6a3ce929d0e0e4736

        It signs in nowhere and changes nothing: the rules are those that sign-ins pass.
        """

    @Argument(
        help: """
            The user name, or a confirmed e-mail address or phone number; after --, if it begins with a dash.
            """)
    var username: String?

    @Option(help: "The brand of the user name or address; `default` if omitted.")
    var brand: String?

    @Option(
        name: .customLong("account"), help: ArgumentHelp("The account id, instead of a user name.", valueName: "id"))
    var id: String?

    @Option(
        help: ArgumentHelp(
            "A refused sign-in of the last 7 days: the reference of its error page, or the trace id of its answer.",
            valueName: "id"))
    var request: String?

    private var reference: AccountReference? {
        id.map { .id($0) } ?? username.map { .username($0, brand: brand) }
    }

    var target: CommandTarget { reference.map { .account($0) } ?? .everything }

    var effect: CommandEffect { .reads }

    /// A request is found by reading the audit log of a week.
    var isScan: Bool { request != nil }

    func validate() throws {
        guard [username, id, request].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("use a user name, --account or --request")
        }
        guard brand == nil || username != nil else { throw ValidationError("--brand needs a user name") }
    }

    func execute(in report: AccountReport) async throws -> AdministrationAnswer {
        if let reference { return try await report.explain(reference) }
        return try await report.explain(request: request ?? "")
    }
}

extension AccountReport {
    private static let shownRefusals = 5
    /// Read for the refusals among them.
    private static let readEntries = 500
    private static let requestsKept = Duration.days(7)

    func explain(_ reference: AccountReference) async throws -> AdministrationAnswer {
        answer(with: try await explanation(of: reference))
    }

    /// Explains the refusal of one request, and the account that it concerned.
    func explain(request text: String) async throws -> AdministrationAnswer {
        let id = text.lowercased()
        guard id.utf8.count == 32, id.utf8.allSatisfy({ $0 < 0x80 && Character(UnicodeScalar($0)).isHexDigit }) else {
            throw AdministrationRefusal(
                "--request must have 32 hexadecimal digits, as the reference of an error page has.", code: "malformed")
        }
        guard let (account, refusal) = try await self.refusal(ofRequest: id) else {
            throw AdministrationRefusal(
                "The audit log of the last 7 days has no refused sign-in of the request \(id).",
                hint: "Look for it in the server's log: the line with this `trace` has the reason.", code: "not_found")
        }
        var answer = self.answer(with: try await explanation(of: .id(account.uuid)))
        answer.lines.insert("The request was refused at \(refusal.at.text), by \(refusal.sentence).", at: 0)
        var json = try answer.document()
        json["request"] = .object(refusal.json)
        answer.json = JSONValue.object(json).text
        return answer
    }

    /// Reads the log page by page from its end.
    private func refusal(ofRequest id: String) async throws -> (account: UniqueID, refusal: RefusedSignIn)? {
        let pageSize = 200
        let oldest = clock.now() - Self.requestsKept
        var cursor = AuditCursor(after: AuditPartition.all.map { _ in Int64.max - 1 })
        while true {
            let page = try await database.read { [bounds = cursor.bounds] in
                try AuditChains.recent(account: nil, kind: nil, before: bounds, limit: pageSize, on: $0)
            }
            for record in page {
                let entry = record.entry
                guard
                    let refusal = RefusedSignIn(
                        kind: entry.kind, at: entry.occurredAt, clientID: entry.client, details: record.details),
                    refusal.traceID == id, let account = entry.account.flatMap({ UniqueID(bytes: $0) })
                else { continue }
                return (account, refusal)
            }
            guard page.count == pageSize, let last = page.last, last.entry.occurredAt >= oldest else { return nil }
            cursor = cursor.before(page)
        }
    }

    private func explanation(of reference: AccountReference) async throws -> SignInExplanation {
        let now = clock.now()
        return try await database.read { connection in
            let account = try search.find(reference, on: connection)
            let events = try SecurityEvents.list(of: account.id, limit: Self.readEntries, on: connection)
            let refusals = try events.filter { try mayBeRefusal($0, on: connection) }.compactMap {
                RefusedSignIn(kind: $0.kind, at: $0.occurredAt, clientID: $0.clientID, details: $0.details)
            }
            .prefix(Self.shownRefusals)
            let status = try self.status(of: account, at: now, on: connection)
            let brand = try Brands.find(account.brandID, on: connection).map { try BrandProfile(json: $0.settings) }
            return SignInExplanation(
                status: status,
                withTwoFactors: try gate.preview(
                    account, by: [AuthenticationStrength.password], requiredACR: [AuthenticationStrength.twoFactors],
                    now: now, on: connection),
                ownFactors: try AccountFactors.find(account.id, on: connection),
                takesQuestions: brand?.secretQuestions ?? false,
                passkeys: try passkeys(of: account.id, on: connection),
                providers: try FederatedIdentities.list(of: account.id, on: connection).count,
                undeliverable: undeliverable,
                limits: try AccountLimit.reached(by: account.id, keyRing: keyRing, now: now, on: connection),
                wrongAnswers: try AccountLimit.wrongAnswers(of: account.id, keyRing: keyRing, now: now, on: connection),
                refusals: Array(refusals), networks: try held(refusals, now: now, on: connection),
                unattested: try unattested(events, status, on: connection),
                invitation: try OperatorInvitations.find(account.id, now: now, on: connection), now: now)
        }
    }

    /// The networks of refusals that have to wait, each once, with the newest refusal there.
    private func held(
        _ refusals: some Sequence<RefusedSignIn>, now: Timestamp, on connection: any SQLConnection
    ) throws -> [(refusedAt: Timestamp, until: Timestamp)] {
        var seen: Set<String> = []
        return try refusals.compactMap { refusal in
            guard let address = refusal.address, seen.insert(address).inserted,
                let until = try verification.networkHeldUntil(address, now: now, on: connection)
            else { return nil }
            return (refusal.at, until)
        }
    }
}

// MARK: - The answer

extension AccountReport {
    private func answer(with explanation: SignInExplanation) -> AdministrationAnswer {
        let status = explanation.status
        let account = status.account
        var json = JSONObject(strings: ["accountId": account.id.uuid])
        json.set("usernames", status.names)
        json.set("brand", account.brandID)
        json.set("verdict", explanation.verdict)
        json.set("canSignIn", explanation.access.rawValue)
        json.set("state", account.state.rawValue)
        json.set("lastLoginAt", account.lastLoginAt?.text)
        json.set("invitedUntil", explanation.invitation?.expiresAt.text)
        json["hindrances"] = .array(explanation.hindrances.map { .object($0.json) })
        json["failures"] = .object(explanation.failures)
        json["methods"] = .object(explanation.methods)
        json.set("secondFactors", explanation.secondFactors.map(\.rawValue))
        json.set("undeliverableFactors", explanation.undeliverableFactors.map(\.rawValue))
        json["twoFactorsOnNewDevices"] = .bool(explanation.reachesTwoFactors)
        json["devices"] = .array(status.devices.map { .object(deviceVault.json($0.device, $0.pin)) })
        json["refusals"] = .array(explanation.refusals.map { .object($0.json) })

        var facts: [(name: String, value: String)] = explanation.hindrances.map { ("hindrance", $0.text) }
        if let invitation = explanation.invitation {
            facts.append(
                (
                    "invited",
                    "to be \(invitation.grant.words): until \(invitation.expiresAt.text), the person sets a password and an "
                        + "authenticator app by the one-time link"
                ))
        }
        facts.append(("account", "\(account.id.uuid), \(account.state.rawValue)"))
        facts.append(("last sign-in", account.lastLoginAt?.text ?? "never"))
        facts.append(("methods", explanation.methodsInWords))
        facts += status.failureFacts
        facts += explanation.wrongAnswers.map { ("failures", SignInExplanation.words(for: $0)) }
        let page = issuer.url(path: Endpoints.accountPage.path)
        facts.append(("second factors", explanation.factorsInWords(page: page)))
        facts += status.devices.map { device, pin -> (name: String, value: String) in
            let state = DeviceList.stateText(of: device, at: explanation.now)
            let name = "\(device.id.uuid) (\(deviceVault.name(of: device)))"
            return ("device", "\(name): \(state), PIN \(DeviceList.word(for: pin)), used \(device.lastUsedAt.text)")
        }
        facts += explanation.refusals.map { ("refused", "\($0.at.text) \($0.sentence)") }
        var answer = AdministrationAnswer.facts(facts, json)
        answer.lines.insert(explanation.verdict, at: 0)
        return answer
    }
}

extension SignInExplanation {
    private var passwordState: String {
        status.account.password == nil ? "none" : status.account.passwordState.rawValue
    }

    private var pinState: String {
        guard status.takesPINs else { return AccountStatus.AccountPINState.off.rawValue }
        return status.pin.map { status.state(of: $0).rawValue } ?? "unset"
    }

    /// The ways to sign in, apart from devices.
    fileprivate var methods: JSONObject {
        var json = JSONObject(strings: ["password": passwordState, "accountPin": pinState])
        json.set("passkeys", Int64(passkeys))
        json.set("providers", Int64(providers))
        return json
    }

    /// For programs.
    fileprivate var failures: JSONObject {
        var json = status.failures
        for (limit, number) in wrongAnswers {
            var count = JSONObject()
            count.set("count", number)
            json[limit.rawValue] = .object(count)
        }
        return json
    }

    fileprivate var methodsInWords: String {
        let pin = pinState == AccountStatus.AccountPINState.off.rawValue ? "off for the brand" : pinState
        return "password \(passwordState); account PIN \(pin); passkeys \(passkeys); linked providers \(providers)"
    }

    /// The second factors that a sign-in can ask for.
    fileprivate var secondFactors: [FactorKind] {
        FactorKind.allCases.filter { withTwoFactors.secondFactors?.usable.contains($0) ?? false }
    }

    /// Those that it could ask for, if the server could send their codes.
    fileprivate var undeliverableFactors: [FactorKind] {
        FactorKind.allCases.filter { withTwoFactors.secondFactors?.unreachable.contains($0) ?? false }
    }

    /// Whether a sign-in on a new device reaches what needs two factors.
    fileprivate var reachesTwoFactors: Bool { withTwoFactors.end == .admit }

    /// - Parameter page: the address of the account page.
    fileprivate func factorsInWords(page: String) -> String {
        let found = secondFactors.map(\.inWords) + undeliverableFactors.map { "\($0.inWords) (cannot be sent)" }
        var words = found.isEmpty ? "none" : found.joined(separator: ", ")
        if ownFactors.secretQuestions > 0, !takesQuestions { words += "; secret questions are off for the brand" }
        guard withTwoFactors.end == .unmetACR else { return words }
        return words
            + ". On a new device, what needs two factors is refused: enrolling the device, setting its PIN, changing "
            + "factors. The person adds an authenticator app at \(page)."
    }
}

extension FactorKind {
    fileprivate var inWords: String {
        switch self {
        case .totp: "authenticator app"
        case .email: "code by e-mail"
        case .sms: "code by SMS"
        case .secretQuestion: "secret question"
        case .recoveryCode: "recovery codes"
        }
    }
}
