import Crypto
import Foundation
import WalletAuthWire

/// A configuration whose values were found right; what is wrong is told all at once.
struct CheckedConfiguration: Sendable {
    let issuer: Issuer
    let clientID: ClientID
    /// Separates what this wallet keeps from what any other one of the same store does.
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
        let issuer = check { try Issuer(url.absoluteString) }
        let clientID = check { try ClientID(configuration.clientID) }
        _ = check { try Scope(tokens: configuration.scopes) }
        // What is no issuer at all is told already.
        if issuer != nil, !configuration.environment.allows(url) {
            faults.append("the issuer is not https, nor http on a loopback address in the sandbox")
        }
        if case .full(let redirectURI) = configuration.signIn {
            _ = check { try RedirectURI(redirectURI.absoluteString) }
        }
        if let prompt = configuration.prompt, prompt.contains(.none), prompt.count > 1 {
            faults.append("the prompt combines none with another value")
        }
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
