import Foundation
import WalletAuth
import WalletAuthWire

extension Failure.Place {
    /// The brand in a command for the operator. A server on this machine is mostly a sandbox with only the default one.
    fileprivate var brand: String {
        let host = server.flatMap { URL(string: $0) }?.host()
        return ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host) ? "default" : "BRAND"
    }
}

extension Failure {
    /// Failures of what people do with their own account; nil for any other error.
    static func textOfAccount(_ error: WalletError, _ place: Place) -> Text? {
        switch error.code {
        case .registrationOff:
            Text(
                "people cannot make accounts themselves here",
                "the operator can allow it with: walletauth brand update \(place.brand) --registration on")
        case .loginStrategyUnavailable where error.operation == .loginByAccountPIN:
            Text(
                "PINs of accounts are not allowed here",
                "use the password: wallet sign-in --username NAME; the operator can allow them with: walletauth brand update "
                    + "\(place.brand) --account-pin on")
        case .secretQuestionsOff:
            Text(
                "the operator does not allow secret questions",
                "the operator can allow them with: walletauth brand update \(place.brand) --secret-questions on")
        case .walletDeactivated where error.eraseAt != nil:
            Text(
                "you closed this account; it is erased at \(error.eraseAt?.formatted(.iso8601) ?? "")",
                "to keep it, enter the code from the message about it: wallet account keep; then sign in")
        // The reason says which code the server cannot send.
        case .unmetAuthenticationRequirements where error.isFromWalletAuth && error.operation == .signIn:
            Text("you cannot be signed in here: \(reason(error))", "use a passkey or \(linkedDevice)")
        case .paymentsOpen:
            Text(
                "payments are not finished: " + error.openPayments.map(words).joined(separator: "; "),
                "stop what waits for your approval (wallet approvals list, wallet approvals reject ID)\(ending(error)), then "
                    + "close the account again")
        case .lastOwner:
            Text(
                "your account is the last one that may grant roles on the server",
                "make another one an owner first: walletauth operator grant USERNAME --role owner --all-brands")
        case .contactCooling: contactCooling(until: error.coolingUntil)
        case .contactUnchanged: Text("this is your confirmed address or number already", "nothing else is needed")
        case .lastContact:
            Text(
                "without this number, the server could not reach you: you have no confirmed e-mail address, or it sends no e-mail",
                "add one first with: wallet account email ADDRESS")
        case .factorNotFound where error.operation == .changeContact:
            Text("your account has no phone number", "nothing else is needed")
        case .deliveryUnavailable where error.operation != .changeContact:
            Text("the server cannot send you the code that this sign-in needs", "use \(linkedDevice)")
        case .deliveryUnavailable: Text("the server sends no messages there", "ask the server's operator to change it")
        case .nothingToConfirm where error.operation == .changeContact:
            Text("that took too long, or there were too many wrong codes", "begin the change again")
        case .accountChanged where error.operation == .changeContact:
            Text("the account was changed elsewhere at the same time", "see: wallet account show; then begin again")
        case .closingNotFound:
            Text(
                "the code belongs to no closed account, or the account has been erased",
                "check it against the message about the closing, or ask the server's operator")
        case .exportTooLarge:
            Text("your account has more data than one answer holds", "ask the server's operator for it")
        default: nil
        }
    }

    /// Puts the user name into the commands of an advice. What a shell could misread is left to the person.
    static func naming(username: String, in advice: String) -> String {
        guard username.wholeMatch(of: #/[A-Za-z0-9_@][A-Za-z0-9._@+-]*/#) != nil else { return advice }
        return advice.replacing(#/(--username|walletauth account explain) NAME\b/#) { "\($0.output.1) \(username)" }
    }

    private static let linkedDevice =
        "a device that is linked to your account, or ask the server's operator, who finds what helps with: "
        + "walletauth account explain NAME"

    private static func contactCooling(until end: Date?) -> Text {
        Text(
            "your e-mail address or phone number was changed within the last day, so the account cannot be closed "
                + (end.map { "until \($0.formatted(.iso8601))" } ?? "yet"),
            end == nil ? "try again after a day" : "try again then")
    }

    /// Why an account cannot be closed yet, as the server would refuse it; nil as far as the wallet knows of no reason.
    /// - Parameter signIn: when the person signed in, and the class that this reached; nil if the server did not say.
    static func ofClosing(
        _ factors: AccountFactorList, signIn: (time: Date?, acr: String?) = (nil, nil), now: Date = Date()
    ) -> Failure? {
        if CoolingPeriod(factors, now: now) == nil, let end = factors.contactCoolingUntil?.date, now < end {
            let text = contactCooling(until: end)
            return Failure(code: WalletError.Code.contactCooling.rawValue, message: text.message, advice: text.advice)
        }
        return ofChange(factors, signIn: signIn, during: .closeAccount, now: now)
    }

    /// Why the account cannot be changed now, as the server would refuse it; nil as far as the wallet knows of no reason.
    /// - Parameters:
    ///   - signIn: when the person signed in, and the class that this reached; nil if the server did not say, or if that does not matter.
    ///   - operation: the change.
    static func ofChange(
        _ factors: AccountFactorList, signIn: (time: Date?, acr: String?), during operation: WalletError.Operation,
        now: Date = Date()
    ) -> Failure? {
        if let cooling = CoolingPeriod(factors, now: now) {
            return Failure(
                code: WalletError.Code.recoveryCooling.rawValue,
                message: CoolingPeriod.sentence(until: cooling.end, refusing: operation), advice: "try again then")
        }
        let hasSecond = hasSecondFactor(factors)
        let isOld = signIn.time.map { $0.addingTimeInterval(signInLifetime) <= now } ?? false
        let isWeak = hasSecond && signIn.acr == singleFactor
        guard isOld || isWeak else { return nil }
        let requirements = AuthenticationRequirements(
            acrValues: [hasSecond || signIn.acr == twoFactors ? twoFactors : singleFactor],
            maximumAge: Int64(signInLifetime))
        return Failure(
            WalletError(
                .insufficientUserAuthentication, .stepUp(requirements), during: operation, reachedServer: true,
                reason: "another sign-in"), at: Place())
    }

    /// Why this device's enrollment and PIN cannot be changed, as the server would refuse it; nil as far as the wallet knows of no reason.
    /// - Parameter signIn: when the person signed in, and the class that this reached; nil if the server did not say.
    static func ofTwoFactors(
        _ factors: AccountFactorList, signIn: (time: Date?, acr: String?), during operation: WalletError.Operation,
        now: Date = Date()
    ) -> Failure? {
        let isOld = signIn.time.map { $0.addingTimeInterval(signInLifetime) <= now } ?? false
        guard isOld || signIn.acr == singleFactor else { return nil }
        var failure = Failure(
            WalletError(
                .insufficientUserAuthentication,
                .stepUp(AuthenticationRequirements(acrValues: [twoFactors], maximumAge: Int64(signInLifetime))),
                during: operation, reachedServer: true, reason: "another sign-in"), at: Place())
        if hasSecondFactor(factors) || signIn.acr == twoFactors {
            failure.advice = failure.advice.replacing("; \(ofOneFactor)", with: "")
        }
        return failure
    }

    /// Whether a sign-in is known to be recent and strong enough to change devices and their PINs.
    static func allowsChanges(signIn: (time: Date?, acr: String?), now: Date = Date()) -> Bool {
        guard let time = signIn.time, signIn.acr == twoFactors else { return false }
        return now < time.addingTimeInterval(signInLifetime)
    }

    /// A refusal of a sign-in that this device's key was a factor of, before the key counts.
    /// - Parameters:
    ///   - error: the refusal.
    ///   - end: the end of the device's waiting time.
    /// - Returns: nil if another sign-in is missing, or the waiting time is over.
    init?(_ error: WalletError, ofDeviceNewUntil end: Date, now: Date = Date()) {
        guard case .stepUp(let requirements) = error.outcome, requirements.acrValues == [Self.twoFactors], now < end
        else { return nil }
        self.init(
            error,
            Text(
                "this device is new: until \(end.formatted(.iso8601)) its key and PIN do not count for this",
                "use another second factor (wallet sign-in --again --two-factors --username NAME), or try again then"))
    }

    private static func hasSecondFactor(_ factors: AccountFactorList) -> Bool {
        factors.factors.contains { provesSecondCategory.contains($0.method) }
    }

    /// For so many seconds, a sign-in allows changes to an account.
    private static let signInLifetime: TimeInterval = 300
    private static let singleFactor = "urn:wallet-auth:acr:1fa"
    static let twoFactors = "urn:wallet-auth:acr:2fa"
    /// The methods of factors that prove another category than the password.
    private static let provesSecondCategory: Set<String> = ["totp", "otp", AccountFactorList.Factor.passkeyMethod]

    /// What keeps an account open.
    static func words(_ payment: OpenPayment) -> String {
        let what = payment.amount?.words ?? (payment.kind == .transaction ? "a transaction" : "a payment")
        let payee = payment.payee.map { " to \($0)" } ?? ""
        return "\(what)\(payee), begun at \(payment.begunAt.date.formatted(.iso8601)) (id \(payment.id.rawValue))"
    }

    /// When the last of the open payments ends by itself.
    private static func ending(_ error: WalletError) -> String {
        guard let last = error.openPayments.map(\.expiresAt.date).max() else { return "" }
        return ", or wait until \(last.formatted(.iso8601)), when the last of them ends"
    }
}
