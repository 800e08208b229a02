// Types of ``Wallet`` that Paysafe's documentation also names without it.

/// ``Wallet/AuthenticationConfiguration``.
public typealias AuthenticationConfiguration = Wallet.AuthenticationConfiguration
/// ``Wallet/AuthenticationService``.
public typealias AuthenticationService = Wallet.AuthenticationService
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

extension Wallet {
    /// The errors of all calls.
    public typealias WalletError = PaysafeCompat.WalletError
}
