internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// What a browser keeps so that a stranger's guesses do not stand in its owner's way, and that its owner is not asked for a
/// second factor each time: a device id and the accounts that signed in with it. Sealed; it proves no identity, and alone it
/// opens nothing.
struct KnownDeviceCookie: Codable, Sendable, Hashable {
    /// The device's own random id.
    var device: String
    /// The accounts that signed in here, the latest last.
    var accounts: [SignedIn]

    /// An account, and when it last signed in here.
    struct SignedIn: Codable, Sendable, Hashable {
        var account: String
        var at: Timestamp
        /// The account's security version when it last completed a second factor here; `nil` where it never did.
        var linkedAt: Int64?
        /// When it last signed in here by what makes a device a known one; `nil` where it never did, and in a cookie from before
        /// this was kept.
        var knownAt: Timestamp?
        /// When its password was last typed here; `nil` where it never was, and in a cookie from before this was kept.
        var typedAt: Timestamp?
    }

    /// What a sign-in says of the browser that it was made in.
    struct Proof: Sendable, Hashable {
        /// The account's security version, where two categories were proved.
        let linkedAt: Int64?
        /// Whether it makes the browser a known one: by the password, or by two categories, as it makes an app's key
        /// (``Sessions/knows(_:by:of:on:)``). A PIN of the account, which others may have seen typed, makes no device trusted.
        let makesKnown: Bool
        /// Whether the password was typed, which a passkey or a PIN that is taken away says nothing of.
        let isByPassword: Bool

        /// - Parameters:
        ///   - acr: the class that was reached.
        ///   - methods: the values of `amr`.
        ///   - securityVersion: the account's.
        init(acr: String, methods: [String], securityVersion: Int64) {
            let isByTwo = acr == AuthenticationStrength.twoFactors
            linkedAt = isByTwo ? securityVersion : nil
            isByPassword = methods.contains(AuthenticationStrength.password)
            makesKnown = isByTwo || isByPassword
        }
    }

    static let lifetime = Duration.days(180)
    private static let most = 5

    /// The cookie after one more account signed in.
    /// - Parameters:
    ///   - account: who.
    ///   - proof: what was proved; where it says less than a sign-in before, what stood stays.
    func adding(_ account: String, by proof: Proof, now: Timestamp) -> KnownDeviceCookie {
        let former = accounts.first { $0.account == account }
        let others = accounts.filter { $0.account != account }.suffix(Self.most - 1)
        let entry = SignedIn(
            account: account, at: now, linkedAt: proof.linkedAt ?? former?.linkedAt,
            knownAt: proof.makesKnown ? now : former?.knownAt,
            typedAt: proof.isByPassword ? now : former?.typedAt)
        return KnownDeviceCookie(device: device, accounts: others + [entry])
    }

    /// Whether an account completed a second factor here and nothing has ended its sign-ins since.
    func links(_ account: String, securityVersion: Int64, now: Timestamp) -> Bool {
        accounts.contains {
            $0.account == account && $0.linkedAt == securityVersion && now < $0.at + Self.lifetime
        }
    }

    /// Whether an account signed in here under its present password, by that or by two factors, and not too long ago.
    /// A device that proved an older password is untrusted again, and the PIN alone never makes one trusted. Where something was
    /// taken away from the account since, only the password counts, as long as that opens anything.
    func knows(_ account: AccountRecord, now: Timestamp) -> Bool {
        guard let passwordChangedAt = account.passwordChangedAt,
            let here = accounts.first(where: { $0.account == account.id.uuid })
        else { return false }
        func counts(_ moment: Timestamp) -> Bool {
            moment >= passwordChangedAt && now < moment + Self.lifetime
        }
        if let typedAt = here.typedAt, account.passwordState == .current, counts(typedAt) { return true }
        guard let knownAt = here.knownAt, counts(knownAt) else { return false }
        guard let devicesDistrustedAt = account.devicesDistrustedAt else { return true }
        return knownAt > devicesDistrustedAt
    }
}
