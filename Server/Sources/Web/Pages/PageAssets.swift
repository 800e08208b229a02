internal import Crypto
internal import HTTPTypes

/// The files of the pages. Each URL contains a hash of the content, so browsers may cache it forever.
package struct PageAssets: Sendable {
    private let files: [String: File]
    /// Names, below `/assets/`.
    package let stylesheetName: String
    package let scriptName: String
    package let passkeyScriptName: String
    package let recoveryCodesScriptName: String
    package let copyScriptName: String
    package let transactionScriptName: String
    package let scanScriptName: String
    package let revealScriptName: String
    package let zoneScriptName: String
    package let iconName: String

    private struct File: Sendable {
        package let contentType: String
        package let body: [UInt8]
    }

    package init() {
        var files: [String: File] = [:]
        func add(_ text: String, _ stem: String, _ suffix: String, _ contentType: String) -> String {
            let name = Self.name(stem, suffix, of: text)
            files[name] = File(contentType: contentType, body: Array(text.utf8))
            return name
        }
        stylesheetName = add(Stylesheet.text, "pages", "css", "text/css; charset=utf-8")
        scriptName = add(Self.submitScript, "submit", "js", "text/javascript; charset=utf-8")
        passkeyScriptName = add(PasskeyScript.text, "passkey", "js", "text/javascript; charset=utf-8")
        recoveryCodesScriptName = add(
            RecoveryCodesScript.text, "recovery-codes", "js", "text/javascript; charset=utf-8")
        copyScriptName = add(CopyScript.text, "copy", "js", "text/javascript; charset=utf-8")
        transactionScriptName = add(TransactionScript.text, "transaction", "js", "text/javascript; charset=utf-8")
        scanScriptName = add(ScanScript.text, "scan", "js", "text/javascript; charset=utf-8")
        revealScriptName = add(Self.revealScript, "reveal", "js", "text/javascript; charset=utf-8")
        zoneScriptName = add(PageZone.script, "zone", "js", "text/javascript; charset=utf-8")
        iconName = add(Self.icon, "icon", "svg", "image/svg+xml")
        self.files = files
    }

    package static func stylesheetName(for color: BrandColor) -> String {
        name("brand-\(color.hex)", "css", of: color.stylesheet)
    }

    private static func name(_ stem: String, _ suffix: String, of text: String) -> String {
        let digest = SHA256.hash(data: Array(text.utf8)).prefix(8)
        return "\(stem)-\(digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()).\(suffix)"
    }

    /// A file; `nil` if there is none with this name.
    package func response(for name: String) -> EndpointResponse? {
        if let file = files[name] { return Self.response(file) }
        // The name of a brand's stylesheet contains its color, so there is no need to read the brand or store a file.
        guard name.hasPrefix("brand-"), let color = BrandColor(name.dropFirst(6).prefix(6)),
            name == Self.stylesheetName(for: color)
        else { return nil }
        return Self.response(
            File(contentType: "text/css; charset=utf-8", body: Array(color.stylesheet.utf8)))
    }

    private static func response(_ file: File) -> EndpointResponse {
        EndpointResponse(
            status: .ok,
            headers: [
                .contentType: file.contentType,
                .cacheControl: "public, max-age=31536000, immutable",
                .crossOriginResourcePolicy: "same-origin",
            ],
            body: file.body)
    }

    /// The script of the form_post page, which submits the form. Without it the person presses the button.
    private static let submitScript = "document.getElementById(\"answer\").submit();\n"

    /// The script that shows a password, and hides it before it is sent: browsers and password managers know it by its type.
    private static let revealScript = """
        "use strict";
        for (const button of document.querySelectorAll("button.reveal")) {
          const field = button.previousElementSibling;
          const show = (shown) => {
            field.type = shown ? "text" : "password";
            button.textContent = shown ? button.dataset.hide : button.dataset.show;
          };
          button.hidden = false;
          button.addEventListener("click", () => {
            show(field.type === "password");
            field.focus();
          });
          field.form.addEventListener("submit", () => show(false));
        }

        """

    private static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" \
        fill="#1f5eff"/><path d="M9 12h14a2 2 0 0 1 2 2v7a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2V11a2 2 0 0 1 2-2h11" \
        fill="none" stroke="#fff" stroke-width="2.2" stroke-linecap="round"/><circle cx="21" cy="17.5" r="1.8" \
        fill="#fff"/></svg>
        """
}
