import WalletAuth
import WalletAuthTransport
import WalletAuthWire

extension ScriptedServer {
    /// Begins an operation in another session of the person, which asks for an approval by push message. It waits on the person's device
    /// until it is approved or refused, or fifteen minutes have passed.
    ///
    /// No message is sent: pass `["id": …, "kind": "operation"]` to `Wallet.handle(push:)` for one.
    ///
    /// - Parameters:
    ///   - consent: the consent. Its ways do not matter; its proofs should be one.
    ///   - username: the person.
    /// - Returns: the id of the event.
    /// - Throws: `MalformedValue` if there is no such person.
    public func requestApproval(_ consent: RequiredConsent, of username: String) throws -> String {
        try core.withLock { core in
            guard let subject = core.people[username]?.subject else {
                throw MalformedValue(field: "username", reason: "is no person's of this server")
            }
            return try core.requestApproval(consent, of: subject, now: clock.serverTime)
        }
    }

    /// Approves on another device of the person what waits for a push message, as the person would.
    ///
    /// - Parameter eventID: the id of the event.
    /// - Returns: whether it waited.
    @discardableResult
    public func approveElsewhere(_ eventID: String) -> Bool {
        core.withLock { core in
            guard core.events[eventID]?.challenged == .push else { return false }
            core.prove(.push, in: eventID)
            return true
        }
    }

    /// Refuses on another device of the person what waits for a push message.
    ///
    /// - Parameter eventID: the id of the event.
    /// - Returns: whether it waited.
    @discardableResult
    public func refuseElsewhere(_ eventID: String) -> Bool {
        core.withLock { core in
            guard core.events[eventID]?.challenged == .push else { return false }
            core.events[eventID]?.isRefused = true
            return true
        }
    }
}
