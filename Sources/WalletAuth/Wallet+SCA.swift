public import Foundation
import WalletAuthWire

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension Wallet {
    /// Sends `request` as ``perform(_:)`` does. If its backend requires the person's consent (a 403 with the code
    /// `sca_required`), obtains the consent and repeats the request once.
    ///
    /// `choosing` chooses among the available ways, and `onSCA` shows the operation and returns the answer; if a second
    /// factor is needed, both run again. The app supplies codes; this device signs the bytes that were shown for PIN
    /// and biometrics; the wallet's ``UserAgent`` opens a hosted page. Content of another event, operation or account
    /// is refused (`operation_mismatch`).
    ///
    /// The repetition has the same `Idempotency-Key` (created here if the app set none), and the member `scaDetails` in
    /// its JSON body (protocol section 4). Because a consent can be used once, the repetition is sent up to three times
    /// if its response is lost. The first request is repeated only if the app made it repeatable. A second
    /// `sca_required` is returned like any other response, and so is the first if the body is not a JSON object, or
    /// already has `scaDetails`. So is one without a way to agree: after a sign-in that another device approved by a
    /// scan, the person has to sign in on this device.
    ///
    /// An unfinished consent is stored until the backend has responded, and survives the app's end: see ``pendingSCA``.
    /// Cancelling the task throws `CancellationError` and keeps the consent.
    /// - Parameters:
    ///   - request: the request, with its body in memory. If URL, headers and body exceed 8 KiB together, it does not
    ///     survive the app's end.
    ///   - onSCA: shows the operation and returns the person's answer.
    ///   - choosing: chooses one of several ways; by default the first, which puts the device's own factors before
    ///     codes.
    /// - Returns: the response, whatever its status.
    /// - Throws: errors of the closures, as they are; ``WalletError``: what ``perform(_:)`` throws;
    ///   `cancelled_by_person` after ``SCA/Answer/refuse`` and ``SCA/Answer/disown``, or the error that kept the latter
    ///   from the server; `data_error` if five wrong values locked the event, or it ended in another way;
    ///   `operation_mismatch`; `sca_unavailable` if no way can be used here; `no_code_left`, `pin_locked` … if the last
    ///   remaining way is closed; `bad_request` for an answer that does not fit the prompt; `store_unavailable` before
    ///   the person is asked.
    public func perform(
        _ request: URLRequest, onSCA: @escaping SCA.Handler, choosing: SCA.Chooser? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        try await asking {
            let own = ConsentRequest(try HTTPRequest(request))
            let session = try await tokens.ticket(of: nil, during: .perform).generation
            let answer = try await calls.perform(own.original, in: session, isIdempotent: own.isIdempotent)
            guard let required = SCA.Required(status: answer.status, body: answer.body),
                let consent = begun(by: required, for: own, in: session)
            else { return answer }
            try await consents.keep(consent)
            return try await finish(consent, in: session, onSCA, choosing)
        }
    }

    /// The unfinished consents of the signed-in account, newest first: the app was killed, or a call was cancelled,
    /// failed for lack of a network, or ended with an error of a closure.
    ///
    /// The secure store keeps up to four. One without the person's agreement stays until its event ends (fifteen
    /// minutes at most). One with it stays for a day, because the backend's response tells whether money moved. The
    /// response, a refusal and a sign-out remove them.
    /// - Throws: ``WalletError`` `store_unavailable`.
    public var pendingSCA: [SCA.Pending] {
        get async throws {
            try await log.during(.pendingSCA) {
                if case .notLoaded = keeper.reading() { try await keeper.load() }
                return try await consents.all().map { SCA.Pending($0) }
            }
        }
    }

    /// Continues a consent: asks the person if they have not agreed yet, using the last code if it is still valid, and
    /// repeats the request.
    /// - Parameters:
    ///   - pending: one of ``pendingSCA``.
    ///   - onSCA: as in ``perform(_:onSCA:choosing:)``.
    ///   - choosing: as in ``perform(_:onSCA:choosing:)``.
    /// - Returns: the response, whatever its status.
    /// - Throws: what ``perform(_:onSCA:choosing:)`` throws; ``WalletError`` `event_not_found` if it is no longer
    ///   stored.
    public func resume(
        _ pending: SCA.Pending, onSCA: @escaping SCA.Handler, choosing: SCA.Chooser? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        try await asking {
            let session = try await tokens.ticket(of: nil, during: .perform).generation
            guard let consent = try await consents.all().first(where: { $0.eventID == pending.id }) else {
                throw consentGone
            }
            return try await finish(consent, in: session, onSCA, choosing)
        }
    }

    /// Discards an unfinished consent. The server is not told; its event expires by itself. ``withdraw(_:)`` ends it there.
    /// - Parameter pending: one of ``pendingSCA``. Harmless if it is no longer stored.
    /// - Throws: ``WalletError`` `store_unavailable`.
    public func discard(_ pending: SCA.Pending) async throws {
        try await log.during(.pendingSCA) {
            if case .notLoaded = keeper.reading() { try await keeper.load() }
            try await consents.remove(pending.id)
        }
    }

    /// Ends an unfinished consent that the person no longer wants at the server, so that no device can approve it any more. No one is
    /// notified: what the person did not start is ended by ``disown(_:)``.
    /// - Parameter pending: one of ``pendingSCA``.
    /// - Throws: ``WalletError``, as ``disown(_:)``.
    public func withdraw(_ pending: SCA.Pending) async throws { try await end(pending.id, isWithdrawal: true) }

    /// Ends an unfinished consent that the person did not start, as ``SCA/Answer/disown`` does, so that no device can approve it any
    /// more. They are notified, because someone else may be signed in as them.
    /// - Parameter pending: one of ``pendingSCA``.
    /// - Throws: ``WalletError``; `event_not_found` if it is no longer stored, `data_error` if it ended in another way. After any
    ///   other error it is still stored, and can be approved until the operation's ``SCA/Operation/expiresAt``.
    public func disown(_ pending: SCA.Pending) async throws { try await disown(pending.id) }

    /// Ends an unfinished consent that the person did not start, as ``SCA/Answer/disown`` does, without asking again.
    /// - Parameter event: the event of one of ``pendingSCA``.
    /// - Throws: ``WalletError``; `event_not_found` if it is no longer stored.
    package func disown(_ event: String) async throws { try await end(event, isWithdrawal: false) }

    private func end(_ event: String, isWithdrawal: Bool) async throws {
        try await log.during(.perform) {
            let session = try await tokens.ticket(of: nil, during: .perform).generation
            guard let details = try await consents.all().first(where: { $0.eventID == event })?.details else {
                throw consentGone
            }
            do {
                try await consentCalls.refuse(
                    details.operationID, of: details.eventID, isWithdrawal: isWithdrawal, in: session, during: .perform)
            } catch let error as WalletError where ConsentRun.ends.contains(error.code) {
                try? await consents.remove(event)
                throw error
            }
            try? await consents.remove(event)
        }
    }

    private var consentGone: WalletError {
        WalletError(
            .eventNotFound, .refused, during: .perform, reason: "this consent has ended, or belongs to another session")
    }

    /// Sends a request whose consent the app obtains step by step, for the modules with the names of other SDKs.
    ///
    /// Request and repetition have the same `Idempotency-Key`, and the repetition `scaDetails` in its body, as in
    /// ``perform(_:onSCA:choosing:)``.
    /// - Parameters:
    ///   - request: the request, with its body in memory.
    ///   - key: the `Idempotency-Key`, if the app set none.
    ///   - details: the consent; nil in the first request.
    /// - Returns: the response, whatever its status.
    /// - Throws: ``WalletError``: what ``perform(_:)`` throws; `bad_request` if the body cannot carry the consent.
    package func perform(
        _ request: URLRequest, key: String, agreedIn details: SCA.Details?
    ) async throws -> (Data, HTTPURLResponse) {
        try await log.during(.perform) {
            let own = ConsentRequest(try HTTPRequest(request), key: key)
            guard let details else {
                return try await calls.perform(own.original, isIdempotent: own.isIdempotent).forApp()
            }
            guard let consent = try? details.wire, let agreed = own.agreed(consent) else {
                throw WalletError(
                    .badRequest, .refused, during: .perform,
                    reason: "the consent cannot be added: a request with one has a JSON object as its body, and"
                        + " ids as the first response named them")
            }
            return try await calls.perform(agreed, isIdempotent: true).forApp()
        }
    }

    /// Returns nil if the request cannot carry the consent: the app then gets the 403.
    private func begun(
        by required: SCA.Required, for request: ConsentRequest, in session: SessionGeneration
    ) -> PendingConsent? {
        guard let holding = keeper.snapshot.holding, holding.generation == session,
            let owner = PendingConsent.Owner(holding)
        else { return nil }
        let consent = PendingConsent(
            owner: owner, eventID: required.eventID, operationID: required.walletOperationID, request: request,
            offered: required.availableVerifications,
            expiresAt: keeper.clock.now + PendingConsent.eventLifetime)
        return consent.details.flatMap { request.agreed($0) } == nil ? nil : consent
    }

    /// Obtains the person's agreement if it is missing, and repeats the request.
    private func finish(
        _ begun: PendingConsent, in session: SessionGeneration, _ ask: @escaping SCA.Handler, _ choose: SCA.Chooser?
    ) async throws -> ServerAnswer {
        var consent = begun
        guard let details = consent.details, let request = consent.request.agreed(details) else {
            throw MalformedValue(field: "scaDetails", reason: "cannot be added to the request")
        }
        if consent.stage == .asked {
            var run = ConsentRun(
                calls: consentCalls, consents: consents, authentication: deviceAuthentication,
                pages: consentPages, generation: session, consent: consent, time: time, ask: ask, choose: choose)
            try await run.run()
            consent.agree(at: keeper.clock.now)
            // The server knows that the person agreed. If this cannot be recorded here, the server says so again.
            try? await consents.keep(consent)
        }
        let answer = try await calls.perform(request, in: session, isIdempotent: true)
        // A response that asks to come back does not settle the request.
        if answer.status < 500, ![401, 408, 425, 429].contains(answer.status) {
            try? await consents.remove(consent.eventID)
        }
        return answer
    }

    /// Runs a call of the app. Errors of the app's closures pass through, and are not recorded in the diagnostics.
    private func asking(_ work: () async throws -> ServerAnswer) async throws -> (Data, HTTPURLResponse) {
        let result = try await log.during(.perform) { () -> Result<(Data, HTTPURLResponse), any Error> in
            do { return .success(try await work().forApp()) } catch let thrown as ConsentRun.Thrown {
                return .failure(thrown.error)
            }
        }
        return try result.get()
    }
}
