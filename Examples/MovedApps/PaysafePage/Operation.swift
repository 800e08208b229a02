import Foundation
import PaysafeCompat

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension PaysafeScreens {
    /// A wallet operation and, with `scaDetails`, its repetition. The page has no code for them.
    public func perform(_ operation: URLRequest, scaDetails: SCAAuthenticationEventRequest? = nil) {
        let handle = handle
        Wallet.instance.perform(operation, scaDetails: scaDetails) { result in
            switch result {
            case .success(let response): handle(.done(response))
            case .failure(let error): handle(.failed(error))
            }
        }
    }
}
