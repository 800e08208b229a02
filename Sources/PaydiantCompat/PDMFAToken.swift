public import WalletAuth

/// A question of a second factor, and the person's answer.
///
/// Show ``question``, set ``answer``, and pass the same token to `registerWithMFA`. After a wrong answer it may be passed again. On the
/// page, the question is always a secret question. Here it may also say where a code was sent, or which code to enter.
public final class PDMFAToken: PDObject {
    /// The question, in the person's language unless it is the account's own.
    public var question: String?
    /// The answer as typed.
    public var answer: String?
    /// The SDK's challenge, which can send the code again or switch to another factor; nil in a token that the app created, which
    /// `registerWithMFA` refuses.
    public private(set) var challenge: MFAChallenge?
    /// The domain of the sign-in that continues.
    private(set) var domain = kUserErrorLoginWithUsernamePasswordDomain

    convenience init(_ challenge: MFAChallenge, domain: String) {
        self.init()
        question = UserErrorMessages.builtIn.question(of: challenge)
        self.challenge = challenge
        self.domain = domain
    }

    /// The same as an error, for a delegate that cannot be asked.
    var error: PDPaydiantError? { challenge.map { PDPaydiantError(.mfaRequired($0), domain: domain) } }
}
