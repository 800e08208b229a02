import Foundation
import WalletAuthTransport
import WalletAuthWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension WalletCore {
    func perform(
        _ request: URLRequest, onSCA ask: @escaping SCA.Handler, choosing choose: SCA.Chooser?
    ) async throws -> (Data, HTTPURLResponse) {
        try await asking(.perform) { [self] in
            // Without a URL, or with a body stream, it is refused like any such request.
            guard let own = ConsentRequest(request) else {
                return try requireStrength(await calls.perform(request))
            }
            let session = try await tokens.ticket(of: nil, during: .perform).generation
            let answer = try requireStrength(
                await calls.perform(
                    own.original, in: session, repeating: own.isIdempotent ? .idempotent : .once))
            guard let required = SCA.Required(data: answer.0, response: answer.1),
                let consent = begun(by: required, for: own, in: session)
            else { return answer }
            try await consents.keep(consent)
            return try await finish(consent, in: session, ask, choose)
        }
    }

    func perform(
        _ request: URLRequest, key: String, agreedIn details: SCA.Details?
    ) async throws -> (Data, HTTPURLResponse) {
        try await during(.perform) {
            // Without a URL, or with a body stream, it is refused like any such request.
            guard let own = ConsentRequest(request, key: key) else {
                return try requireStrength(await calls.perform(request))
            }
            guard let details else {
                return try requireStrength(
                    await calls.perform(own.original, repeating: own.isIdempotent ? .idempotent : .once))
            }
            guard let consent = try? details.wire, let agreed = own.agreed(consent) else {
                throw WalletError(
                    .badRequest, .refused, during: .perform,
                    reason: "the consent cannot be added: a request with one has a JSON object as its body, and"
                        + " ids as the first response named them")
            }
            return try requireStrength(await calls.perform(agreed, repeating: .idempotent))
        }
    }

    func resume(
        _ pending: SCA.Pending, onSCA ask: @escaping SCA.Handler, choosing choose: SCA.Chooser?
    ) async throws -> (Data, HTTPURLResponse) {
        try await asking(.perform) { [self] in
            let session = try await tokens.ticket(of: nil, during: .perform).generation
            guard let consent = try await consents.all().first(where: { $0.eventID == pending.id }) else {
                throw WalletError(
                    .eventNotFound, .refused, during: .perform,
                    reason: "this consent has ended, or belongs to another session")
            }
            return try await finish(consent, in: session, ask, choose)
        }
    }

    func pendingConsents() async throws -> [SCA.Pending] {
        try await during(.pendingSCA) {
            if case .notLoaded = keeper.reading() { try await keeper.load() }
            return try await consents.all().map { SCA.Pending($0) }
        }
    }

    func discard(_ pending: SCA.Pending) async throws {
        try await during(.pendingSCA) {
            if case .notLoaded = keeper.reading() { try await keeper.load() }
            try await consents.remove(pending.id)
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
            offered: required.availableVerifications, expiresAt: keeper.clock.now + PendingConsent.eventLifetime)
        return consent.details.flatMap { request.agreed($0) } == nil ? nil : consent
    }

    /// Obtains the person's agreement if it is missing, and repeats the request.
    private func finish(
        _ begun: PendingConsent, in session: SessionGeneration, _ ask: @escaping SCA.Handler, _ choose: SCA.Chooser?
    ) async throws -> (Data, HTTPURLResponse) {
        var consent = begun
        guard let details = consent.details, let request = consent.request.agreed(details) else {
            throw MalformedValue(field: "scaDetails", reason: "cannot be added to the request")
        }
        if consent.stage == .asked {
            var run = ConsentRun(
                calls: consentCalls, consents: consents, authentication: deviceAuthentication, pages: consentPages,
                generation: session, consent: consent, ask: ask, choose: choose)
            try await run.run()
            consent.agree(at: keeper.clock.now)
            // The server knows that the person agreed. If this cannot be recorded here, the server says so again.
            try? await consents.keep(consent)
        }
        let answer = try await calls.perform(request, in: session, repeating: .idempotent)
        if Self.isFinal(answer.1.statusCode) { try? await consents.remove(consent.eventID) }
        return try requireStrength(answer)
    }

    /// Whether a response settles the request. One that asks to come back does not.
    private static func isFinal(_ status: Int) -> Bool { status < 500 && ![401, 408, 425, 429].contains(status) }

    /// Like ``during(_:_:)``, but errors of the app's closures pass through.
    private func asking(
        _ operation: WalletError.Operation, _ work: () async throws -> (Data, HTTPURLResponse)
    ) async throws -> (Data, HTTPURLResponse) {
        let result = try await during(operation) { () -> Result<(Data, HTTPURLResponse), any Error> in
            do { return .success(try await work()) } catch let thrown as ConsentRun.Thrown {
                return .failure(thrown.error)
            }
        }
        return try result.get()
    }
}
