package import Core
package import Kernel
internal import Store

/// A sealed cookie with a device ID and the accounts that signed in with it. It keeps others' guesses from blocking the owner, and
/// saves the owner a second factor each time. It proves no identity and opens nothing by itself.
package struct KnownDeviceCookie: Codable, Sendable, Hashable {
    /// A random ID.
    package var device: String
    /// The accounts that signed in here, the latest last.
    package var accounts: [SignedIn]
    /// A digest of the binding cookie that was replaced last, by a sign-in or because the person left one: by it, the browser's pages from
    /// before are known as its own. It proves nothing.
    var formerBinding: [UInt8]?
    /// Whether the person cancelled the sign-in with that binding; `nil` for no.
    var isCancelled: Bool?

    package struct SignedIn: Codable, Sendable, Hashable {
        var account: String
        var at: Timestamp
        /// The account's security version at its last two-factor sign-in here; `nil` if there was none.
        var linkedAt: Int64?
        /// The last sign-in that made this browser a known device; `nil` if there was none, or in an older cookie.
        var knownAt: Timestamp?
        /// When the password was last typed here; `nil` if it never was, or in an older cookie.
        var typedAt: Timestamp?
    }

    /// The trust that a sign-in gives its browser.
    package struct Proof: Sendable, Hashable {
        /// The account's security version, if two categories were proved.
        let linkedAt: Int64?
        /// Whether the browser becomes a known device: with the password or two categories, as for an app's key
        /// (``Sessions/knows(_:by:of:on:)``). An account PIN, which others may have watched, makes no device known.
        let makesKnown: Bool
        /// Whether the password was typed. Removing a passkey or a PIN does not affect that proof.
        let isByPassword: Bool

        /// - Parameter grant: of an admitted sign-in.
        package init(_ grant: AuthorizationGrant) {
            // The class of the code: after a recovery by mailbox, which links nothing, password and code count as one factor.
            let isByTwo = grant.acr == AuthenticationStrength.twoFactors
            linkedAt = isByTwo ? grant.securityVersion : nil
            isByPassword = grant.amr.contains(AuthenticationStrength.password)
            makesKnown = isByTwo || isByPassword
        }
    }

    package static let lifetime = Duration.days(180)
    private static let most = 5

    /// The cookie after another account signed in.
    /// - Parameter proof: combined with the account's earlier proofs here.
    package func adding(_ account: String, by proof: Proof, now: Timestamp) -> KnownDeviceCookie {
        let former = accounts.first { $0.account == account }
        let others = accounts.filter { $0.account != account }.suffix(Self.most - 1)
        let entry = SignedIn(
            account: account, at: now, linkedAt: proof.linkedAt ?? former?.linkedAt,
            knownAt: proof.makesKnown ? now : former?.knownAt,
            typedAt: proof.isByPassword ? now : former?.typedAt)
        return KnownDeviceCookie(device: device, accounts: others + [entry], formerBinding: formerBinding)
    }

    /// Whether the account completed a second factor here and its sign-ins have not been voided since.
    func links(_ account: String, securityVersion: Int64, now: Timestamp) -> Bool {
        accounts.contains {
            $0.account == account && $0.linkedAt == securityVersion && now < $0.at + Self.lifetime
        }
    }

    /// Whether the account signed in here recently, under its current password, with that password or with two factors. A device that
    /// proved an older password is untrusted again, and a PIN alone never makes one trusted. If a factor was removed from the account
    /// since, only the password counts, as long as it is current.
    package func knows(_ account: AccountRecord, now: Timestamp) -> Bool {
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
