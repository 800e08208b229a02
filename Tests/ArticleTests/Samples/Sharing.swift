import Foundation
import WalletAuth

#if canImport(Security)
    func sharedPorts() throws -> Wallet.Ports {
        guard
            let container = FileManager.default.containerURL(
                forSecurityApplicationGroupIdentifier: "group.com.example.wallet")
        else { throw CocoaError(.fileNoSuchFile) }  // the entitlement is missing
        return .apple(
            service: "com.example.wallet", accessGroup: "ABCDE12345.com.example.wallet.shared",
            lockDirectory: container.appending(path: "WalletAuth"))
    }
#endif
