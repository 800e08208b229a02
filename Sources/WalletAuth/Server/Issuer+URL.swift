import Foundation
import WalletAuthWire

extension Issuer {
    /// The URL of a path below the issuer.
    /// - Throws: ``WalletError`` `invalid_configuration` if the issuer is not a URL.
    func url(of path: String, during operation: WalletError.Operation) throws -> URL {
        guard let url = URL(string: self.url(path: path)) else {
            throw WalletError(
                .invalidConfiguration, .misconfigured, during: operation, reason: "the issuer is not a URL")
        }
        return url
    }
}
