internal import Core
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
    let turn: Turn

    /// The audit log calls the name a part of the profile.
    var changesProfile: Bool {
        let old = present.account
        return renamed != nil || old.locale != account.locale || (!changesPhone && old.profile != account.profile)
    }

    /// - Throws: ``SCIMFailure`` if the account would be opened that another one closed.
    init(
        to user: ProvisionedUser, of present: StoredUser, by provisioner: Provisioner, vault: AccountVault
    ) throws {
        self.present = present
        self.user = user
        var account = present.account
        let old = vault.profile(of: account)
        var profile = old
        profile.apply(user)
        changesPhone = user.phone != vault.open(account.phone, .phone, of: account.id)
        changesEmail = user.email != vault.email(of: account)
        if changesPhone {
            account.phone = try user.phone.map { try vault.seal($0, .phone, of: account.id) }
            profile.isPhoneVerified = user.phone != nil && provisioner.confirms
        }
        if changesEmail {
            account.email = try user.email.map { try vault.seal($0, .email, of: account.id) }
            account.emailState = user.email == nil ? .none : provisioner.confirms ? .verified : .unverified
        }
        if profile != old { account.profile = try vault.seal(profile, of: account.id) }
        account.locale = user.language
        let name = present.names.first ?? ""
        renamed = name == user.username.typed ? nil : try Username(name)
        turn = try Self.turn(to: user.isActive, of: present)
        self.account = account
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
