internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

/// The demand that stands before every change of what somebody can sign in with: a sign-in with two categories of factor
/// that is minutes old, in the app itself.
struct FreshSignIn: Sendable {
    let context: ServerContext

    /// Why a call does not meet it; `nil` where it does.
    /// - Parameters:
    ///   - call: the app's call.
    ///   - methods: those that count; by default all by which the session's person signed in.
    func refusal(of call: AppCall, by methods: [String]? = nil) -> DeviceRefusal? {
        // First what no sign-in would change: nobody makes a stronger one in vain.
        if let seconds = call.account.cooling(at: call.now) { return .cooling(retryAfter: seconds) }
        let age = context.settings.devices.enrollmentFreshness
        let isFresh = call.now < call.session.facts.authTime + age
        guard isFresh, AuthenticationStrength.acr(of: methods ?? call.methods) == AuthenticationStrength.twoFactors
        else {
            return .strongerSignIn(maximumAge: age.wholeSeconds)
        }
        return nil
    }
}
