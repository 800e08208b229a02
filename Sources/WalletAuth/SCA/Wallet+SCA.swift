public import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

extension Wallet {
    /// Sends `request` as ``perform(_:)`` does, and where its backend asks for the person's consent (a 403 with the code
    /// `sca_required`), has the person agree and repeats the request once.
    ///
    /// The consent: `choosing` picks among the ways there are, `onSCA` shows the operation and brings the answer, a second
    /// factor is asked for where one is needed. Codes are asked from the app, PIN and biometrics are signed by this device over
    /// the very bytes that were shown, a hosted page is opened by the wallet's ``UserAgent``. Bytes of another event,
    /// operation or account are refused (`operation_mismatch`).
    ///
    /// The repetition has the same `Idempotency-Key` (made here where the app named none), and the member `scaDetails` in its
    /// JSON body (protocol section 4). It is sent at most three times where its answer is lost, since a consent is
    /// used once; the first sending is repeated only where the app itself made the request repeatable. A second
    /// `sca_required` is returned like any other answer, and so is the first where the body is no JSON object, or
    /// bears `scaDetails` already.
    ///
    /// What was begun is kept until the backend has answered, and survives the app's end: ``pendingSCA``. Cancelling the task
    /// ends the call with `CancellationError`, and leaves the consent there.
    /// - Parameters:
    ///   - request: with its body in memory. One whose URL, headers and body are over 8 KiB together is not kept over the app's
    ///     end.
    ///   - onSCA: shows the operation and brings the person's answer.
    ///   - choosing: picks one of several ways; without it the first is taken, the device's own factors before codes.
    /// - Returns: the answer, whatever its status.
    /// - Throws: what the closures throw, as it is; ``WalletError``: what ``perform(_:)`` throws; `cancelled_by_person` after
    ///   ``SCA/Answer/refuse``; `data_error` where the event was locked by five wrong values, or is over in another way;
    ///   `operation_mismatch`; `sca_unavailable` where no way can be used here; `no_code_left`, `pin_locked` … where the
    ///   last way that was left is closed; `bad_request` for an answer that does not fit the prompt; `store_unavailable`
    ///   before anybody is asked.
    public func perform(
        _ request: URLRequest, onSCA: @escaping SCA.Handler, choosing: SCA.Chooser? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        try await core.perform(request, onSCA: onSCA, choosing: choosing)
    }

    /// The consents of whoever is signed in that were begun and whose end the app was not told, the newest first: the app was
    /// killed, or a call was cancelled, failed for want of a network, or ended by what a closure threw.
    ///
    /// At most four are kept, in the secure store: one that nobody agreed to until its event ends (fifteen minutes at most), one
    /// that the person agreed to for a day, since the answer of its backend tells whether money moved. They go with the
    /// answer, with a refusal, and with signing out.
    /// - Throws: ``WalletError`` `store_unavailable`.
    public var pendingSCA: [SCA.Pending] {
        get async throws { try await core.pendingConsents() }
    }

    /// Goes on with a consent: asks the person where they have not agreed yet, by the code that was sent where it still
    /// counts, and repeats the request.
    /// - Parameters:
    ///   - pending: one of ``pendingSCA``.
    ///   - onSCA: as in ``perform(_:onSCA:choosing:)``.
    ///   - choosing: as in ``perform(_:onSCA:choosing:)``.
    /// - Returns: the answer, whatever its status.
    /// - Throws: what ``perform(_:onSCA:choosing:)`` throws; ``WalletError`` `event_not_found` where it is kept no more.
    public func resume(
        _ pending: SCA.Pending, onSCA: @escaping SCA.Handler, choosing: SCA.Chooser? = nil
    ) async throws -> (Data, HTTPURLResponse) {
        try await core.resume(pending, onSCA: onSCA, choosing: choosing)
    }

    /// Gives a consent up that was begun. The server is not told; an event that nobody goes on with ends by itself.
    /// - Parameter pending: one of ``pendingSCA``. Harmless where it is kept no more.
    /// - Throws: ``WalletError`` `store_unavailable`.
    public func discard(_ pending: SCA.Pending) async throws {
        try await core.discard(pending)
    }
}

extension SCA {
    /// A consent that was begun, and whose end the app was not told: see ``Wallet/pendingSCA``.
    public struct Pending: Hashable, Sendable, Identifiable {
        /// The event.
        public var id: String { consent.eventID }
        /// The operation's name at its backend.
        public var walletOperationID: String { consent.operationID }
        /// The app's request, with its `Idempotency-Key`.
        public var request: URLRequest { consent.request.original }
        /// What is agreed to; nil where the app was killed before that came, and once the person agreed.
        public let operation: Operation?
        /// Whether the person agreed: then the request may have been carried out, and going on with it asks nobody.
        public var isAgreed: Bool { consent.stage == .agreed }
        /// Until when it is kept.
        public var expiresAt: Date { consent.expiresAt.date }
        let consent: PendingConsent

        init(_ consent: PendingConsent) {
            self.consent = consent
            operation = consent.keptChallenge?.operation
        }
    }
}
