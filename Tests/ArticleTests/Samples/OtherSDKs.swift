import CloverCompat
import Foundation
import NextAuthCompat
import PaydiantCompat
import PaysafeCompat
import WalletAuth

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// The lines that an app adds when it comes from another SDK.

func configurePaysafe(issuer: URL, api: URL) throws {
    try PaysafeCompat.Wallet.instance.configure(
        WalletAuth.Wallet.Configuration(
            environment: .production(issuer: issuer), clientID: "com.example.wallet",
            signIn: .partial(codeResponse: nil), resources: .only([api])))
}

func configureClover(issuer: URL) {
    CloverPaymentSDK.shared.configure(issuer: issuer)
}

func configureClover(issuer: URL, merchant: String) {
    CloverPaymentSDK.shared.configure(issuer: issuer) { $0.merchantID = "m-1024" }
}

func callWithClover(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    let (data, response) = try await CloverPaymentSDK.shared.wallet.perform(request)
    return (data, response)
}

func configureNextAuth(issuer: URL) throws {
    try NextAuth.default.configure(
        WalletAuth.Wallet.Configuration(
            environment: .production(issuer: issuer), clientID: "com.example.wallet",
            signIn: .partial(codeResponse: nil)))
}

func configurePaydiant(issuer: URL) throws {
    try PDAthenticationCoordinator.configure(
        WalletAuth.Wallet.Configuration(
            environment: .production(issuer: issuer), clientID: "com.example.wallet",
            signIn: .partial(codeResponse: nil)))
}
