internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// One interaction with the consent page, opened with a genuine ticket. The visitor's identity is unknown.
struct ConsentInteraction: Sendable {
    let context: ServerContext
    let ticket: ConsentTicket
    /// The event's row when the interaction began.
    let record: WalletOperationRecord
    let content: OperationContent
    /// The app's session to which the operation belongs, reached from the browser.
    let call: ConsentingApp
    /// The page without its step.
    let page: ConsentPage

    /// The response to the visitor.
    enum Shown: Sendable {
        case asking(ConsentPage.Factor, ConsentPage.Notice?)
        case over(ConsentPage.End)
        case leave
    }

    private var events: ConsentEvents { ConsentEvents(context: context) }

    /// Loads the event of a ticket; `nil` if its event, account, app or return URL no longer exists.
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
            // As for the app's own calls: links that it has got end with its right to ask.
            app.isFirstParty, app.allows(returnURL: returnURL)
        else { return nil }
        let content = try OperationVault(context.sealing).open(found.record)
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
            now: now, operation: found.record)
        return ConsentInteraction(
            context: context, ticket: ticket, record: found.record, content: content, call: call, page: page)
    }

    private struct Found: Sendable {
        var record: WalletOperationRecord
        var account: AccountRecord
        var session: SessionRecord
        var username: String
    }

    /// The page for any visitor.
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

    /// The factor for the ticket's method; `nil` for a method without a page.
    private var factor: ConsentPage.Factor? {
        switch ticket.verification {
        case .password?: .password
        case .passkey?: .passkey
        case .hostedPIN?: .pin
        default: nil
        }
    }

    /// Consents with the password.
    /// - Parameter password: `nil` for text that cannot be one. It is answered like a wrong one, and costs no try.
    func agree(by password: Password?) async throws -> Shown {
        guard ticket.verification == .password else { return .over(.superseded) }
        guard let password else {
            let shown = try await open()
            guard case .asking(let factor, nil) = shown else { return shown }
            return .asking(factor, .wrong(remaining: record.event.remainingAttempts))
        }
        // The slot comes first: a password that there is no capacity to compare costs no attempt.
        guard let slot = context.passwords.slot(for: .known(to: call.account.id, from: call.origin)) else {
            return .asking(.password, .busy(retryAfter: PasswordHasher.retryAfter))
        }
        let account = call.account
        return try await prove(.password, as: .password) {
            let phc = PasswordVerification(context: context).phc(of: account)
            guard try await context.passwords.verify(password, against: phc, in: slot) else { return nil }
            return ConsentProof(methods: [AuthenticationStrength.password], condition: .password)
        }
    }

    /// Charges an attempt, compares, and writes the result. Every factor of the page uses it.
    /// - Parameters:
    ///   - verification: the ticket's method.
    ///   - factor: the factor to ask for again after a wrong value.
    ///   - compare: returns the proof; `nil` for a wrong value. Called once, after the attempt is charged.
    func prove(
        _ verification: SCAVerification, as factor: ConsentPage.Factor,
        by compare: () async throws -> ConsentProof?
    ) async throws -> Shown {
        let request = SCAAttemptRequest(
            operationID: content.operation.operationID, verification: verification, value: nil)
        switch try await events.reserve(request, record, challenge: ticket.digest, call: call) {
        case .over(let outcome): return shown(outcome, factor)
        case .compare(let attempt): return shown(try await events.settle(attempt, with: compare()), factor)
        }
    }

    private func shown(
        _ outcome: ConsentEvents.AttemptOutcome, _ factor: ConsentPage.Factor
    ) -> Shown {
        switch outcome {
        case .failure(.over(let end)): .over(Self.shown(end))
        case .failure(.tooManyAttempts(let seconds)): .asking(factor, .tooManyAttempts(retryAfter: seconds))
        case .failure: .over(.over)
        case .success(let response):
            switch response.reason {
            // The app asks for the additional factor.
            case .valid, .additionalFactorRequired: .leave
            case .invalidValue: .asking(factor, .wrong(remaining: Int(response.remainingAttempts)))
            // The page takes no codes, so none was used before.
            case .notChallenged, .codeExpired, .codeUsed: .over(.superseded)
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

    /// How often a holder is notified of refusals.
    private static let telling = AttemptPolicy(
        free: 5, afterwards: .delay(first: .minutes(10), longest: .hours(24)), forgottenAfter: .hours(24))

    /// "I did not ask for this": ends the event with any challenge, even after consent if nothing was carried out yet. The link
    /// alone is enough, because the operation can be requested again.
    ///
    /// The holder is notified, since another person may have the link: five times, then with growing delays, so that no one can flood
    /// a mailbox.
    func refuse() async throws -> Shown {
        let email = AccountVault(context.sealing).open(call.account.email, .email, of: call.account.id)
        let subject = Digests.of("sca-refused-notice", call.account.id.bytes)
        return try await context.database.retryingWrite("an operation") { connection in
            guard var now = try WalletOperations.refresh(record, on: connection),
                try events.lives(call, on: connection)
            else { return .over(.over) }
            let writeTime = context.writeTime(since: call.now)
            guard let next = now.event.cancelling(now: writeTime) else {
                guard case .over(let end) = now.event.status(at: writeTime) else { return .over(.over) }
                return .over(end == .cancelled ? .refused : Self.shown(end))
            }
            now.event = next
            guard try WalletOperations.save(now, on: connection) else { throw WriteConflict() }
            var message: ConsentMessage? = .refused(content.operation.operation)
            if case .refuse = try Attempts.count(subject, under: Self.telling, now: call.now, on: connection) {
                message = nil
            }
            try events.operations.step(
                .refused, now, origin: call.origin, now: call.now, message: message, email: email
            ).write(on: connection)
            return .over(.refused)
        }
    }
}
