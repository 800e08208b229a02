import Crypto
import Foundation
import WalletAuthWire

/// A validated configuration. All faults are reported together.
struct CheckedConfiguration: Sendable {
    let issuer: Issuer
    let clientID: ClientID
    /// Separates this wallet's items from those of other wallets in the same store.
    let namespace: String

    init(_ configuration: Wallet.Configuration) throws {
        var faults: [String] = []
        func check<T>(_ make: () throws -> T) -> T? {
            do { return try make() } catch {
                faults.append("\(error)")
                return nil
            }
        }
        let url = configuration.environment.issuer
        // The app configured an issuer; "iss" is only its name on the wire. A password in it is not shown.
        let named = url.user() == nil && url.password() == nil ? "the issuer \"\(url.absoluteString)\"" : "the issuer"
        let issuer: Issuer?
        do { issuer = try Issuer(url.absoluteString) } catch {
            issuer = nil
            faults.append("\(named) \(error.reason)")
        }
        let clientID = check { try ClientID(configuration.clientID) }
        _ = check { try Scope(tokens: configuration.scopes) }
        // A value that is not an issuer at all is already reported.
        if issuer != nil, !configuration.environment.allows(url) {
            faults.append("\(named) is not https: http needs .sandbox(issuer:) and a loopback address")
        }
        if case .full(let redirectURI) = configuration.signIn {
            _ = check { try RedirectURI(redirectURI.absoluteString) }
        }
        if let returnURL = configuration.consentReturnURL {
            do { _ = try RedirectURI(returnURL.absoluteString) } catch {
                faults.append("consentReturnURL \(error.reason)")
            }
        }
        // Such a URL would match nothing, and only the first call to the API would show it.
        if case .only(let origins) = configuration.resources {
            for url in origins where url.scheme == nil || url.host()?.isEmpty != false {
                faults.append("resources list \"\(url.relativeString)\", which lacks a scheme or a host")
            }
        }
        if let prompt = configuration.prompt, prompt.contains(.none), prompt.count > 1 {
            faults.append("the prompt combines none with another value")
        }
        if let fault = configuration.biometricPolicy?.fault { faults.append(fault) }
        if let merchant = configuration.merchantID { _ = check { try MerchantID(merchant) } }
        guard let issuer, let clientID, faults.isEmpty else {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: .configure, reason: faults.joined(separator: "; "))
        }
        self.issuer = issuer
        self.clientID = clientID
        let identity = [issuer.rawValue, clientID.rawValue, configuration.storeName].joined(separator: "\n")
        namespace = "wallet-auth." + Base64URL.encode(Array(SHA256.hash(data: Data(identity.utf8)).prefix(12)))
    }
}
