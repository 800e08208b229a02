internal import Core

/// The state of the stand-in until its next start: codes, consents and withdrawals.
actor StandInMemory {
    struct Code: Sendable {
        let person: StandInPerson
        let request: AppleStandIn.Request
        let expiresAt: Timestamp
        var isUsed = false
    }

    enum Redemption: Sendable {
        case good(Code)
        case used
        case unknown
    }

    private struct App: Hashable {
        let name: String
        let client: String
    }

    private var codes: [String: Code] = [:]
    /// When consent to an app was last withdrawn; older refresh tokens are void.
    private var withdrawals: [App: Timestamp] = [:]
    /// When consent to an app was last given.
    private var consents: [App: Timestamp] = [:]
    /// When an Apple account was deleted.
    private var deletions: [String: Timestamp] = [:]
    private(set) var fault: AppleStandIn.Fault?

    /// More than any test needs at once. A sandbox that runs for weeks drops old entries.
    private static let capacity = 4096

    func setFault(_ fault: AppleStandIn.Fault?) { self.fault = fault }

    func keep(_ content: Code, code: String, now: Timestamp) {
        if codes.count >= Self.capacity { codes = codes.filter { $0.value.expiresAt > now } }
        if codes.count >= Self.capacity { codes.removeAll() }
        codes[code] = content
    }

    func redeem(_ code: String, now: Timestamp) -> Redemption {
        guard let kept = codes[code], kept.expiresAt > now else { return .unknown }
        guard !kept.isUsed else { return .used }
        codes[code]?.isUsed = true
        return .good(kept)
    }

    func agree(_ person: StandInPerson, client: String, now: Timestamp) {
        if consents.count >= Self.capacity { consents.removeAll() }
        consents[App(name: person.name, client: client)] = now
    }

    /// Whether the person's Apple settings list an app.
    func isListed(_ person: StandInPerson, client: String) -> Bool {
        consents[App(name: person.name, client: client)].map { isAgreed(person, client: client, since: $0) } ?? false
    }

    func withdraw(_ person: StandInPerson, client: String, now: Timestamp) {
        if withdrawals.count >= Self.capacity { withdrawals.removeAll() }
        withdrawals[App(name: person.name, client: client)] = now
    }

    func delete(_ person: StandInPerson, now: Timestamp) {
        if deletions.count >= Self.capacity { deletions.removeAll() }
        deletions[person.name] = now
    }

    /// Whether a refresh token from this time still works.
    func isAgreed(_ person: StandInPerson, client: String, since: Timestamp) -> Bool {
        let ends = [withdrawals[App(name: person.name, client: client)], deletions[person.name]]
        return ends.allSatisfy { end in end.map { $0 < since } ?? true }
    }
}
