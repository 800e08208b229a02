internal import Crypto
internal import WalletAuthWire

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A fictitious person with an Apple account. The same name is the same person.
package struct StandInPerson: Sendable, Hashable, Codable {
    /// 1 to 32 lowercase letters, digits and periods.
    package let name: String
    /// Whether the person hides their address behind Apple's relay.
    package let hidesEmail: Bool

    /// - Parameter name: 1 to 32 letters, digits and periods, converted to lowercase. The result is `nil` for any other name.
    package init?(name: String, hidesEmail: Bool) {
        let name = name.lowercased()
        guard (1...32).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2E })
        else { return nil }
        self.name = name
        self.hidesEmail = hidesEmail
    }

    /// The person's identifier for a team, different for each team.
    func subject(for team: String) -> String {
        let digest = Self.digest("subject", [team, name])
        return "000042." + hex(digest.prefix(16)) + "." + String(1000 + Int(digest[16]) * 35)
    }

    var email: String {
        guard hidesEmail else { return name + "@example.com" }
        return hex(Self.digest("relay", [name]).prefix(5)) + "@privaterelay.appleid.com"
    }

    private static func digest(_ label: String, _ parts: [String]) -> [UInt8] {
        Array(SHA256.hash(data: Array(([label] + parts).joined(separator: "\0").utf8)))
    }

    private func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
