import Core
import Testing
import WalletAuthWire

@testable import Kernel

@Suite("Hashes of other systems", .threat("Password guessing"))
struct ImportedPasswordHashTests {
    private static func base64(_ hex: String) -> String {
        PasswordHashText.text(
            stride(from: 0, to: hex.count, by: 2).compactMap { offset in
                UInt8(hex.dropFirst(offset).prefix(2), radix: 16)
            })
    }

    /// 32 bytes.
    private static let zeros = String(repeating: "A", count: 43)

    /// Published vectors, and hashes that Python's crypt, hashlib and Django made.
    private static let vectors: [(String, String)] = [
        // Openwall's crypt_blowfish.
        ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK", "U*U*"),
        ("$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a", "U*U*U"),
        ("$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        // RFC 6070.
        ("$pbkdf2-sha1$i=1$c2FsdA$" + base64("0c60c80f961f0e71f3a9b524af6012062fe037a6"), "password"),
        ("$pbkdf2-sha1$i=4096$c2FsdA$" + base64("4b007901b765489abead49d926f721d065a429c1"), "password"),
        // RFC 7914 §11 and §12.
        (
            "$pbkdf2-sha256$i=1$c2FsdA$"
                + base64(
                    "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                        + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"), "passwd"
        ),
        (
            "$scrypt$ln=10,r=8,p=16$TmFDbA$"
                + base64(
                    "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                        + "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"), "password"
        ),
        // The reference library of Argon2.
        ("$argon2i$m=65536,t=2,p=1$c29tZXNhbHQ$9sTbSlTio3Biev89thdrlKKiCaYsjjYVJxGAL3swxpQ", "password"),
        ("$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA", "password"),
        ("$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Gpj7qOY5RCXJvcMzqcdQqvgR3wcPX7SleI4c9NtXk6E", "password"),
        // The example of Firebase's own scrypt.
        (
            "$firescrypt$ln=14,r=8,p=1$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==$Bw==$jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
            "user1password"
        ),
        // crypt(3), Python's hashlib and Django: PBKDF2 as Keycloak, passlib and Django write it, and SSHA as directories do.
        ("$2b$04$abcdefghijklmnopqrstuuqREtd3VJD2QVZbuFskFSLk6eRIrQoOS", "correct horse battery"),
        (
            "$pbkdf2-sha512$i=30000$c2FsdHNhbHRzYWx0c2FsdA$"
                + "qRTXiqsKIUbTMwR+AT6gazin/yQYadZKnf7i6wqlF5AcYsVRkON5PDrpyEoi7xeNL/2MAbxeWvsJjKMYueZDnA",
            "correct horse battery"
        ),
        (
            "$pbkdf2-sha256$i=27500,l=64$c2FsdHNhbHRzYWx0c2FsdA==$"
                + "yyMEdUYvycN8sW4MeGH4KSeWo1JXFhGHqFaiGoqx7kehX0AC7VQPWIiSCa/+lnU53qqL7oQlA4QJNK10IX42kg==",
            "correct horse battery"
        ),
        (
            "$pbkdf2-sha256$29000$c2FsdHNhbHRzYWx0c2FsdA$25NYaVsNObsfZXar49ZUDxNQwL5N2eVgqNw6/t0tZ1k",
            "correct horse battery"
        ),
        ("pbkdf2_sha256$20000$seasalt$Hf4ZrtGt48FiWgNsPSgzUYDFLNDSEu8sWYBvn/Pv76U=", "correct horse battery"),
        ("{SSHA}5a86PxwNjHaeJXhCcwKKqWPMtpJzYWx0c2FsdHNhbHRzYWx0", "correct horse battery"),
        ("{SSHA256}3PG8p3jIjn154AtUt5ni2rLLsDblRZtbPtNFyEUmyfBzYWx0c2FsdHNhbHRzYWx0", "correct horse battery"),
        (
            "{SSHA512}9dwj684fsHUPrVtJW/cINZIsZNwiaJ4+VGD6SrPlXMG0dKmhIUrFrPDysZbBU9Ww73nyM+xv2gge1uqnw3Uw4XNhbHRzYWx0c2FsdHNhbHQ=",
            "correct horse battery"
        ),
    ]

    @Test("Published and foreign hashes match their password and no other, also as they are stored", arguments: vectors)
    func vector(text: String, password: String) throws {
        let hash = try ImportedPasswordHash(text)
        #expect(try hash.verify(Array(password.utf8)))
        #expect(try !hash.verify(Array((password + "x").utf8)))
        let stored = try ImportedPasswordHash(stored: hash.text)
        #expect(stored == hash)
    }

    @Test("A bcrypt hash is of the first 72 bytes, and of no password with a zero byte in it")
    func bcrypt() throws {
        let hash = try ImportedPasswordHash("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW")
        #expect(try !hash.verify(Array("U*U\0".utf8)))
        #expect(try !hash.verify(Array("U*U\0more".utf8)))
        // Openwall's crypt_blowfish: 72 bytes and more.
        let long = try ImportedPasswordHash("$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui")
        let password = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        #expect(try long.verify(Array(password.utf8)))
        #expect(try long.verify(Array((password + "chars after 72 are ignored").utf8)))
        #expect(try long.verify(Array((password + String(repeating: "x", count: 900)).utf8)))
        #expect(try !long.verify(Array(password.utf8.dropLast())))
        let hasher = PasswordHasher(PasswordHashing(memoryKiB: 8, passes: 1), random: SystemRandomBytes())
        #expect(try hasher.isReplaceable(long.text, by: Password(password)))
        #expect(try !hasher.isReplaceable(long.text, by: Password(password + "x")), "a typing error would be kept")
    }

    @Test(
        "attack: a hash that would cost too much time or memory, or is none, is refused without being computed",
        arguments: [
            "$2b$15$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$2b$03$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "$2b$05$CCCC",
            "$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOe!",
            "$2x$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            "$pbkdf2-sha256$i=3000001$c2FsdA$\(zeros)",
            "$pbkdf2-sha256$i=0$c2FsdA$\(zeros)",
            "$pbkdf2-sha256$i=99999999999999999999$c2FsdA$\(zeros)",
            "$pbkdf2-sha256$i=-1$c2FsdA$\(zeros)",
            "$pbkdf2-sha256$i=1$$\(zeros)", "pbkdf2_sha256$1$$\(zeros)", "$scrypt$ln=10,r=8,p=1$$\(zeros)",
            "$firescrypt$ln=10,r=8,p=1$$\(zeros)$Bw$\(zeros)",
            "$pbkdf2-sha384$i=1$c2FsdA$\(zeros)", "$pbkdf2-sha256$i=1$c2FsdA$AAAA",
            "$scrypt$ln=18,r=8,p=1$c2FsdA$\(zeros)",
            "$scrypt$ln=62,r=1024,p=1024$c2FsdA$\(zeros)",
            "$scrypt$ln=15,r=8,p=1024$c2FsdA$\(zeros)",
            "$scrypt$ln=1000,r=8,p=1$c2FsdA$\(zeros)",
            "$scrypt$ln=0,r=8,p=1$c2FsdA$\(zeros)",
            "$scrypt$ln=16,r=1,p=1$c2FsdA$\(zeros)", "$scrypt$ln=12,r=32,p=1$c2FsdA$\(zeros)",
            "$scrypt$ln=10,r=17,p=1$c2FsdA$\(zeros)", "$scrypt$ln=1,r=1024,p=2$c2FsdA$\(zeros)",
            "$firescrypt$ln=16,r=1,p=1$c2FsdA$\(zeros)$Bw$\(zeros)",
            "$scrypt$ln=14,ln=14,r=8,p=1$c2FsdA$\(zeros)",
            "$argon2id$v=19$m=131073,t=1,p=1$c29tZXNhbHQ$\(zeros)",
            "$argon2id$v=19$m=65536,t=9,p=1$c29tZXNhbHQ$\(zeros)",
            "$argon2id$v=19$m=65536,t=1,p=9$c29tZXNhbHQ$\(zeros)",
            "$argon2id$v=19$m=7,t=1,p=1$c29tZXNhbHQ$\(zeros)",
            "$argon2id$v=19$m=999999999,t=999999999,p=999999999$c29tZXNhbHQ$\(zeros)",
            "$argon2d$v=19$m=64,t=1,p=1$c29tZXNhbHQ$\(zeros)",
            "{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "{SSHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "{MD5}X03MO1qnZdYdgyfeuILPmQ==",
            "{SSHA", "5f4dcc3b5aa765d61d8327deb882cf99", "", "$", "$$$$", "$2b$", "md5$salt$hash$x",
        ])
    func refused(text: String) {
        #expect(throws: MalformedValue.self) { try ImportedPasswordHash(text) }
    }

    @Test(
        "attack: every cost of scrypt that is accepted can be computed, so that no line makes a sign-in fail",
        arguments: [
            "ln=1,r=1,p=1", "ln=15,r=1,p=1", "ln=12,r=16,p=1", "ln=10,r=17,p=2", "ln=10,r=1024,p=2",
            "ln=1,r=1024,p=1024", "ln=17,r=8,p=1", "ln=19,r=2,p=2",
        ])
    func corner(cost: String) throws {
        let hash = try ImportedPasswordHash("$scrypt$\(cost)$c2FsdA$\(Self.zeros)")
        #expect(try !hash.verify(Array("password".utf8)))
    }

    @Test("attack: a small cost of scrypt is either refused by its line or computed")
    func smallCosts() throws {
        var computed = 0
        for logarithm in 1...4 {
            for blockSize in [1, 2, 4, 8, 15, 16, 17, 31, 32, 33, 64, 1024] {
                for lanes in 1...3 {
                    let cost = try ScryptCost(n: logarithm, blockSize: blockSize, lanes: lanes)
                    guard cost.excess == nil else { continue }
                    #expect(try cost.key([1], salt: [2], length: 16).count == 16, "\(cost)")
                    computed += 1
                }
            }
        }
        #expect(computed > 80)
    }

    @Test("The memory of scrypt includes that of its lanes, so that a large hash waits for its turn")
    func scryptMemory() throws {
        let hash = try ImportedPasswordHash("$scrypt$ln=1,r=1024,p=1024$c2FsdA$\(Self.zeros)")
        #expect(hash.memoryKiB == 128 * (2 + 1024 + 1))
        #expect(try ImportedPasswordHash("$scrypt$ln=14,r=8,p=1$c2FsdA$\(Self.zeros)").memoryKiB == 16386)
    }

    @Test("attack: the memory of an imported hash is not kept while other hashes are computed")
    func memory() throws {
        // Another hash, which is being computed.
        var block: UnsafeMutablePointer<UInt8>?
        let status = PasswordHashMemory.take(4096, into: &block)
        #expect(status == 0)
        defer { PasswordHashMemory.give(block, 4096) }
        let salt = Array("somesaltsomesalt".utf8)
        _ = try Argon2.hash([1], salt: salt, cost: PasswordHashing(memoryKiB: 104, passes: 1))
        #expect(PasswordHashMemory.isIdle(104 << 10))
        #expect(try !ImportedPasswordHash("$argon2id$v=19$m=96,t=1,p=1$c29tZXNhbHQ$\(Self.zeros)").verify([1]))
        #expect(!PasswordHashMemory.isIdle(96 << 10))
    }

    @Test("attack: a hash that cannot be computed fails by itself, and not the sign-ins at other names")
    func incomputable() async throws {
        let waits = HeldWaits()
        let hasher = PasswordHasher(
            PasswordHashing(memoryKiB: 8, passes: 1), random: SystemRandomBytes(), sleep: { await waits.sleep($0) })
        let slot = try #require(hasher.slot(for: .untrusted(name: "eve", networks: [])))
        let wrong = try Password("wrong horse")
        // The form of ours is read at any cost; Argon2 takes at least 8 KiB.
        await #expect(throws: Argon2.Failure.self) {
            try await hasher.verify(wrong, against: "$argon2id$v=19$m=1,t=1,p=1$c29tZXNhbHQ$\(Self.zeros)", in: slot)
        }
        let other = try #require(hasher.slot(for: .untrusted(name: "bob", networks: [])))
        #expect(try await !hasher.verify(wrong, against: nil, in: other))
        #expect(await hasher.hideImportedHashes(nil, in: other))
        #expect(waits.asked == [], "no other name takes the time of its failure")
    }

    @Test("Each of many comparisons with imported hashes gets its turn, after a hash of ours")
    func many() async throws {
        let hasher = PasswordHasher(
            PasswordHashing(memoryKiB: 8, passes: 1, concurrency: 4), random: SystemRandomBytes())
        let text = "$argon2id$v=19$m=64,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$Gpj7qOY5RCXJvcMzqcdQqvgR3wcPX7SleI4c9NtXk6E"
        let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    let slot = try #require(hasher.slot(for: .administrator))
                    return try await hasher.verify(try Password("password"), against: text, in: slot)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes == [Bool](repeating: true, count: 16))
        #expect(hasher.hashesComputed == 32)
    }
}
