import AuthCore
import Testing
import WalletAuthWire

@testable import AuthFlows

@Suite("Hashing passwords")
struct PasswordHasherTests {
    @Test("Where there is no account the same work is done at the same cost, and nothing fits")
    func noAccount() async throws {
        let cost = PasswordHashing(memoryKiB: 64, passes: 1)
        let hasher = PasswordHasher(cost, random: SystemRandomBytes())
        let place = try #require(hasher.place())
        let isKnown = try await hasher.verify(Password("correct horse"), against: nil, in: place)
        #expect(!isKnown)
        #expect(hasher.hashesComputed == 1)
    }

    @Test("The stand-in for a hash that is not there is read as one of the same cost")
    func standIn() throws {
        let cost = PasswordHashing(memoryKiB: 64, passes: 1)
        let random = SystemRandomBytes()
        let standIn = Argon2.unmatched(salt: random.bytes(16), hash: random.bytes(Argon2.hashLength), cost: cost)
        let real = try Argon2.hash(Array("correct horse".utf8), salt: random.bytes(16), cost: cost)
        #expect(Argon2.isCurrent(standIn, cost: cost))
        #expect(standIn.utf8.count == real.utf8.count)
        // Anything malformed would be refused without hashing, and so in no time.
        #expect(try !Argon2.verify(standIn, Array("correct horse".utf8)))
    }
}
