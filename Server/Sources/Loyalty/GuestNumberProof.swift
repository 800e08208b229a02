internal import Kernel
internal import SignIn
internal import Store
internal import WalletAuthWire
internal import Web

/// A signed-in guest who proves by a code that a phone number is theirs.
///
/// What anyone typed at an enrollment signs in to nothing: the number's holder would get into an account whose password and links are
/// another person's. So the number counts once the same person has shown, at the same time, that the account and the phone are
/// theirs. It is then no longer found for accounts of others.
struct GuestNumberProof: Sendable {
    fileprivate let sealing: SealingKeys
    fileprivate let auditLog: AuditLog
    let call: LoyaltyCaller
    let guest: GuestCaller
    /// By which number the account is found so far.
    fileprivate let current: [UInt8]?

    var account: AccountRecord { guest.account }

    /// The write that makes a proved number the guest's. It returns whether account and session were still the same.
    func writing(_ number: String) throws -> @Sendable (any SQLConnection) throws -> Bool {
        let vault = AccountVault(sealing)
        var profile = vault.profile(of: account)
        let replaced = profile.entered.phone
        profile.entered.phone = number
        let sealed = try vault.seal(profile, of: account.id)
        let digests = PhoneDigest.all(number, brand: account.brandID, now: call.now, under: sealing.keyRing)
        let digest = try PhoneDigest.make(number, brand: account.brandID, under: sealing.keyRing)
        let isNew = current.map { !digests.contains($0) } ?? true
        let entries = isNew ? try entries(replaced: current == nil ? nil : replaced) : []
        return { [self] connection in
            guard try Sessions.living(guest.session.facts.id, now: call.now, on: connection) != nil,
                try Accounts.setProfile(from: account, to: sealed, locale: account.locale, on: connection)
            else { return false }
            try LoyaltyAccounts.setPhone(digest, of: account.id, on: connection)
            for digest in digests { try release(digest, on: connection) }
            for entry in entries { try entry.write(on: connection) }
            return true
        }
    }

    /// The event, and a message to the number that was proved before, and to the account's address.
    private func entries(replaced: String?) throws -> [AuditLog.Entry] {
        let email = AccountVault(sealing).open(account.email, .email, of: account.id)
        var entries = [
            try auditLog.entry(
                LoyaltyEvent.phoneProved, account: account.id, client: call.client.id.rawValue, origin: call.origin,
                now: call.now)
        ]
        for (channel, address) in [(OutboxChannel.email, email), (.sms, replaced)] {
            guard let address else { continue }
            entries.append(
                try auditLog.entry(
                    ContactMessage(.phoneChanged, over: channel), account: account.id, email: address, now: call.now))
        }
        return entries
    }

    /// Ends what others proved earlier: numbers are given to other people.
    private func release(_ digest: [UInt8], on connection: any SQLConnection) throws {
        let vault = AccountVault(sealing)
        let released = try LoyaltyAccounts.releasePhone(
            digest, of: Array(call.client.loyaltyMerchants), exceptFor: account.id, on: connection)
        for id in released {
            try auditLog.entry(
                AccountEvent.phoneReleased, account: id, client: call.client.id.rawValue, now: call.now
            ).write(on: connection)
            guard let other = try Accounts.find(id, on: connection), other.phone == nil,
                let email = vault.open(other.email, .email, of: id)
            else { continue }
            try auditLog.entry(
                ContactMessage(.phoneRemoved, over: .email), account: id, email: email, now: call.now
            ).write(on: connection)
        }
    }
}

/// Begins proofs of guests' numbers.
struct GuestNumberProofs: Sendable {
    let callers: Callers
    let identities: AccountIdentities
    let database: any Database
    let sealing: SealingKeys
    let auditLog: AuditLog

    /// The guest whose access token it is. They may prove a number whenever they may link a provider.
    func begin(
        by token: AccessToken, call: LoyaltyCaller
    ) async throws -> Result<GuestNumberProof, LoyaltyFailure> {
        guard
            let guest = try await callers.guest(
                token, of: call.client, origin: call.origin, now: call.now)
        else { return .failure(LoyaltyFailure(.invalidAccessToken)) }
        if let refusal = try await identities.refusal(of: guest) {
            return .failure(LoyaltyFailure(change: refusal))
        }
        // The number that an operator entered is a second factor.
        guard guest.account.phone == nil else { return .failure(LoyaltyFailure(.secondFactorRequired)) }
        let enrolled = try await database.read { try LoyaltyAccounts.find(guest.account.id, on: $0) }
        guard let enrolled, call.client.loyaltyMerchants.contains(enrolled.merchantID) else {
            return .failure(LoyaltyFailure(.notAdmitted))
        }
        return .success(
            GuestNumberProof(
                sealing: sealing, auditLog: auditLog, call: call, guest: guest, current: enrolled.phoneDigest))
    }
}
