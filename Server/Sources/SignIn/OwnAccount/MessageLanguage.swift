internal import Core
internal import Kernel
internal import Store

/// Lets the holder choose the language of messages, which takes a sign-in on the page as strong as a change of factors: word of a thief's
/// doing in a language that the holder does not read would be of no use.
struct MessageLanguage: Sendable {
    let database: any Database
    let auditLog: AuditLog
    let stepUp: StepUp

    /// Why the caller must not choose one; `nil` if it may.
    func refusal(of call: any FactorCaller) async throws -> FactorRefusal? {
        let policy = StepUpPolicy(stepUp, call)
        return policy.refusalUnlessFresh(try await policy.facts())
    }

    /// Chooses a language. The one that the account has keeps its region. A form that arrives twice succeeds twice.
    /// - Returns: why it was not changed; `nil` if the account has it.
    func set(_ language: Language, call: any FactorCaller) async throws -> FactorRefusal? {
        if let refusal = try await refusal(of: call) { return refusal }
        let account = call.account
        guard account.locale.flatMap(Language.init(tag:)) != language else { return nil }
        let entry = try auditLog.entry(
            AccountEvent.languageChanged, account: account.id, client: call.clientID, origin: call.origin, now: call.now
        )
        return try await database.write { connection -> FactorRefusal? in
            if let refusal = try call.refusalOfChange(on: connection) { return refusal }
            guard
                try Accounts.setProfile(
                    from: account, to: account.profile, locale: language.rawValue, on: connection)
            else { return .accountChanged }
            try entry.write(on: connection)
            return nil
        }
    }
}

extension AccountInteraction {
    /// Takes a step of a person who could choose the language of messages. If the account has none yet, also the messages about what they
    /// do are in the page's: they may choose it, so this gives no one more.
    func asHolder<Answer>(
        on page: AccountPageState, _ step: (AccountInteraction) async throws -> Answer
    ) async throws -> Answer {
        guard let person = try await signedIn(), person.account.locale.flatMap(Language.init(tag:)) == nil,
            let call = call(of: person, on: page), try await host.own.language.refusal(of: call) == nil
        else { return try await step(self) }
        return try await PageLanguage.$isHolders.withValue(true) { try await step(self) }
    }
}
