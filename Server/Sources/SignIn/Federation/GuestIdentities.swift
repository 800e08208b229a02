internal import Core
package import Kernel
internal import Store
internal import WalletAuthWire

/// The identities of a guest, changed through the backend that has the guest's tokens.
package struct GuestIdentities: Sendable {
    let context: ServerContext

    package init(context: ServerContext) { self.context = context }

    private var identities: AccountIdentities { AccountIdentities(context: context) }

    /// Why the guest may change nothing now; `nil` if they may. Asked before a provider's code is redeemed.
    ///
    /// The sign-in must be minutes old and prove what the account can prove: what is protected by a second factor, a device or a passkey
    /// is changed in the operator's own app. A code by e-mail is no such factor where the provider reads that mailbox too. A code that was
    /// sent is not enough: who gets it may have a number that the guest mistyped or gave up, and would keep the account by a link.
    package func refusal(of call: GuestCaller) async throws -> FactorRefusal? {
        let policy = StepUpPolicy(context: context, call: call)
        let sent = Set(FactorKind.allCases.map(\.authenticationMethod))
        guard !call.settledMethods.allSatisfy(sent.contains) else {
            if let cooling = policy.cooling { return cooling }
            return policy.anotherSignIn(try await policy.facts())
        }
        return try await policy.refusalUnlessFresh(policy.facts(after: FirstFactor(provedBy: call.methods)))
    }

    /// Links the identity of a person whom a provider has just vouched for. Repeating it changes nothing.
    package func link(_ identity: ProvenIdentity, call: GuestCaller) async throws -> Result<Void, FactorRefusal> {
        if let refusal = try await refusal(of: call) { return .failure(refusal) }
        return try await identities.link(identity, call: call).map { _ in }
    }

    /// Unlinks an identity of the guest, except the last way to sign in.
    /// - Parameter digest: the key under which it is linked.
    package func unlink(_ digest: [UInt8], call: GuestCaller) async throws -> Result<Void, FactorRefusal> {
        if let refusal = try await refusal(of: call) { return .failure(refusal) }
        return try await identities.unlink(digest, call: call)
    }
}

extension GuestCaller: FactorCaller {
    var sessionID: UniqueID { session.facts.id }
    var authTime: Timestamp { session.facts.authTime }
    var clientID: String { client.id.rawValue }
    var formMark: [UInt8]? { nil }

    func isRepeated(on connection: any SQLConnection) throws -> Bool { false }

    func refusalOfChange(on connection: any SQLConnection) throws -> FactorRefusal? {
        try Sessions.living(session.facts.id, now: now, on: connection) == nil ? .accountChanged : nil
    }
}
