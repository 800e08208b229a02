internal import Core
internal import Kernel
internal import Synchronization
internal import WalletAuthWire

/// Finds out whether a former system answers, by a question about no one (decision 171).
///
/// What a question about an account came to must not decide what its sign-in says: it would tell who has not moved yet. So every failure
/// of a password begins a check, whether the account is asked about or not, and all failures at the time say the same.
final class FormerSystemCheck: Sendable {
    private struct Check {
        var answers: Task<Bool, Never>
        /// `nil` while it is running.
        var endedAt: ContinuousClock.Instant?
        /// How long it holds from then on.
        var lifetime: Duration
    }

    private let repository: UserRepositoryClient
    private let timing: AdoptionTiming
    private let checks = Mutex<[RepositorySettings: Check]>([:])
    /// More systems than any operator has.
    private static let most = 256

    /// The name that is asked about, which operators of the former system can leave out of their counts.
    static let username = "walletauth-check"

    init(repository: UserRepositoryClient, timing: AdoptionTiming) {
        self.repository = repository
        self.timing = timing
    }

    /// Joins the check that is running, or one that has just ended, or begins one. None takes longer than a question.
    ///
    /// A stream of wrong passwords must not become one of failed sign-ins there: while one check follows another, each good one holds
    /// twice as long as the last, up to a limit. A failed question about an account does not shorten that: it would tell who has not
    /// moved.
    func begin(_ provider: IdentityProvider, _ settings: RepositorySettings, now: Timestamp) -> Task<Bool, Never> {
        checks.withLock { checks in
            if let known = checks[settings], known.endedAt.map({ .now - $0 < known.lifetime }) ?? true {
                return known.answers
            }
            let shortest = timing.checkLifetime
            var lifetime = shortest
            if let last = checks[settings], let endedAt = last.endedAt {
                lifetime = timing.checkLifetime(after: last.lifetime, age: .now - endedAt)
            }
            if checks.count >= Self.most { checks.removeAll() }
            // Of no request: one that is cancelled must not end it for the others.
            let answers = Task {
                let answers = await self.answers(provider, settings, now: now)
                self.checks.withLock { checks in
                    checks[settings]?.endedAt = .now
                    if !answers { checks[settings]?.lifetime = shortest }
                }
                return answers
            }
            checks[settings] = Check(answers: answers, lifetime: lifetime)
            return answers
        }
    }

    private func answers(_ provider: IdentityProvider, _ settings: RepositorySettings, now: Timestamp) async -> Bool {
        do {
            let password = try Password(Base64URL.encode(repository.random.bytes(24)))
            _ = try await repository.verify(
                username: Self.username, password: password, at: provider, settings, within: timing.limit,
                isPlaced: true, now: now)
            return true
        } catch let failure as ProviderFailure {
            repository.access.report(failure, of: provider)
        } catch {
            repository.access.report(ProviderFailure("it could not be asked: \(error)"), of: provider)
        }
        return false
    }
}
