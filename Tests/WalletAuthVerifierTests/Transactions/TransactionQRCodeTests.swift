import Testing
import WalletAuthWire

@testable import WalletAuthVerifier

@Suite("The QR code of a transaction, for a page")
struct TransactionQRCodeTests {
    private let server: TransactionsServer
    private let transactions: WalletTransactions

    init() throws {
        server = try TransactionsServer()
        transactions = try server.client()
    }

    private func qrCode(_ format: WalletTransactions.QRCodeFormat, answer: [UInt8]) async throws -> [UInt8] {
        let name = format == .svg ? "qr.svg" : "qr.png"
        server.server.on("GET", "\(TransactionsServer.path)/\(name)") { request in
            let accepted = request.headers.first { $0.name == "Accept" }?.value
            return OutboundResponse(status: accepted == format.mediaType ? 200 : 406, body: answer)
        }
        return try await transactions.qrCode(of: TransactionID(TransactionsServer.id), format: format)
    }

    private func isRefused(_ format: WalletTransactions.QRCodeFormat, _ answer: [UInt8]) async throws -> Bool {
        try await transactionError { _ = try await qrCode(format, answer: answer) }?.cause == .malformedAnswer
    }

    /// As the server draws it.
    private static let svg =
        ##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" shape-rendering="crispEdges">"##
        + ##"<rect width="100%" height="100%" fill="#fff"/><path fill="#000" d="M4 4h1v1h-1zM6 4h12v1h-12z"/></svg>"##

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private static func chunk(_ type: String, _ data: [UInt8] = []) -> [UInt8] {
        // Only a decoder reads the checksum.
        [0, 0, 0, UInt8(data.count)] + Array(type.utf8) + data + [1, 2, 3, 4]
    }

    private static func header(_ width: [UInt8] = [0, 0, 1, 0x48], _ height: [UInt8] = [0, 0, 1, 0x48]) -> [UInt8] {
        chunk("IHDR", width + height + [1, 0, 0, 0, 0])
    }

    private static let png = signature + header() + chunk("IDAT", [7, 8, 9]) + chunk("IEND")

    @Test("It comes as a drawing or a picture, to the byte")
    func toTheByte() async throws {
        #expect(try await qrCode(.svg, answer: Array(Self.svg.utf8)) == Array(Self.svg.utf8))
        #expect(try await qrCode(.png, answer: Self.png) == Self.png)
    }

    @Test(
        "attack: an SVG that runs or loads something goes into no page",
        arguments: [
            #"<svg ><script>alert(1)</script></svg>"#, #"<svg onload="x"></svg>"#, "<svg \nonload=x></svg>",
            #"<svg ><image href="https://evil.example/"/></svg>"#, #"<svg ><path/ONLOAD="x"/></svg>"#,
            #"<svg ><!-- --></svg>"#, #"<svg ></svg><p></svg>"#, "<html></html>", "",
        ])
    func deceitfulDrawing(_ text: String) async throws {
        #expect(try await isRefused(.svg, Array(text.utf8)))
    }

    @Test(
        "attack: a single attribute, element or letter that the server does not draw makes an SVG worthless",
        arguments: [
            ("<svg ", "<svg ONLOAD=\"alert(1)\" "), ("<svg ", "<svg onLoad=\"alert(1)\" "),
            ("<rect ", "<rect style=\"fill:url(https://evil.example/)\" "),
            ("<path ", "<path HREF=\"//evil.example\" "),
            ("<path ", "<path xlink:href=\"//evil.example\" "), ("<path ", "<path class=\"button\" "),
            ("<path ", "<path-x "), ("<path ", "<PATH "), ("<rect ", "<svg:foo "), ("<rect ", "<rect\u{301} "),
            ("</svg>", "<svg:script>alert(1)</svg:script></svg>"), ("</svg>", "Pay to another account</svg>"),
            ("</svg>", "</svg><p>"), ("</svg>", "</svg>\n"), ("</svg>", "<svg></svg></svg>"),
            ("</svg>", "<![CDATA[x]]></svg>"), ("<svg ", "<?xml version=\"1.0\"?><svg "),
            ("\"#fff\"", "\"url(https://evil.example/)\""), ("\"#fff\"", "\"&#35;fff\""), ("\"#fff\"", "'#fff'"),
            ("\"#fff\"", "#fff"), ("crispEdges", "auto\" tabindex=\"0"), ("2000/svg", "1999/xhtml"),
            ("M4 4h1", "M4 4H1"), ("M4 4h1", "M4 4h١"), ("M4 4h1", "M4 4h1\u{301}"), ("M4 4h1", "M4 4\u{0}h1"),
            ("0 0 9 9", "0 0 9 9; x"), ("width=\"100%\"", "width=\"calc(100%)\""),
        ])
    func changedDrawing(old: String, new: String) async throws {
        let changed = Self.svg.replacing(old, with: new, maxReplacements: 1)
        #expect(changed != Self.svg)
        #expect(try await isRefused(.svg, Array(changed.utf8)))
    }

    @Test("attack: an SVG that is no UTF-8 or that ends early goes into no page")
    func brokenDrawing() async throws {
        let bytes = Array(Self.svg.utf8)
        for end in [0, 4, 40, bytes.count - 6, bytes.count - 1] {
            #expect(try await isRefused(.svg, Array(bytes.prefix(end))))
        }
        for place in stride(from: 0, to: bytes.count, by: 7) {
            var changed = bytes
            changed[place] |= 0x80
            #expect(try await isRefused(.svg, changed))
        }
    }

    @Test("A drawing of many thousand figures is taken, and refused for one letter behind them")
    func largeDrawing() async throws {
        let figures = String(repeating: "M104 104h1v1h-1z", count: 20_000)
        let large = Array(Self.svg.replacing("M4 4h1v1h-1z", with: figures).utf8)
        #expect(try await qrCode(.svg, answer: large) == large)
        #expect(try await isRefused(.svg, large.dropLast(7) + Array("!</svg>".utf8)))
    }

    @Test(
        "attack: a picture with other parts than a QR code's, of another shape, or with anything behind it is refused",
        arguments: [
            signature, signature + [1, 2, 3], signature + header(), signature + header() + chunk("IDAT"),
            signature + header() + chunk("IEND"), signature + chunk("IDAT") + header() + chunk("IEND"),
            signature + header() + chunk("tEXt", Array("<script>".utf8)) + chunk("IDAT") + chunk("IEND"),
            signature + header() + header() + chunk("IDAT") + chunk("IEND"),
            signature + header() + chunk("IDAT") + chunk("IEND", [1]),
            signature + header([0, 0, 0, 0], [0, 0, 0, 0]) + chunk("IDAT") + chunk("IEND"),
            signature + header([0, 1, 0, 0], [0, 1, 0, 0]) + chunk("IDAT") + chunk("IEND"),
            signature + header([0, 0, 1, 0], [0, 0, 0, 1]) + chunk("IDAT") + chunk("IEND"),
            signature + header() + [0xFF, 0xFF, 0xFF, 0xFF] + Array("IDAT".utf8) + chunk("IEND"),
            png + Array("<script>".utf8), Array(png.dropLast()), Array("<svg></svg>".utf8), [],
        ])
    func otherPicture(_ bytes: [UInt8]) async throws {
        #expect(try await isRefused(.png, bytes))
    }
}
