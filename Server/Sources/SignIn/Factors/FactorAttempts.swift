internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// Wrong answers to the second factors of one account over all sign-ins: a new sign-in brings no new tries.
enum FactorAttempts {
    static let policy = AttemptPolicy(
        free: OpenFactors.mostTries, afterwards: .delay(first: .minutes(1), longest: .hours(1)),
        forgottenAfter: .hours(24))

    /// Questions have a counter of their own: an attacker who finds out an answer must not reset the count of guesses at
    /// stronger factors. So do recovery codes, which cannot be guessed: they remain usable while an attacker's wrong answers
    /// block the rest.
    static func counter(of account: UniqueID, _ kind: FactorKind, key: DataKey) -> [UInt8] {
        let label =
            switch kind {
            case .secretQuestion: "secret-question"
            case .recoveryCode: "recovery-code"
            case .totp, .email, .sms: "second-factor"
            }
        return Digests.keyed(label, [account.uuid], key: key)
    }

    /// Until when answers to some factors are not compared; without those whose answers are.
    static func held(
        _ kinds: Set<FactorKind>, of account: UniqueID, key: DataKey, now: Timestamp, on connection: any SQLConnection
    ) throws -> [FactorKind: Timestamp] {
        var held: [FactorKind: Timestamp] = [:]
        for kind in kinds {
            let subject = counter(of: account, kind, key: key)
            held[kind] = try Attempts.state(subject, now: now, on: connection)?.heldUntil
        }
        return held
    }
}
