import Crypto
import Foundation
import Testing
import WalletAuthWire

@testable import WalletAuthPIN

@Suite("One exchange with the server", .serialized)
struct PINExchangeTests {
    private func exchange(_ pin: String, _ device: SimulatedDevice) throws -> PINExchange {
        try PINExchange(pin: PIN(pin), secret: device.secret, derivation: .quick)
    }

    /// Sets a PIN: the public half of its key, and what the device pins.
    private func set(
        _ pin: String, on device: SimulatedDevice, at server: SimulatedServer
    ) throws -> (publicKey: JWK, pinned: PinnedKey) {
        let exchange = try exchange(pin, device)
        let (key, pinned) = try exchange.key(server.answer(exchange.blinded))
        return (key.publicKey, pinned)
    }

    @Test("The same PIN gives the same key however often it is asked, and another PIN another key", arguments: 1...8)
    func roundTrip(run: Int) throws {
        let device = try SimulatedDevice(enrollment: "device-\(run)")
        let server = try SimulatedServer(epoch: Int64(run))
        let length = Int.random(in: PIN.lengths)
        let digits = (0..<length).map { _ in String(Int.random(in: 0...9)) }.joined()
        let (publicKey, pinned) = try set(digits, on: device, at: server)
        for _ in 0..<2 {
            let again = try exchange(digits, device)
            #expect(try again.key(server.presentAnswer(again.blinded), pinned: pinned).publicKey == publicKey)
        }
        let place = Int.random(in: 0..<length)
        var other = Array(digits)
        other[place] = other[place] == "9" ? "0" : "9"
        let wrong = try exchange(String(other), device)
        #expect(try wrong.key(server.presentAnswer(wrong.blinded), pinned: pinned).publicKey != publicKey)
        let longer = digits.count < 12 ? digits + "0" : String(digits.dropLast())
        let another = try exchange(longer, device)
        #expect(try another.key(server.presentAnswer(another.blinded), pinned: pinned).publicKey != publicKey)
    }

    @Test("What goes to the server differs each time, for the same PIN too")
    func blinding() throws {
        let device = try SimulatedDevice()
        let elements = try (0..<8).map { _ in try exchange("493817", device).blinded }
        #expect(Set(elements).count == 8)
    }

    @Test("Another device, another enrollment on the same device, another server key or another epoch: another key")
    func separation() throws {
        let share = DeviceShare()
        let device = try SimulatedDevice(enrollment: "one", share: share)
        let sameSecret = try DeviceSecret(
            enrollment: DeviceID("two"), agreement: device.agreementKey.sharedSecretFromKeyAgreement(with: share.peer),
            share: share)
        let server = try SimulatedServer(epoch: 1)
        let nextEpoch = try SimulatedServer(privateKey: server.privateKey, epoch: 2)
        let secondEnrollment = try PINExchange(pin: PIN("493817"), secret: sameSecret, derivation: .quick)
        let keys = [
            try set("493817", on: device, at: server).publicKey,
            try set("493817", on: SimulatedDevice(enrollment: "one"), at: server).publicKey,
            try set("493817", on: SimulatedDevice(enrollment: "one", share: share), at: server).publicKey,
            try secondEnrollment.key(server.answer(secondEnrollment.blinded)).key.publicKey,
            try set("493817", on: device, at: SimulatedServer(epoch: 1)).publicKey,
            try set("493817", on: device, at: nextEpoch).publicKey,
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test("A server that uses another key than the pinned one is refused, also where it proves that key")
    func otherServerKey() throws {
        let device = try SimulatedDevice()
        let server = try SimulatedServer(epoch: 1)
        let pinned = try set("493817", on: device, at: server).pinned
        let impostor = try SimulatedServer(epoch: 1)
        let exchange = try exchange("493817", device)
        let answer = try impostor.presentAnswer(exchange.blinded)
        #expect(throws: PINFailure.wrongServerKey) { try exchange.key(answer, pinned: pinned) }
    }

    @Test("An answer to an earlier exchange is of no use for this one")
    func replayedAnswer() throws {
        let device = try SimulatedDevice()
        let server = try SimulatedServer(epoch: 1)
        let pinned = try set("493817", on: device, at: server).pinned
        let earlier = try exchange("493817", device)
        let answer = try server.presentAnswer(earlier.blinded)
        let later = try exchange("493817", device)
        #expect(throws: PINFailure.wrongServerKey) { try later.key(answer, pinned: pinned) }
    }

    @Test("The wrong epoch and the wrong enrollment are refused before the PIN is used")
    func wrongPin() throws {
        let device = try SimulatedDevice()
        let server = try SimulatedServer(epoch: 1)
        let pinned = try set("493817", on: device, at: server).pinned
        let exchange = try exchange("493817", device)
        let next = try SimulatedServer(privateKey: server.privateKey, epoch: 2).presentAnswer(exchange.blinded)
        #expect(throws: PINFailure.wrongEpoch) { try exchange.key(next, pinned: pinned) }
        let foreign = try PinnedKey(
            enrollment: DeviceID("another"), epoch: pinned.epoch, publicKey: pinned.publicKey)
        let answer = try server.presentAnswer(exchange.blinded)
        #expect(throws: PINFailure.wrongEnrollment) { try exchange.key(answer, pinned: foreign) }
    }

    @Test("What is pinned is stored and read again")
    func pinnedCoding() throws {
        let pinned = try set("493817", on: SimulatedDevice(), at: SimulatedServer(epoch: 3)).pinned
        let again = try JSONDecoder().decode(PinnedKey.self, from: JSONEncoder().encode(pinned))
        #expect(again == pinned)
        let zero = #"{"enrollment":"a","epoch":0,"publicKey":"\#(pinned.publicKey)"}"#
        #expect(throws: (any Error).self) { try JSONDecoder().decode(PinnedKey.self, from: Data(zero.utf8)) }
    }
}
