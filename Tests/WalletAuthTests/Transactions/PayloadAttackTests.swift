import Foundation
import Testing
import WalletAuthWire

@testable import WalletAuth

@Suite("Servers that cannot be trusted with what is shown")
struct PayloadAttackTests {
    @Test(
        "Bytes that say something the app cannot show as it is are refused, and nothing is confirmed",
        arguments: [
            ("another version", "\"ver\":1", "\"ver\":9"),
            ("a doubled member", "\"ver\":1", "\"ver\":1,\"ver\":1"),
            ("an unknown member", "\"ver\":1", "\"ver\":1,\"z\":1"),
            ("text that runs backwards", "Café", "\u{202E}Café"),
            ("a control character", "Café", "Ca\\u0007fé"),
            ("text that is drawn as nothing", "Café", "\u{2800}"),
            ("marks drawn over other lines", "Café", "Cafe\u{301}\u{301}\u{301}"),
            ("a currency that the app cannot tell the minor unit of", "\"EUR\"", "\"XYZ\""),
            ("a currency that ISO 4217 does not list any more", "\"EUR\"", "\"HRK\""),
            (
                "two labels that look the same", "{\"label\":\"Order\",\"value\":\"No. 42\"}",
                "{\"label\":\"Order no\",\"value\":\"No. 42\"},{\"label\":\"Order\u{A0}no\",\"value\":\"No. 43\"}"
            ),
            ("another account", "\"account\":\"", "\"account\":\"x"),
            ("another transaction", "000000000001\",\"lines", "000000000002\",\"lines"),
        ])
    func refused(attack: String, text: String, replacement: String) async throws {
        let till = try await Till()
        let code = try till.code { bytes in
            let whole = String(decoding: bytes, as: UTF8.self)
            #expect(whole.contains(text), "\(whole)")
            return Array(whole.replacing(text, with: replacement).utf8)
        }
        let story = await Person().follow(try till.wallet.flows.start(with: code))
        #expect(story.words == ["processing", "failed"], "\(attack)")
        #expect(story.error?.code == .payloadRefused)
        #expect(till.statuses == [.claimed])
    }

    @Test("What cannot be shown is left out of the list of open transactions")
    func openList() async throws {
        let till = try await Till()
        for currency in ["EUR", "XYZ"] {
            let code = try till.code {
                Array(String(decoding: $0, as: UTF8.self).replacing("\"EUR\"", with: "\"\(currency)\"").utf8)
            }
            _ = await Person(confirms: { $0.cancel() }).follow(try till.wallet.flows.start(with: code))
        }
        #expect(till.statuses == [.claimed, .claimed])
        let open = try await till.wallet.transactions.open()
        #expect(open.map { $0.details.amount?.currency } == [.euro])
    }
}
