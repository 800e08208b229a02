import Foundation

/// What a person would do in a browser, for tests: open a page, fill in the form, press the button, follow redirects.
///
/// It keeps cookies as a browser does for one site and reads only what a browser without script would read: forms,
/// fields and the `Location` of a redirect.
actor HeadlessBrowser {
    /// The page was not what a person could have gone on with.
    struct Stuck: Error, CustomStringConvertible {
        let description: String
    }

    private let web: WebClient
    private var cookies: [String: String] = [:]

    init(ledger: SecretLedger) {
        web = WebClient(ledger: ledger)
    }

    /// Signs in on the page that an authorization URL leads to.
    ///
    /// - Parameters:
    ///   - fields: what the person types, by the name of the field; fields that the page lacks are a failure.
    ///   - redirectURI: where the journey ends. The browser does not open that address: an app has claimed it.
    /// - Returns: the URL that the app is given, with the code or the error in it.
    func signIn(at start: URL, typing fields: [String: String], until redirectURI: String) async throws -> URL {
        var arrival = try await open(start, until: redirectURI)
        // Two forms at most: the sign-in itself and, at some servers, a consent.
        for _ in 0..<2 {
            guard case .page(let url, let answer) = arrival else { break }
            arrival = try await submit(form(on: answer, at: url), typing: fields, until: redirectURI)
        }
        guard case .callback(let url) = arrival else {
            throw Stuck(description: "the sign-in led to no callback: \(arrival)")
        }
        return url
    }

    /// Where a request ended up.
    enum Arrival {
        case page(URL, WebAnswer)
        case callback(URL)

        /// The page that it ended up on.
        /// - Throws: ``Stuck`` where it went back to an app.
        var shown: Page {
            get throws {
                guard case .page(let url, let answer) = self else { throw Stuck(description: "no page: \(self)") }
                return (url, answer)
            }
        }
    }

    /// A page, and where it is.
    typealias Page = (url: URL, answer: WebAnswer)

    /// Opens an address and follows its redirects.
    func open(_ url: URL, until redirectURI: String) async throws -> Arrival {
        let answer = try await web.get(url, headers: browserHeaders())
        return try await follow(answer, from: url, until: redirectURI)
    }

    /// Sends what the script of a page would send.
    func send(_ method: String, _ url: URL, json: String) async throws -> WebAnswer {
        var headers = browserHeaders()
        headers["Content-Type"] = "application/json"
        let answer = try await web.send(method, url, headers: headers, body: Data(json.utf8))
        keepCookies(of: answer)
        return answer
    }

    /// The first form of a page, as the person would see it.
    func form(on answer: WebAnswer, at url: URL) throws -> HTMLForm {
        guard let form = HTMLForm(html: answer.text, at: url) else {
            throw Stuck(description: "no form on the page (\(answer.status)): \(answer.text.prefix(300))")
        }
        return form
    }

    /// Fills in a form and sends it.
    func submit(_ form: HTMLForm, typing typed: [String: String], until redirectURI: String) async throws -> Arrival {
        let fields = form.fields.map { ($0.name, typed[$0.name] ?? $0.value) }
        var headers = browserHeaders()
        headers["Origin"] = originText(of: form.action)
        let answer = try await web.post(form.action, fields: fields, headers: headers)
        return try await follow(answer, from: form.action, until: redirectURI)
    }

    /// Presses a button of a page that leads to another page, whichever form it is in: they carry the same hidden fields.
    func press(_ action: String, on page: Page, typing fields: [String: String] = [:]) async throws -> Page {
        let typed = fields.merging(["action": action]) { _, new in new }
        return try await submit(form(on: page.answer, at: page.url), typing: typed, until: "none:").shown
    }

    private func follow(_ first: WebAnswer, from start: URL, until redirectURI: String) async throws -> Arrival {
        var answer = first
        var url = start
        for _ in 0..<8 {
            keepCookies(of: answer)
            guard (300..<400).contains(answer.status), let location = answer.header("location") else {
                return .page(url, answer)
            }
            guard let next = URL(string: location, relativeTo: url)?.absoluteURL else {
                throw Stuck(description: "a redirect that is no URL: \(location)")
            }
            if next.absoluteString.hasPrefix(redirectURI) { return .callback(next) }
            url = next
            answer = try await web.get(url, headers: browserHeaders())
        }
        throw Stuck(description: "more than 8 redirects")
    }

    private func browserHeaders() -> [String: String] {
        var headers = ["Accept": "text/html", "User-Agent": "HeadlessBrowser/1"]
        if !cookies.isEmpty { headers["Cookie"] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
        return headers
    }

    /// Several Set-Cookie headers are joined by a comma, which also appears in `Expires`: only a name and `=` after it
    /// begins a new cookie.
    private func keepCookies(of answer: WebAnswer) {
        guard let header = answer.header("set-cookie") else { return }
        for cookie in header.split(separator: /,\s*(?=[A-Za-z0-9_.\-]+=)/) {
            let pair = cookie.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            let name = pair[0].trimmingCharacters(in: .whitespaces)
            if cookie.lowercased().contains("max-age=0") {
                cookies[name] = nil
            } else {
                cookies[name] = String(pair[1])
                web.ledger.enter(String(pair[1]))
            }
        }
    }
}

/// `scheme://host:port` of a URL, as a browser sends it with a form.
private func originText(of url: URL) -> String {
    var origin = "\(url.scheme ?? "http")://\(url.host() ?? "")"
    if let port = url.port { origin += ":\(port)" }
    return origin
}
