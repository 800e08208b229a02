import Foundation
import HTTPTypes
import Hummingbird
import WalletAuthWire

/// The shop's HTML. External text is escaped here and nowhere else.
enum ShopPages {
    /// The goods, each with a button. The hidden one is what Enter in the account's field would press: nothing is bought by it.
    static func shelf(_ goods: [Good]) -> String {
        let items = goods.map { good in
            """
            <li><span class="name">\(escaped(good.name))</span>\
            <button name="good" value="\(escaped(good.id))">Buy for \(escaped(good.price.shown))</button></li>
            """
        }
        return page(
            "Café Zürich", path: "shop/",
            """
            <h1>Café Zürich</h1>
            <p class="lead">Pick something, scan the code with your wallet, and sign. No card, no account, no typing.</p>
            <form method="post" action="shop/purchases">
            <button disabled hidden></button>
            <ul class="shelf">
            \(items.joined(separator: "\n"))
            </ul>
            <details><summary>Send it to one wallet only</summary>
            <label for="account">Account ID</label>
            <p class="hint" id="account-hint">Then only this account can sign. Leave it empty for any wallet.</p>
            <input id="account" name="account" autocomplete="off" spellcheck="false" aria-describedby="account-hint">
            </details>
            </form>
            """)
    }

    /// The page of a purchase, which becomes its receipt once it is signed. It says nothing about the person who
    /// signed: the buyer may be another person.
    ///
    /// - Parameters:
    ///   - purchase: the purchase.
    ///   - progress: its progress.
    ///   - drawing: the code to scan, as checked by the library.
    static func purchase(_ purchase: Purchase, _ progress: PurchaseProgress, drawing: String?) -> String {
        let content = purchase.request.content
        var body = """
            <h1>\(escaped(progress.heading))</h1>
            <p class="lead">\(escaped(progress.advice))</p>
            """
        if progress == .waiting, let drawing, case .open(_, let link) = purchase.state {
            body += """
                <div class="code" role="img" aria-label="QR code for your wallet app">\(drawing)</div>
                <a class="button" href="\(escaped(link.reveal()))" rel="noreferrer">Open in my wallet</a>
                """
        }
        body += """
            <dl>
            <dt>Amount</dt><dd class="amount">\(escaped(content.amount?.shown ?? ""))</dd>
            <dt>Payee</dt><dd>\(escaped(content.payee?.name ?? ""))</dd>
            \(content.lines.map { "<dt>\(escaped($0.label))</dt><dd>\(escaped($0.value))</dd>" }.joined(separator: "\n"))
            <dt>Order number</dt><dd>\(escaped(purchase.number))</dd>
            \(time(of: purchase))
            </dl>
            """
        // What is not signed expires by itself.
        body += "<a class=\"quiet\" href=\"../../shop\">Back to the shop</a>"
        // Without JavaScript the page reloads itself.
        let refresh = progress.isOver ? "" : "<noscript><meta http-equiv=\"refresh\" content=\"5\"></noscript>"
        return page(
            progress.heading, path: "../", head: refresh,
            attributes: progress.isOver
                ? "" : " aria-live=\"polite\" data-state=\"\(progress.name)\" data-state-url=\"\(purchase.id)/state\"",
            body)
    }

    /// The time a purchase was paid; empty for any other purchase.
    private static func time(of purchase: Purchase) -> String {
        guard case .paid(_, _, let time) = purchase.state else { return "" }
        let text = time.formatted(.iso8601)
        let shown = "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
        return "<dt>Time</dt><dd><time datetime=\"\(text)\">\(shown)</time></dd>"
    }

    /// An error page with advice.
    static func fault(_ heading: String, _ advice: String, path: String) -> String {
        page(
            heading, path: path,
            """
            <h1>\(escaped(heading))</h1>
            <p class="lead">\(escaped(advice))</p>
            <a class="quiet" href="\(path)../shop">Back to the shop</a>
            """)
    }

    /// Wraps content in the page's frame.
    ///
    /// - Parameter path: the relative path from the page to the folder of the stylesheet and the script.
    private static func page(
        _ title: String, path: String, head: String = "", attributes: String = "", _ body: String
    ) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>\(escaped(title))</title>
        <link rel="stylesheet" href="\(path)shop.css">
        <script src="\(path)shop.js" defer></script>
        \(head)
        </head>
        <body>
        <main\(attributes)>
        \(body)
        </main>
        </body>
        </html>
        """
    }

    /// Escapes Unicode scalars and not characters: a quotation mark with a combining accent still ends an attribute.
    static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
            case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
            case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
            case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
            case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}

extension Money {
    /// An amount such as "12.50 EUR", on one line.
    var shown: String {
        let digits = currency.minorUnitDigits
        guard digits > 0 else { return "\(minorUnits)\u{a0}\(currency)" }
        let text = String(repeating: "0", count: max(0, digits + 1 - value.count)) + value
        return "\(text.dropLast(digits)).\(text.suffix(digits))\u{a0}\(currency)"
    }
}

extension Response {
    /// A response with a page of the shop. It may load only the shop's own two files, and must not be cached.
    static func page(_ status: HTTPResponse.Status, _ html: String) -> Response {
        var response = Response(status, type: "text/html; charset=utf-8", Array(html.utf8))
        response.headers[.contentSecurityPolicy] = ShopPages.policy
        response.headers[.xContentTypeOptions] = "nosniff"
        // A purchase's address is its secret. `no-referrer` would remove the origin from the shop's own form as well.
        if let name = HTTPField.Name("Referrer-Policy") { response.headers[name] = "same-origin" }
        return response
    }
}

extension ShopPages {
    static let policy =
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'"
}
