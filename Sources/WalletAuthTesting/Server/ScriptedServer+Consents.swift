public import Foundation
public import WalletAuth
import WalletAuthTransport
public import WalletAuthWire

extension ScriptedServer {
    /// The consent that a resource requires.
    public struct RequiredConsent: Sendable {
        /// The operation to show to the person.
        public var operation: WalletOperation
        /// The verification methods that the server offers.
        public var ways: [SCA.Verification]
        /// The number of methods that the person must complete.
        public var proofs: Int
        /// The code of every method that has one.
        public var code: String

        /// Creates a requirement.
        ///
        /// - Parameters:
        ///   - operation: the operation to show to the person.
        ///   - ways: the verification methods that the server offers. The device's PIN cannot be one of them: this
        ///     server has no VOPRF.
        ///   - proofs: the number of methods that the person must complete.
        ///   - code: the code of every method that has one.
        public init(_ operation: WalletOperation, by ways: [SCA.Verification], proofs: Int = 1, code: String = "123456")
        {
            self.operation = operation
            self.ways = ways
            self.proofs = proofs
            self.code = code
        }
    }

    /// The state of a consent at the server.
    public struct Consent: Sendable, Hashable {
        /// The event's id; the first is `00000000-0000-4000-8000-000000000001`.
        public let eventID: String
        /// The completed methods, in order.
        public let proved: [SCA.Verification]
        /// The number of codes sent.
        public let sends: Int
        /// The number of wrong values received.
        public let failed: Int
        /// How often the operation was carried out: never more than once.
        public let carriedOut: Int
        /// Whether the person ended it.
        public let isRefused: Bool
        /// Whether they had started it and no longer wanted it.
        public let isWithdrawn: Bool
    }

    /// Makes a resource require the person's consent from now on. A `POST` of JSON without `scaDetails` gets a 403
    /// `sca_required` with a new event; one with the `scaDetails` of a consent is carried out, once, and gets a 201. A
    /// repeated `Idempotency-Key` gets the same answer.
    ///
    /// The event has the limits of the real server: thirty seconds between two codes, whatever is challenged in between
    /// (429 with `Retry-After`), three codes and twenty challenges (409 `no_code_left`), five wrong values and fifteen
    /// minutes (409 `data_error`).
    ///
    /// - Parameters:
    ///   - consent: the consent.
    ///   - path: the URL's path.
    public func requireConsent(_ consent: RequiredConsent, at path: String) {
        core.withLock { $0.consentsRequired[path] = consent }
    }

    /// Every requested consent, in order.
    public var consents: [Consent] {
        core.withLock { core in
            core.events.sorted { $0.key < $1.key }.map { id, event in
                Consent(
                    eventID: id, proved: event.proved, sends: event.sends, failed: event.failed,
                    carriedOut: event.carriedOut, isRefused: event.isRefused, isWithdrawn: event.isWithdrawn)
            }
        }
    }

    /// Agrees on a hosted page, as the person would.
    ///
    /// - Parameter page: the page, as the SDK opened it.
    /// - Returns: the URL that the browser returns to.
    /// - Throws: `UserAgentFailure` if the URL is not a page of this server.
    public func agree(onPage page: URL) throws -> URL {
        try leave(page) { core, id, verification in core.prove(verification, in: id) }
    }

    /// Presses "I didn't start this" on a hosted page, which ends the event.
    ///
    /// - Parameter page: the page, as the SDK opened it.
    /// - Returns: the URL that the browser returns to.
    /// - Throws: `UserAgentFailure` if the URL is not a page of this server.
    public func refuse(onPage page: URL) throws -> URL {
        try leave(page) { core, id, _ in core.events[id]?.isRefused = true }
    }

    private func leave(_ page: URL, by step: (inout ServerCore, String, SCA.Verification) -> Void) throws -> URL {
        try core.withLock { core in
            guard let id = core.events.first(where: { $0.value.page == page.absoluteString })?.key,
                let verification = core.events[id]?.challenged, let back = core.events[id]?.returnURL
            else { throw UserAgentFailure(.failed, reason: "the server shows an error page") }
            step(&core, id, verification)
            guard let url = URL(string: back) else {
                throw UserAgentFailure(.failed, reason: "there is no URL to return to")
            }
            return url
        }
    }
}
