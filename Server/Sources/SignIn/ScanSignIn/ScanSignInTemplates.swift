import Core
import QRCodes
import Web

/// The texts of signing in with the phone.
enum ScanSignInText: String, TextKey {
    static let section = "scanSignIn"

    case useLabel, heading, lead, hint, codeLabel, againLabel, numberHeading, numberLead, numberLabel
    case numberMismatch, expired, rejected
}

extension TextSource {
    var scanText: Texts<ScanSignInText> { texts() }
}

extension PageTemplate {
    /// The code, or the number once a phone has scanned it.
    static let scan = PageTemplate(
        "scan",
        """
        {{#scan}}
        <div id="scan" data-state="{{state}}" data-step="{{step}}">
        {{#symbol}}
        <svg class="symbol" viewBox="0 0 {{size}} {{size}}" role="img" aria-label="{{label}}" shape-rendering="crispEdges">\
        <path d="{{path}}"/></svg>
        {{/symbol}}
        {{#number}}
        <p class="scan-number" role="img" aria-label="{{label}}">{{digits}}</p>
        {{/number}}
        </div>
        {{#hint}}
        <p class="hint">{{hint}}</p>
        {{/hint}}
        {{/scan}}

        """)
}

/// The values of the piece `scan`, under that name.
struct ScanValues: Encodable {
    let state: String
    let step: String
    let symbol: Symbol?
    let number: Number?
    let hint: String?

    struct Symbol: Encodable {
        let size: String
        let path: String
        let label: String
    }

    struct Number: Encodable {
        let digits: String
        let label: String
    }

    /// - Parameter address: where the page's script asks for the state.
    init(_ scan: SignInPage.Scan, _ text: Texts<ScanSignInText>, address: String) {
        state = address
        step = scan.number == nil ? "code" : "number"
        symbol = scan.code.flatMap { QRCode($0) }.map {
            Symbol(size: String($0.extent.count), path: $0.svgPath, label: text[.codeLabel])
        }
        number = scan.number.map { number in
            let digits = String(number)
            return Number(digits: digits, label: text[.numberLabel, ["number": digits]])
        }
        hint = scan.number == nil ? text[.hint] : nil
    }
}
