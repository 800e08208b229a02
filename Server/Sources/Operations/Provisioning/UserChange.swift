internal import HTTPTypes
internal import Kernel
internal import Store
internal import WalletAuthWire
internal import Web

/// What a request changes of an account, sealed before the write.
struct UserChange: Sendable {
    enum Turn: Sendable, Hashable {
        case none
        /// A directory had closed it.
        case opened
        case closed
    }

    let present: StoredUser
    let user: ProvisionedUser
    /// As it is to be, but for its state, which has statements of its own.
    let account: AccountRecord
    /// The present name, if it changes.
    let renamed: Username?
    let changesEmail: Bool
    let changesPhone: Bool
    /// The number that no one has confirmed, which the profile keeps.
    let changesEnteredPhone: Bool
    let turn: Turn

    /// The audit log calls the name, and the directory's own id, a part of the profile.
    var changesProfile: Bool {
        let old = present.account
        return renamed != nil || old.locale != account.locale || (!changesPhone && old.profile != account.profile)
            || user.externalID != present.record?.externalID
    }

    static let confirmed = SCIMFailure(
        .forbidden, .mutability,
        "A confirmed e-mail address and a number in use are changed by the person or an operator, or by a client with "
            + "\(Provisioner.confirmingScope).")

    /// - Parameter overrulesHolder: whether what the holder closed is closed by the directory now.
    /// - Throws: ``SCIMFailure`` if the account would be opened that another one closed, or if the client may not change an address.
    init(
        to user: ProvisionedUser, of present: StoredUser, by provisioner: Provisioner, overrulesHolder: Bool,
        vault: AccountVault
    ) throws {
        self.present = present
        self.user = user
        var account = present.account
        let old = vault.profile(of: account)
        var profile = old
        profile.apply(user)
        changesEmail = !Self.hasEmail(user.email, account, vault)
        let hasPhone = user.phone == vault.shownPhone(of: account)
        changesPhone = !hasPhone && provisioner.confirms
        changesEnteredPhone = !hasPhone && !provisioner.confirms
        guard provisioner.confirms || !changesEmail || account.emailState != .verified else { throw Self.confirmed }
        if changesPhone {
            account.phone = try user.phone.map { try vault.seal($0, .phone, of: account.id) }
            profile.isPhoneVerified = user.phone != nil
            profile.entered.phone = nil
        }
        if changesEnteredPhone {
            guard account.phone == nil else { throw Self.confirmed }
            profile.entered.phone = user.phone
        }
        if changesEmail {
            account.email = try user.email.map { try vault.seal($0, .email, of: account.id) }
            account.emailState = user.email == nil ? .none : provisioner.confirms ? .verified : .unverified
        }
        if profile != old { account.profile = try vault.seal(profile, of: account.id) }
        account.locale = user.language
        let name = present.names.first ?? ""
        renamed = name == user.username.typed ? nil : try Username(name)
        turn = try overrulesHolder ? .closed : Self.turn(to: user.isActive, of: present)
        self.account = account
    }

    /// Whether an account has an address already. Upper case alone makes no other one of an address that was confirmed.
    private static func hasEmail(_ new: String?, _ account: AccountRecord, _ vault: AccountVault) -> Bool {
        let old = vault.email(of: account)
        guard account.emailState == .verified, let old = old.flatMap({ try? EmailAddress($0) }),
            let new = new.flatMap({ try? EmailAddress($0) })
        else { return new == old }
        return AccountDigests.compared(new) == AccountDigests.compared(old)
    }

    private static func turn(to isActive: Bool, of present: StoredUser) throws(SCIMFailure) -> Turn {
        guard isActive != present.isActive else { return .none }
        guard isActive else { return .closed }
        guard present.account.deactivatedBy == .directory else {
            throw SCIMFailure(.forbidden, "Its holder or an operator closed the account. Only an operator opens it.")
        }
        return .opened
    }
}

extension PersonalProfile {
    /// Takes over the names that a directory has.
    mutating func apply(_ user: ProvisionedUser) {
        (name, givenName, familyName) = (user.displayName, user.givenName, user.familyName)
    }
}
