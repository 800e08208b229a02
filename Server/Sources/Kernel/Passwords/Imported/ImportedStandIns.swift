internal import Core

/// Hashes that no password has, of the algorithms and costs of the imported hashes that this process has compared.
struct ImportedStandIns: Sendable {
    private var found: [(profile: String, hash: ImportedPasswordHash)] = []

    /// A company moves in from one system or a few.
    private static let most = 8

    mutating func note(_ hash: ImportedPasswordHash, random: any RandomBytes) {
        let profile = hash.profile
        guard found.count < Self.most, !found.contains(where: { $0.profile == profile }) else { return }
        found.append((profile, hash.unmatched(random.bytes)))
    }

    /// The stand-in for a name, always the same one in this process; `nil` if nothing imported was compared yet, or the caller knows that
    /// there is an account.
    func standIn(for claimant: PasswordSlots.Claimant) -> ImportedPasswordHash? {
        guard case .untrusted(let name, _) = claimant, !found.isEmpty else { return nil }
        // Swift's hashes have a random key in each process, so no one else knows which it is.
        return found[Int(UInt(bitPattern: name.hashValue) % UInt(found.count))].hash
    }
}
