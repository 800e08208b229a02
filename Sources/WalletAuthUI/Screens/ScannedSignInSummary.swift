import WalletAuth

/// Who asks to sign in elsewhere, in the person's language.
public struct ScannedSignInSummary: Hashable, Sendable {
    /// The name of the app or site to sign in to.
    public let service: String
    /// The account that would sign in; nil if this device has only one.
    public let account: String?
    /// The browser and its system, by what the browser says of itself.
    public let browser: String
    /// Whether browser and phone reach the server from one network.
    public let isOnSameNetwork: Bool
    /// That, in words: if it is another network, the browser may be someone else's.
    public let network: String
    /// That only the person who opened the page should go on.
    public let advice: String
    /// The label of the button, and of the device's prompt for face or fingerprint.
    public let approval: String
}

extension ScannedSignInSummary {
    init(_ signIn: ElsewhereSignIn, account: String?, texts: ScreenTexts) {
        let service = signIn.service.isolated
        self.init(
            service: service, account: account,
            browser: texts.name(ofBrowser: signIn.browser, on: signIn.system) ?? texts(.unknownBrowser),
            isOnSameNetwork: signIn.isOnSameNetwork,
            network: texts(signIn.isOnSameNetwork ? .sameNetwork : .otherNetwork),
            advice: texts(.scanAdvice), approval: texts(.signInTo, ["service": service]))
    }
}

/// The steps of the screen of a sign-in by scanning.
public enum ScannedSignInPhase: Sendable, Hashable {
    /// No sign-in.
    case idle
    /// The wallet is working.
    case working
    /// The person sees who asks, and chooses the number that the other screen shows.
    case choosing
    /// The person proves that it is them.
    case verifying
    /// The other screen is signed in.
    case signedIn
    /// The person said that it was not them: no one is signed in by it any more.
    case rejected
    /// It ended without a sign-in: by a wrong number, for instance, or because time ran out.
    case failed
}

extension ScreenTexts {
    /// A browser by what it says of itself; nil if nothing is known.
    func name(ofBrowser browser: String?, on system: String?) -> String? {
        switch (browser, system) {
        case (let browser?, let system?):
            self(.browserOnSystem, ["browser": browser.isolated, "system": system.isolated])
        case (let known?, nil), (nil, let known?): known.isolated
        case (nil, nil): nil
        }
    }
}
