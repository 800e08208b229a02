internal import Core
internal import Kernel
internal import Store
internal import WalletAuthWire

extension AddressAttempts {
    /// Whether an attempt from a held network may go on: only on a device that the named account may know.
    func mayBeKnown(
        _ device: PasswordVerification.Device, to username: Username, brand: BrandID, sealing: SealingKeys,
        now: Timestamp
    ) async throws -> Bool {
        try await database.read {
            try device.mayBeKnown(to: username, brand: brand, sealing: sealing, now: now, on: $0)
        }
    }
}

extension PasswordVerification.Device {
    /// Whether the evidence names the account that a person typed. It is asked before the account is looked up, while others hold up
    /// the network: the time of that refusal must not tell which addresses have accounts.
    ///
    /// What the evidence names is read, and compared with the text. A key names nothing, so the ids behind the text are asked whether
    /// they know it, with as many statements if there are none.
    func mayBeKnown(
        to username: Username, brand: BrandID, sealing: SealingKeys, now: Timestamp, on connection: any SQLConnection
    ) throws -> Bool {
        switch self {
        case .backend: return false
        case .enrolled(let device):
            return try Accounts.find(device.accountID, on: connection).map {
                try $0.isNamed(by: username, brand: brand, sealing: sealing, on: connection)
            } ?? false
        case .cookie(let cookie):
            return try cookie?.accounts.contains { one in
                guard let id = UniqueID(uuid: one.account), let account = try Accounts.find(id, on: connection),
                    cookie?.knows(account, now: now) == true
                else { return false }
                return try account.isNamed(by: username, brand: brand, sealing: sealing, on: connection)
            } ?? false
        case .key(let thumbprint, let client):
            let named = try Accounts.find(named: username.rawValue, brand: brand.rawValue, on: connection)?.id
            var ids = [named]
            if username.rawValue.contains("@"), let email = try? EmailAddress(username.typed) {
                let holders = try AccountDigests.accounts(
                    having: .email, AccountDigests.compared(email), brand: brand, sealing: sealing, now: now,
                    on: connection)
                ids.append(holders.count == 1 ? holders[0].id : nil)
            }
            let unknown = try sealing.random.uniqueID()
            return try ids.map { id in
                let id = id ?? unknown
                let device = try Devices.find(dpopKey: thumbprint, of: id, on: connection)
                let isLinked = try Devices.links(thumbprint, by: client, to: id, on: connection)
                let isKnown = try Sessions.knows(thumbprint, by: client.rawValue, of: id, on: connection)
                return device != nil || isLinked || isKnown
            }.contains(true)
        }
    }
}

extension AccountRecord {
    /// Whether a text that a person typed is a user name or the confirmed e-mail address of the account.
    fileprivate func isNamed(
        by typed: Username, brand: BrandID, sealing: SealingKeys, on connection: any SQLConnection
    ) throws -> Bool {
        guard brandID == brand.rawValue else { return false }
        let names = try Accounts.names(of: id, on: connection).compactMap { try? Username($0) }
        if names.contains(where: { $0.rawValue == typed.rawValue }) { return true }
        guard typed.rawValue.contains("@"), let email = try? EmailAddress(typed.typed) else { return false }
        return RegistrationAddress.email(email).isConfirmed(for: self, AccountVault(sealing))
    }
}
