import Foundation
import WalletAuth

/// The wallet of the app and of its widget. Both configure it alike, with one keychain group and one folder of locks: so they have
/// one session, and renew it one at a time.
enum SharedWallet {
    static func make() throws -> Wallet {
        let clientID = try setting("WalletClientID")
        guard let callback = URL(string: "\(clientID):/callback") else {
            throw MissingSetting("WalletClientID in the form of a URL scheme")
        }
        return try Wallet(
            configuration: .init(
                environment: .sandbox(issuer: try Servers.issuer), clientID: clientID,
                signIn: .full(redirectURI: callback),
                scopes: ["openid", "profile", "offline_access", "accounts", "payments"], ports: try ports()))
    }

    private static func ports() throws -> Wallet.Ports {
        let group = try setting("WalletAppGroup")
        guard let container = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group) else {
            throw MissingSetting("the entitlement of the app group \(group)")
        }
        return .apple(
            service: "wallet-app", accessGroup: try setting("WalletKeychainGroup"),
            lockDirectory: container.appending(path: "WalletAuth"))
    }
}

/// The sandbox and the example backend, where `walletauth serve` and `wallet-backend serve` start them. A simulator has the Mac's
/// loopback; a phone does not.
enum Servers {
    static var issuer: URL { get throws { try address("WalletIssuer") } }
    static var backend: URL { get throws { try address("WalletBackend") } }

    private static func address(_ name: String) throws -> URL {
        guard let url = URL(string: try setting(name)) else { throw MissingSetting("\(name) in the form of a URL") }
        return url
    }
}

/// Something that the project's settings should have: see Settings.
struct MissingSetting: Error, CustomStringConvertible {
    let description: String

    init(_ what: String) { description = "Info.plist or the entitlements lack \(what)" }
}

private func setting(_ name: String) throws -> String {
    guard let value = Bundle.main.object(forInfoDictionaryKey: name) as? String, !value.isEmpty else {
        throw MissingSetting(name)
    }
    return value
}
