import Core
import Crypto
import Testing
import Tokens
import WalletAuthWire

@Suite("Refresh tokens")
struct RefreshTokenTests {
    private let key = DataKey(id: KeyID(7), label: "refresh", key: SymmetricKey(data: [UInt8](repeating: 3, count: 32)))
    private let secret = [UInt8](repeating: 9, count: 16)
    private let account = [UInt8](repeating: 5, count: 16)

    private func session() throws -> SessionID { try SessionID("01890a5d-ac96-774b-bcce-b302099a8057") }

    private func token(generation: UInt32 = 1, client: String = "app", secret: [UInt8]? = nil) throws -> String {
        RefreshTokens.token(
            key: key, session: try session(), generation: generation, client: try ClientID(client), account: account,
            rowSecret: secret ?? self.secret)
    }

    @Test("The token of a generation is the same bytes whenever it is made")
    func stable() throws {
        #expect(try token() == token())
        #expect(try token().hasPrefix("wrt_"))
    }

    @Test("A token comes apart into what it was made of, and is genuine for that alone")
    func genuine() throws {
        let presented = try #require(PresentedRefreshToken(try token(generation: 41)))
        #expect(presented.keyID == KeyID(7))
        #expect(presented.session == (try session()))
        #expect(presented.generation == 41)
        let app = try ClientID("app")
        let app2 = try ClientID("app2")
        let other = [UInt8](repeating: 8, count: 16)
        #expect(presented.isGenuine(under: key, client: app, account: account, rowSecret: secret))
        #expect(!presented.isGenuine(under: key, client: app2, account: account, rowSecret: secret))
        #expect(!presented.isGenuine(under: key, client: app, account: other, rowSecret: secret))
        #expect(!presented.isGenuine(under: key, client: app, account: account, rowSecret: other))
        let otherKey = DataKey(
            id: KeyID(7), label: "refresh", key: SymmetricKey(data: [UInt8](repeating: 4, count: 32)))
        #expect(!presented.isGenuine(under: otherKey, client: app, account: account, rowSecret: secret))
    }

    @Test("A forged token fails at whichever bit was turned")
    func everyBit() throws {
        let text = try token()
        let body = try #require(Base64URL.decode(String(text.dropFirst(4))))
        let app = try ClientID("app")
        for index in body.indices {
            for bit in 0..<8 {
                var forged = body
                forged[index] ^= 1 << bit
                guard let presented = PresentedRefreshToken("wrt_" + Base64URL.encode(forged)) else { continue }
                // The session's id is looked up, so another id finds another row; here the row stays and the MAC fails.
                let isGenuine =
                    presented.session == (try session())
                    && presented.isGenuine(under: key, client: app, account: account, rowSecret: secret)
                #expect(!isGenuine)
            }
        }
    }

    @Test(
        "Garbage is no refresh token",
        arguments: [
            "", "wrt_", "wrt_AAAA", "wac_" + String(repeating: "A", count: 75), String(repeating: "w", count: 79),
        ])
    func garbage(text: String) {
        #expect(PresentedRefreshToken(text) == nil)
    }

    @Test("A token spelled with other trailing bits is refused: one token has one spelling")
    func canonical() throws {
        let text = try token()
        let last = try #require(text.last)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let index = try #require(alphabet.firstIndex(of: last))
        let respelled = String(text.dropLast()) + String(alphabet[index ^ 1])
        #expect(PresentedRefreshToken(respelled) == nil)
    }
}
