public import Foundation
import WalletAuth
public import WalletAuthWire

/// Starts a flow by the data of a QR code, and answers its questions.
///
/// Each answer goes to the question that waits for it. An answer that none waits for, or a second one, does nothing.
public struct FlowService: Sendable {
    let nextAuth: NextAuth

    /// Starts signing the transaction of a QR code, or signing in the browser whose page shows one.
    ///
    /// Differs from nextAuth: the code is text, the link of the transaction at the server. Binary codes and
    /// `com.nextauth.client:` links of a former server are refused.
    /// - Parameter data: the bytes of the code's text.
    /// - Throws: ``NextAuthError``: `not_configured`, `no_observer`, `invalid_qr_data`, `no_account_for_server`, `flow_active`,
    ///   before anything is sent. Later errors arrive as the flow's.
    public func start(with data: Data) throws {
        guard let text = String(bytes: data, encoding: .utf8) else { return try start(nil) }
        try start(with: text)
    }

    /// Starts signing the transaction of a QR code.
    /// - Parameter text: the code's text.
    /// - Throws: ``NextAuthError``, as ``start(with:)-(Data)``.
    public func start(with text: String) throws {
        guard SignInCode.looksLike(text) else { return try start(text) }
        try nextAuth.begin { wallet in RunningFlow(LoginFlow(wallet: wallet, text: text)) }
    }

    /// Starts signing the transaction of a link that opened the app.
    /// - Parameter url: the link.
    /// - Throws: ``NextAuthError``, as ``start(with:)-(Data)``.
    public func start(with url: URL) throws { try start(url.absoluteString) }

    private func start(_ text: String?) throws {
        try nextAuth.begin { wallet in
            guard let text, !text.lowercased().hasPrefix("com.nextauth.client:") else {
                throw NextAuthError(
                    .invalidQRData, .refused, during: .signTransaction,
                    reason: "binary QR codes and links of a nextAuth server cannot be read here: "
                        + "show the link that this server returned for the transaction")
            }
            return RunningFlow(try wallet.flows.start(with: text))
        }
    }

    /// The last update of the last flow, for a screen that appears later.
    public var currentFlow: FlowUpdate? { nextAuth.currentFlow }

    private var question: CurrentUserInteraction? { currentFlow?.currentUserInteraction }

    /// Chooses the account that signs.
    /// - Parameter account: one of ``CurrentUserInteraction/accounts``.
    public func choose(_ account: Account) { question?.choose(account) }

    /// Says which number is on the page of the other device that asks to sign in.
    /// - Parameter number: one of those that ``CurrentUserInteraction/signIn`` has.
    public func choose(number: Int) { question?.choose(number: number) }

    /// Confirms the transaction for the person. The second factor comes next.
    public func confirm() { question?.confirm() }

    /// Rejects the transaction for the person, and tells the server.
    /// - Parameter reason: the person's reason.
    public func reject(_ reason: RejectionReason = .unexpected) { question?.reject(reason) }

    /// Signs with this device's PIN.
    /// - Parameter pin: the PIN as the person typed it.
    public func inputSecondFactor(_ pin: String) { question?.inputSecondFactor(pin) }

    /// Signs after a face or fingerprint check.
    /// - Parameter reason: shown in the device's prompt, in the person's language. Name amount and payee.
    public func inputSecondFactor(biometrics reason: String) { question?.inputSecondFactor(biometrics: reason) }

    /// Cancels the flow without telling the server: a scanned transaction stays open until it expires.
    public func stop() { nextAuth.stop() }
}
