import Core
import Store
import Testing
import WalletAuthWire

@testable import Kernel

/// Who gets the places for password hashes, by number alone: nothing is hashed and no time passes.
@Suite("Places for password hashes", .threat("Password guessing"))
struct PasswordSlotsTests {
    private let capacity = 66

    private func account(_ number: UInt8) throws -> UniqueID {
        try #require(UniqueID(bytes: [UInt8](repeating: number, count: 16)))
    }

    private func networks(_ address: String) -> [CountedNetwork] { RequestOrigin(address: address).networks }

    /// Takes places until none is given any more.
    private func flood(
        _ places: inout PasswordSlots, by claimant: (Int) -> PasswordSlots.Claimant
    ) -> Int {
        (0..<1000).count { places.take(for: claimant($0)) }
    }

    @Test("attack: one name from two networks holds an eighth, and twelve of twelve others get a place")
    func oneName() {
        var places = PasswordSlots(capacity: capacity)
        let held = flood(&places) { .untrusted(name: "ada", networks: networks("198.51.100.\($0 % 2)")) }
        let others = (0..<12).count {
            places.take(for: .untrusted(name: "other\($0)", networks: networks("203.0.113.\($0)")))
        }
        #expect(held == 8)
        #expect(others == 12)
    }

    @Test("attack: one network at a thousand names holds a quarter")
    func oneNetwork() {
        var places = PasswordSlots(capacity: capacity)
        let held = flood(&places) { .untrusted(name: "name\($0)", networks: networks("198.51.100.1")) }
        let isThereRoom = places.take(for: .untrusted(name: "ada", networks: networks("203.0.113.1")))
        #expect(held == 16)
        #expect(isThereRoom)
    }

    @Test("attack: one customer's /48, from a thousand of its networks at a thousand names, holds three eighths")
    func oneSite() throws {
        var places = PasswordSlots(capacity: capacity)
        let held = flood(&places) {
            .untrusted(name: "name\($0)", networks: networks("2001:db8:1:\(String($0, radix: 16))::1"))
        }
        let isThereRoom = places.take(for: .untrusted(name: "ada", networks: networks("2001:db8:2::1")))
        let isThereRoomForKnown = places.take(for: .known(account: try account(1), networks: networks("2001:db8:1::1")))
        #expect(held == 24)
        #expect(isThereRoom)
        #expect(isThereRoomForKnown)
    }

    @Test("attack: untrusted devices from a thousand networks at a thousand names leave a quarter to known devices")
    func everywhere() throws {
        var places = PasswordSlots(capacity: capacity)
        let untrusted = flood(&places) {
            .untrusted(name: "name\($0)", networks: networks("10.0.\($0 / 250).\($0 % 250)"))
        }
        let accounts = try (0..<20).map { try account($0) }
        let known = accounts.count { places.take(for: .known(account: $0, networks: networks("203.0.113.1"))) }
        #expect(untrusted == 50)
        #expect(known == 16)
    }

    @Test("Untrusted devices in the same network, or at the same account, do not take a known device's place")
    func sameNetwork() throws {
        var places = PasswordSlots(capacity: capacity)
        _ = flood(&places) { .untrusted(name: "ada", networks: networks("198.51.100.\($0 % 9)")) }
        _ = flood(&places) { .untrusted(name: "name\($0)", networks: networks("198.51.100.1")) }
        let isThereRoom = places.take(for: .known(account: try account(1), networks: networks("198.51.100.1")))
        #expect(isThereRoom)
    }

    @Test("attack: an account's own known devices, however many there are, hold an eighth")
    func ownDevices() throws {
        var places = PasswordSlots(capacity: capacity)
        let own = try account(1)
        let held = flood(&places) { .known(account: own, networks: networks("198.51.100.\($0 % 2)")) }
        let isThereRoom = places.take(for: .known(account: try account(2), networks: networks("203.0.113.1")))
        #expect(held == 8)
        #expect(isThereRoom)
    }

    @Test("A place that is given back serves the same claimant again")
    func givingBack() {
        var places = PasswordSlots(capacity: capacity)
        let ada = PasswordSlots.Claimant.untrusted(name: "ada", networks: networks("198.51.100.1"))
        for _ in 0..<3 {
            let held = flood(&places) { _ in ada }
            #expect(held == 8)
            for _ in 0..<8 { places.give(from: ada) }
        }
    }

    @Test("However few places there are, each claimant can get one", arguments: 1...9)
    func few(capacity: Int) throws {
        for claimant: PasswordSlots.Claimant in [
            .untrusted(name: "ada", networks: networks("198.51.100.1")),
            .known(account: try account(1), networks: networks("198.51.100.1")), .administrator,
        ] {
            var places = PasswordSlots(capacity: capacity)
            let isThereRoom = places.take(for: claimant)
            #expect(isThereRoom)
        }
    }

    @Test("Every address of one IPv6 network has the same share, whatever the name's case was typed as")
    func claimants() throws {
        let brand = try BrandID("default")
        let claimants = try [("Ada", "2001:db8:1:2::9"), ("ada", "2001:db8:1:2:3:4:5:6")].map { name, address in
            PasswordSlots.Claimant.untrusted(
                at: try Username(name), brand: brand, from: RequestOrigin(address: address))
        }
        #expect(claimants[0] == claimants[1])
    }
}
