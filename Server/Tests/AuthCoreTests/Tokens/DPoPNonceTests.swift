import Core
import Crypto
import Kernel
import Testing

@Suite("DPoP nonces")
struct DPoPNonceTests {
    private let key = DataKey(id: KeyID(1), label: "nonce", key: SymmetricKey(data: [UInt8](repeating: 5, count: 32)))
    private let now = Timestamp(seconds: 1_800_000_000)

    @Test("A nonce is good when given out, good in the next span, and over after its life")
    func life() {
        let nonce = DPoPNonces.nonce(at: now, key: key)
        #expect(DPoPNonces.isGood(nonce, at: now, keys: [key]))
        #expect(DPoPNonces.isGood(nonce, at: now + DPoPNonces.span, keys: [key]))
        #expect(!DPoPNonces.isGood(nonce, at: now + DPoPNonces.life, keys: [key]))
    }

    @Test(
        "attack: a nonce of a process whose clock is ahead is good for longer than used proofs are remembered",
        .threat("Replayed proofs and assertions"))
    func ahead() {
        let nonce = DPoPNonces.nonce(at: now + DPoPNonces.span, key: key)
        #expect(DPoPNonces.isGood(nonce, at: now, keys: [key]))
        #expect(!DPoPNonces.isGood(nonce, at: now + DPoPNonces.life, keys: [key]))
    }

    @Test("A nonce of another key, or made up, is none")
    func forged() {
        let other = DataKey(id: KeyID(1), label: "nonce", key: SymmetricKey(data: [UInt8](repeating: 6, count: 32)))
        #expect(!DPoPNonces.isGood(DPoPNonces.nonce(at: now, key: other), at: now, keys: [key]))
        #expect(!DPoPNonces.isGood("", at: now, keys: [key]))
    }

    @Test("A nonce survives its key's rotation")
    func rotated() {
        let newer = DataKey(id: KeyID(2), label: "nonce", key: SymmetricKey(data: [UInt8](repeating: 6, count: 32)))
        #expect(DPoPNonces.isGood(DPoPNonces.nonce(at: now, key: key), at: now, keys: [newer, key]))
    }
}
