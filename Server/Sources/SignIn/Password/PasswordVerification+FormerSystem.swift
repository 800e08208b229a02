internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

/// What follows a wrong password in a brand whose former system is asked.
extension PasswordVerification {
    /// After a comparison that failed: asks the brand's former system, if it has one and the account has no password here.
    /// - Parameter account: `nil` if the caller may not sign in to it.
    func askFormerSystem(
        _ password: Password, of account: AccountRecord?, _ claimed: ClaimedAccount,
        at name: (username: Username, brand: BrandID), _ charge: Charge, address: SharedCounters?,
        mayTell: Bool, origin: RequestOrigin, now: Timestamp
    ) async throws -> Outcome {
        let system = try await adoption.system(of: name.brand, isKnownDevice: charge.isKnownDevice, now: now)
        guard let system else {
            return .refused(
                try await fail(charge, address: address, claimed, mayTell: mayTell, origin: origin, now: now))
        }
        var isAnswered = true
        if let account, adoption.mayAsk(about: account) {
            let answer = try await adoption.ask(
                system, about: account, named: name.username, password: password, isPlaced: !charge.isKnownDevice,
                now: now)
            switch answer {
            case .right:
                let outcome = try await adoption.adopt(
                    password, for: account, from: system,
                    in: claimed.claimant(at: name.username, brand: name.brand, from: origin), origin: origin, now: now
                ) { try succeed(charge, address: address, on: $0) }
                switch outcome {
                case .stored(let account): return .verified(account)
                case .overtaken: return .refused(.invalid)
                case .busy:
                    try await refund(charge, address: address)
                    return .refused(.busy(retryAfter: PasswordHasher.retryAfter))
                }
            // No account may be locked or slowed because another server is down.
            case .unavailable where charge.isKnownDevice:
                try await refund(charge, address: address)
                return .refused(.unavailable(retryAfter: PasswordAdoption.retryAfter))
            case .unavailable: isAnswered = false
            case .wrong: break
            }
        }
        guard isAnswered else {
            try await release(charge, address: address, now: now)
            return .refused(try await adoption.settled(.invalid, by: system))
        }
        let refusal = try await fail(
            charge, address: address, claimed, mayTell: mayTell, origin: origin, now: now)
        return .refused(try await adoption.settled(refusal, by: system))
    }

    /// Takes back what an account was charged for a password that the former system did not judge. The network's count stays, and so does
    /// the one that the page's wait follows from: they would tell who is asked about.
    private func release(_ charge: Charge, address: SharedCounters?, now: Timestamp) async throws {
        try await database.write { connection in
            try address?.fail(on: connection)
            try Attempts.refund(charge.subject, on: connection)
            try announce(charge, now: now, on: connection)
        }
    }

    /// Takes back what a password was charged that was not compared.
    func refund(_ charge: Charge, address: SharedCounters?) async throws {
        try await database.write { connection in
            try address?.refund(on: connection)
            try Attempts.refund(charge.subject, on: connection)
            if let ceiling = charge.ceiling { try Attempts.refund(ceiling.subject, on: connection) }
        }
    }
}
