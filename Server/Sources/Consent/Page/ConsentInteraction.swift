internal import Core
internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire

/// One interaction with the consent page, opened with a genuine ticket. The visitor's identity is unknown.
struct ConsentInteraction: Sendable {
    let events: ConsentEvents
    let factors: PageFactors
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
        case leave(ConsentPage.Departure)
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

    /// The page that answers a form, as the event is by now.
    /// - Parameter answer: what the form came to then; `nil` without one.
    func open(after answer: ConsentPageState.Answer?) async throws -> Shown {
        let shown = try await open()
        guard let answer else { return shown }
        switch shown {
        case .asking(let factor, _):
            guard let notice = answer.notice?.after((call.now - answer.at).wholeSeconds) else { return shown }
            // Another tab may have spent tries since.
            if case .wrong = notice { return .asking(factor, .wrong(remaining: record.event.remainingAttempts)) }
            return .asking(factor, notice)
        // The event does not say who ended it, nor that the page did.
        case .over(.over): return answer.end == .refused ? .over(.refused) : shown
        case .over, .leave: return shown
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
        guard let password else { return .asking(.password, .wrong(remaining: record.event.remainingAttempts)) }
        // The slot comes first: a password that there is no capacity to compare costs no attempt.
        guard let slot = factors.passwords.slot(for: .known(to: call.account.id, from: call.origin)) else {
            return .asking(.password, .busy(retryAfter: PasswordHasher.retryAfter))
        }
        let account = call.account
        return try await prove(.password, as: .password) {
            let phc = events.factors.accounts.open(account.password, .password, of: account.id)
            guard try await factors.passwords.verify(password, against: phc, in: slot) else { return .wrong }
            return .right(ConsentProof(methods: [AuthenticationStrength.password], condition: .password))
        }
    }

    /// Charges an attempt, compares, and writes the result. Every factor of the page uses it.
    /// - Parameters:
    ///   - verification: the ticket's method.
    ///   - factor: the factor to ask for again after a wrong value.
    ///   - compare: decides on the value. Called once, after the attempt is charged.
    func prove(
        _ verification: SCAVerification, as factor: ConsentPage.Factor,
        by compare: () async throws -> AttemptVerification.Decision
    ) async throws -> Shown {
        let request = SCAAttemptRequest(
            operationID: content.payload.operationID, verification: verification, value: nil)
        switch try await events.reserve(request, record, challenge: ticket.digest, call: call) {
        case .over(let outcome): return shown(outcome, factor)
        case .compare(let attempt):
            return shown(try await events.settle(attempt, by: compare()), factor)
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
            case .valid: .leave(.agreed)
            // The app asks for the additional factor.
            case .additionalFactorRequired: .leave(.unfinished)
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

    /// "I did not ask for this", with any challenge. The link alone is enough, because the operation can be requested again.
    func refuse() async throws -> Shown {
        switch try await events.refuse(record, by: call) {
        case .success: .over(.refused)
        case .failure(.over(let end)): .over(Self.shown(end))
        case .failure: .over(.over)
        }
    }
}

/// Consent to an operation with a passkey. The challenge is made for this event, these bytes and this browser (RTS article 5,
/// dynamic linking), and counts once.
extension ConsentInteraction {
    /// The purpose that the passkey signs. Evidence contains the browser as a digest for this event alone, so that two documents do not
    /// reveal whether it was the same browser.
    private func consent(binding: String) -> PasskeyConsent {
        PasskeyConsent(
            eventID: content.payload.eventID, payloadHash: .operation(content.bytes),
            browser: Digests.of("passkey-consent-browser", PageSeal.digest(of: binding) + record.id.bytes))
    }

    /// The request to the browser; `nil` if there are no passkeys.
    /// - Parameter binding: the cookie that the page is bound to.
    func passkeyOptions(binding: String) throws -> PasskeyRequestOptions? {
        guard let party = factors.party else { return nil }
        let challenge = try factors.challenges.issue(
            .consent(consent(binding: binding)), now: call.now)
        return PasskeyRequestOptions(
            relyingPartyID: party.id, challenge: challenge, timeout: PasskeyOverview.patience.wholeMilliseconds)
    }

    /// Verifies a passkey of the operation's account, past its cooling period.
    func agree(by response: PasskeyAssertionResponse?, binding: String?) async throws -> Shown {
        guard ticket.verification == .passkey else { return .over(.superseded) }
        return try await prove(.passkey, as: .passkey) {
            guard let response, let binding, let party = factors.party else { return .wrong }
            guard try await factors.passkeys.isOwn(response, of: call.account.id) else { return .foreign }
            guard
                let proof = try await factors.passkeys.verify(
                    response, for: .consent(consent(binding: binding)), origin: call.origin, now: call.now),
                proof.account.id == call.account.id, proof.methods == AuthenticationStrength.passkey
            else { return .wrong }
            // The server has only one origin, and the client data were verified against it.
            let signature = PasskeySignature(
                response, by: proof, origin: party.origins.first ?? "", consent: consent(binding: binding))
            return .right(
                ConsentProof(
                    methods: proof.methods,
                    evidence: try events.vault.seal(signature, by: proof.passkey, for: record.id),
                    condition: .passkey(proof)))
        }
    }
}

/// Consent by account PIN. A guess costs the same as at sign-in, and one of the event's tries.
extension ConsentInteraction {
    /// - Parameter pin: `nil` for text that cannot be a PIN. It counts as wrong and is compared with nothing.
    func agree(byPIN pin: AccountPIN?) async throws -> Shown {
        guard ticket.verification == .hostedPIN else { return .over(.superseded) }
        // The slot comes first: a guess that cannot be compared costs no try.
        guard let slot = factors.passwords.slot(for: .known(to: call.account.id, from: call.origin)) else {
            return .asking(.pin, .busy(retryAfter: PasswordHasher.retryAfter))
        }
        let account = call.account
        let guesses = factors.accountPINs
        let subject = try guesses.subject([account.id.uuid])
        return try await prove(.hostedPIN, as: .pin) {
            guard let pin else { return .wrong }
            let charge = try await events.ledger.database.write { connection in
                let isOn = try Brands.takesAccountPINs(account.brandID, on: connection)
                return try guesses.charge(
                    isOn ? account.id : nil, under: subject, origin: call.origin, now: call.now, on: connection)
            }
            guard let proof = try await guesses.compare(pin, charged: charge, to: account, in: slot) else {
                return .wrong
            }
            return .right(ConsentProof(methods: [AuthenticationStrength.pin], condition: .accountPIN(proof)))
        }
    }
}
