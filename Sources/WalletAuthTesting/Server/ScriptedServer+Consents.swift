public import Foundation
public import WalletAuth
public import WalletAuthWire

extension ScriptedServer {
    /// What a resource wants the person to agree to.
    public struct RequiredConsent: Sendable {
        /// What the person is shown.
        public var operation: WalletOperation
        /// The ways that the person has.
        public var ways: [SCA.Verification]
        /// How many of them have to be proved.
        public var proofs: Int
        /// The code of every way that takes one.
        public var code: String

        /// Says what is to be agreed to.
        /// - Parameters:
        ///   - operation: what the person is shown.
        ///   - ways: the ways that the person has. The PIN of the device is none of them: no VOPRF is here.
        ///   - proofs: how many of them have to be proved.
        ///   - code: the code of every way that takes one.
        public init(_ operation: WalletOperation, by ways: [SCA.Verification], proofs: Int = 1, code: String = "123456")
        {
            self.operation = operation
            self.ways = ways
            self.proofs = proofs
            self.code = code
        }
    }

    /// How a consent stands at the server.
    public struct Consent: Sendable, Hashable {
        /// The event: `00000000-0000-4000-8000-000000000001` is the first.
        public let eventID: String
        /// What was proved, in order.
        public let proved: [SCA.Verification]
        /// How many codes were sent.
        public let sends: Int
        /// How many wrong values came.
        public let failed: Int
        /// How often its operation was carried out: never more than once.
        public let carriedOut: Int
    }

    /// Has a resource ask for the person's consent from now on: a `POST` of JSON without `scaDetails` is answered with a 403
    /// `sca_required` and an event of its own, one with those of a consent is carried out, once, and answered with 201. An
    /// `Idempotency-Key` gets the answer that it got.
    ///
    /// The event has the limits of the project's own server: thirty seconds between two codes, whatever is challenged between
    /// them (429 with `Retry-After`), three codes and twenty challenges (409 `no_code_left`), five wrong values and fifteen
    /// minutes (409 `data_error`).
    /// - Parameters:
    ///   - consent: what has to be agreed to.
    ///   - path: the URL's path.
    public func requireConsent(_ consent: RequiredConsent, at path: String) {
        core.withLock { $0.consentsRequired[path] = consent }
    }

    /// Every consent that was asked for, in order.
    public var consents: [Consent] {
        core.withLock { core in
            core.events.sorted { $0.key < $1.key }.map { id, event in
                Consent(
                    eventID: id, proved: event.proved, sends: event.sends, failed: event.failed,
                    carriedOut: event.carriedOut)
            }
        }
    }

    /// Does what a person does who agrees on a hosted page.
    /// - Parameter page: the page, as the SDK opened it.
    /// - Returns: where the browser comes back to.
    /// - Throws: `UserAgentFailure` where that is no page of this server.
    public func agree(onPage page: URL) throws -> URL {
        try core.withLock { core in
            guard let id = core.events.first(where: { $0.value.page == page.absoluteString })?.key,
                let verification = core.events[id]?.challenged, let back = core.events[id]?.returnURL
            else { throw UserAgentFailure(.failed, reason: "the server shows an error page") }
            core.prove(verification, in: id)
            guard let url = URL(string: back) else { throw UserAgentFailure(.failed, reason: "no URL to go back to") }
            return url
        }
    }
}
