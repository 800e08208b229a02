internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// One interaction with the page on which a person agrees, by a genuine ticket; who visits is not known.
struct ConsentInteraction: Sendable {
    let context: ServerContext
    let ticket: ConsentTicket
    /// The event's row, as it was when the interaction began.
    let record: WalletOperationRecord
    let content: OperationVault.Content
    /// The app's session whose operation it is, reached from the browser.
    let call: ConsentingApp
    /// The page, but for what stands on it.
    let page: ConsentPage

    /// What the visitor gets.
    enum Shown: Sendable {
        case asking(ConsentPage.Factor, ConsentPage.Notice?)
        case over(ConsentPage.End)
        case leave
    }

    private var events: ConsentEvents { ConsentEvents(context: context) }

    /// Finds what a ticket is for; `nil` where its event, account, app or return URL is there no more.
    static func load(
        _ ticket: ConsentTicket, in context: ServerContext, origin: RequestOrigin, now: Timestamp
    ) async throws -> ConsentInteraction? {
        guard let id = UniqueID(uuid: ticket.event), let returnURL = try? RedirectURI(ticket.returnURL) else {
            return nil
        }
        let found = try await context.database.read { connection -> Found? in
            guard let record = try WalletOperations.find(event: id, on: connection),
                record.accountID.uuid == ticket.account, record.decision == .required,
                let account = try Accounts.find(record.accountID, on: connection), account.state == .active,
                let session = try Sessions.living(record.sessionID, now: now, on: connection),
                session.facts.accountID == account.id
            else { return nil }
            let name = try Accounts.names(of: account.id, on: connection).first
            return Found(record: record, account: account, session: session, username: name ?? "")
        }
        guard let found,
            let app = try await context.clients.find(
                ClientID(found.session.facts.grantedTo ?? found.session.facts.clientID), now: now),
            app.allows(returnURL: returnURL)
        else { return nil }
        let content = try OperationVault(context: context).open(found.record)
        let requester = try await context.clients.find(content.operation.clientID, now: now)?.name
        var parameters = FormParameters()
        parameters.append("event_id", content.operation.eventID.rawValue)
        parameters.append("wallet_operation_id", content.operation.operationID.rawValue)
        let page = ConsentPage(
            step: .over(.over), operation: content.operation.operation,
            requester: requester ?? content.operation.clientID.rawValue, app: app.name, username: found.username,
            returnLocation: returnURL.appending(parameters),
            appearance: try await .of(BrandID(found.account.brandID), in: context))
        let call = ConsentingApp(
            account: found.account, session: found.session, device: nil, client: app, thumbprint: nil, origin: origin,
            now: now)
        return ConsentInteraction(
            context: context, ticket: ticket, record: found.record, content: content, call: call, page: page)
    }

    private struct Found: Sendable {
        var record: WalletOperationRecord
        var account: AccountRecord
        var session: SessionRecord
        var username: String
    }

    /// What the page shows to whoever opens it.
    func open() async throws -> Shown {
        switch record.event.status(at: call.now) {
        case .verified: return .over(.agreed)
        case .over(let end): return .over(Self.shown(end))
        case .pending(let challenge):
            guard let challenge, challenge.verification == ticket.verification, record.challenge.id == ticket.digest
            else { return .over(.superseded) }
            return factor.map { .asking($0, nil) } ?? .over(.superseded)
        }
    }

    /// The factor that the ticket's way asks for; `nil` for a way that no page takes.
    private var factor: ConsentPage.Factor? {
        switch ticket.verification {
        case .password?: .password
        case .passkey?: .passkey
        case .hostedPIN?: .pin
        default: nil
        }
    }

    /// Takes the password.
    func agree(by password: Password) async throws -> Shown {
        guard ticket.verification == .password else { return .over(.superseded) }
        // A place first: what nobody has room to compare costs no try.
        guard let place = context.passwords.place(for: .known(to: call.account.id, from: call.origin)) else {
            return .asking(.password, .busy(retryAfter: PasswordHasher.retryAfter))
        }
        let account = call.account
        return try await prove(.password, as: .password) {
            let phc = PasswordVerification(context: context).phc(of: account)
            guard try await context.passwords.verify(password, against: phc, in: place) else { return nil }
            return AttemptVerification.Proved(methods: [AuthenticationStrength.password]) { connection in
                // The password may have been changed or expired while it was compared, and the account closed.
                let present = try Accounts.find(account.id, on: connection)
                return present?.state == .active && present?.securityVersion == account.securityVersion
                    && present?.passwordState == .current
            }
        }
    }

    /// Spends a try, compares, and writes what came of it. Every factor of the page goes through here.
    /// - Parameters:
    ///   - verification: the ticket's way.
    ///   - factor: what is asked once more after a wrong value.
    ///   - compare: what a right value is; `nil` for a wrong one. Called once, after the try is spent.
    func prove(
        _ verification: SCAVerification, as factor: ConsentPage.Factor,
        by compare: () async throws -> AttemptVerification.Proved?
    ) async throws -> Shown {
        let request = SCAAttemptRequest(
            operationID: content.operation.operationID, verification: verification, value: nil)
        let subject = try events.subject(of: verification, for: call.account)
        let outcome: Result<SCAAttemptResponse, ConsentRefusal>
        switch try await events.reserve(
            request, record, subject: subject, challenge: ticket.digest, call: call)
        {
        case .refused(let refusal): outcome = .failure(refusal)
        case .answered(let response): outcome = .success(response)
        case .compare(let record):
            let verification = AttemptVerification(
                events: events, record: record, request: request, subject: subject, call: call)
            outcome = try await verification.conclude(compare()).result
        }
        return shown(outcome, factor)
    }

    private func shown(
        _ outcome: Result<SCAAttemptResponse, ConsentRefusal>, _ factor: ConsentPage.Factor
    ) -> Shown {
        switch outcome {
        case .failure(.over(let end)): .over(Self.shown(end))
        case .failure(.tooManyAttempts(let seconds)): .asking(factor, .tooManyAttempts(retryAfter: seconds))
        case .failure: .over(.over)
        case .success(let response):
            switch response.reason {
            // What is still needed the app asks for.
            case .valid, .additionalFactorRequired: .leave
            case .invalidValue: .asking(factor, .wrong(remaining: Int(response.remainingAttempts)))
            case .notChallenged, .codeExpired: .over(.superseded)
            }
        }
    }

    private static func shown(_ end: SCAEvent.End) -> ConsentPage.End {
        switch end {
        case .used: .agreed
        case .locked: .locked
        case .expired, .cancelled: .over
        }
    }

    /// How often a holder is told of refusals.
    private static let telling = AttemptPolicy(
        free: 5, afterwards: .delay(first: .minutes(10), longest: .hours(24)), forgottenAfter: .hours(24))

    /// "I did not ask for this": ends the event, whatever is challenged, also where somebody agreed and nothing was carried out
    /// yet. It takes the link alone: what it prevents can be asked for again.
    ///
    /// The holder is told, since it may be somebody else's link: five times, then once after each growing wait, so that nobody
    /// fills a mailbox by it.
    func refuse() async throws -> Shown {
        let email = AccountVault(context: context).open(call.account.email, .email, of: call.account.id)
        let subject = Digests.of("sca-refused-notice", call.account.id.bytes)
        return try await events.operations.repeating { connection in
            guard var now = try WalletOperations.refresh(record, on: connection),
                try events.lives(call, on: connection)
            else { return .over(.over) }
            guard let next = now.event.cancelling(now: call.now) else {
                guard case .over(let end) = now.event.status(at: call.now) else { return .over(.over) }
                return .over(end == .cancelled ? .refused : Self.shown(end))
            }
            now.event = next
            guard try WalletOperations.save(now, on: connection) else { throw RequestedOperations.UpdateConflict() }
            var message: AuditLog.Message? = .consentRefused(content.operation.operation)
            if case .refuse = try Attempts.count(subject, under: Self.telling, now: call.now, on: connection) {
                message = nil
            }
            try events.operations.entry(
                .operationRefused, now, origin: call.origin, now: call.now, message: message, email: email
            ).write(on: connection)
            return .over(.refused)
        }
    }
}
