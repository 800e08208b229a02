import Foundation
public import WalletAuth

@_exported public import enum WalletAuth.SCA
@_exported public import enum WalletAuthWire.SCAMethod

// A type of Paysafe's that means the same as one of `WalletAuth` is an alias of it.

extension Wallet {
    /// The parameters of a hosted sign-in page.
    public typealias AuthenticationDetailsRequest = WalletAuth.Wallet.AuthenticationDetailsRequest
    /// Where the sign-in begins: `authenticationURL`.
    public typealias AuthenticationDetailsResponse = WalletAuth.Wallet.AuthenticationDetails
    /// What the sign-in page asks for first: `.pin` or `.password`.
    public typealias LoginStrategy = AuthenticationDetailsRequest.LoginStrategy
    /// The verified event with which a call is repeated: `eventID` and `walletOperationID`.
    public typealias SCAAuthenticationEventRequest = SCA.Details
    /// A request for a challenge, or for its code again.
    public typealias SCAAuthenticationEventChallengeEmbeddedHybridRequest = SCA.ChallengeRequest
    /// Where a hosted page returns to, for the channel `.redirect`.
    public typealias SCAAuthenticationEventChallengeAction = SCA.Action
    /// An answer to a challenge.
    public typealias SCAAuthenticationEventAttemptEmbeddedHybridRequest = SCA.AttemptRequest
    /// A method and its channel.
    public typealias SCAAuthenticationEventAttemptVerification = SCA.Verification
    /// A method of verification. `.pushNotification` is approved in the app on another device of the person.
    public typealias SCAAuthenticationEventAttemptVerificationMethod = SCA.Method
    /// The channel of a verification.
    public typealias SCAAuthenticationEventAttemptVerificationChannel = SCA.Channel
    /// The reason for the status of an answer.
    public typealias SCAAuthenticationEventAttemptStatusReason = SCA.StatusReason
    /// A way in which this person can verify an event.
    public typealias SCAAvailableVerification = SCA.AvailableVerification
    /// The errors of all calls.
    public typealias WalletError = PaysafeCompat.WalletError
}

extension SCA.Method {
    /// A passkey on a hosted page.
    public static let passkeys = Self.passkey
}

extension SCA.AvailableVerification {
    /// The method.
    public var method: SCA.Method { verification.method }
    /// The channel.
    public var channel: SCA.Channel { verification.channel }
    /// The masked address or number; nil if nothing is sent.
    public var target: String? { destination }
}

extension SCA.Action {
    /// Creates an action.
    /// - Parameter returnURL: one of the return URLs that are registered for the client.
    /// - Returns: nil if it is not a URL.
    public init?(returnURL: String) {
        guard let url = URL(string: returnURL) else { return nil }
        self.init(returnURL: url)
    }
}

// Types of ``Wallet`` that Paysafe's documentation also names without it.

/// ``Wallet/AuthenticationConfiguration``.
public typealias AuthenticationConfiguration = Wallet.AuthenticationConfiguration
/// ``Wallet/AuthenticationService``.
public typealias AuthenticationService = Wallet.AuthenticationService
/// ``Wallet/CustomerDataVerificationAttribute``.
public typealias CustomerDataVerificationAttribute = Wallet.CustomerDataVerificationAttribute
/// ``Wallet/CustomerDataVerificationFlow``.
public typealias CustomerDataVerificationFlow = Wallet.CustomerDataVerificationFlow
/// ``Wallet/CustomerDataVerificationRequest``.
public typealias CustomerDataVerificationRequest = Wallet.CustomerDataVerificationRequest
/// ``Wallet/LoginStrategy``.
public typealias LoginStrategy = Wallet.LoginStrategy
/// ``Wallet/PasswordTokenRequest``.
public typealias PasswordTokenRequest = Wallet.PasswordTokenRequest
/// ``Wallet/PinTokenRequest``.
public typealias PinTokenRequest = Wallet.PinTokenRequest
/// ``Wallet/SCAAuthenticationEventRequest``.
public typealias SCAAuthenticationEventRequest = Wallet.SCAAuthenticationEventRequest
/// ``Wallet/SCAAuthenticationEventResponse``.
public typealias SCAAuthenticationEventResponse = Wallet.SCAAuthenticationEventResponse
/// ``Wallet/StandaloneAuthenticationService``.
public typealias StandaloneAuthenticationService = Wallet.StandaloneAuthenticationService
/// ``Wallet/WalletSetupService``.
public typealias WalletSetupService = Wallet.WalletSetupService
