import Testing
import WalletAuthWire

@testable import Kernel

@Suite("Hashing passwords")
struct PasswordHasherTests {
    @Test("Where there is no account the same work is done at the same cost, and nothing fits")
    func noAccount() async throws {
        let cost = PasswordHashing(memoryKiB: 64, passes: 1)
        let hasher = PasswordHasher(cost, random: SystemRandomBytes())
        let slot = try #require(hasher.slot(for: .administrator))
        let isKnown = try await hasher.verify(Password("correct horse"), against: nil, in: slot)
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

    @Test("The reference library's own text is read, and made, to the letter (argon2 -id, m=64, t=2, p=1)")
    func referenceVector() throws {
        let salt = Array("somesaltsomesalt".utf8)
        let cost = PasswordHashing(memoryKiB: 64, passes: 2)
        let made = try Argon2.hash(Array("password".utf8), salt: salt, cost: cost)
        #expect(
            made == "$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Gpj7qOY5RCXJvcMzqcdQqvgR3wcPX7SleI4c9NtXk6E")
        #expect(try Argon2.verify(made, Array("password".utf8)))
        #expect(try !Argon2.verify(made, Array("Password".utf8)))
    }

    @Test("Hashes of different cost at once each get memory of their own size")
    func severalCostsAtOnce() async throws {
        let salt = SystemRandomBytes().bytes(16)
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<32 {
                group.addTask {
                    let cost = PasswordHashing(memoryKiB: number % 2 == 0 ? 64 : 256, passes: 1)
                    let password = Array("password\(number)".utf8)
                    return try Argon2.verify(Argon2.hash(password, salt: salt, cost: cost), password)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == [Bool](repeating: true, count: 32))
    }

    @Test(
        "attack: a text that is no hash of ours is not compared",
        arguments: [
            "", "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ", "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$aGFzaA",
            "$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHQ$aGFzaA", "$argon2id$v=19$m=064,t=1,p=1$c29tZXNhbHQ$aGFzaA",
            "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ=$aGFzaA", "$argon2id$v=19$t=1,m=64,p=1$c29tZXNhbHQ$aGFzaA",
            "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$", "$argon2id$v=19$m=4294967296,t=1,p=1$c29tZXNhbHQ$aGFzaA",
        ])
    func malformed(text: String) {
        #expect(PasswordHashText(text) == nil)
        #expect(throws: Argon2.Failure.self) { try Argon2.verify(text, Array("password".utf8)) }
    }
}
