import Foundation
import WalletAuth
import WalletAuthWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The wallet's backend, called the way an app calls it.
///
/// This folder owns the backend's API and the consent dialogue. Consent is given through the SDK.
struct Backend {
    let wallet: Wallet
    let url: URL
    /// Of the wallet's transport.
    var requests = RequestWatch()

    /// - Throws: ``Failure`` if the backend refuses; `WalletError`.
    func get(_ path: String) async throws -> JSONObject {
        try read(await wallet.perform(URLRequest(url: url.appendingPathComponent(path))))
    }

    /// - Throws: ``Failure`` if the backend refuses; `WalletError`.
    func post(_ path: String, _ body: JSONObject) async throws -> JSONObject {
        try read(await wallet.perform(request(path, body)))
    }

    /// Deletes an item.
    /// - Parameters:
    ///   - path: the path of its collection.
    ///   - name: its name in the collection.
    ///   - query: distinguishes it from others of the same name.
    /// - Throws: ``Failure`` if the backend refuses; `WalletError`.
    func delete(_ path: String, _ name: String, query: [URLQueryItem] = []) async throws {
        let unreserved = CharacterSet(charactersIn: "-._~").union(
            .alphanumerics.intersection(.init(charactersIn: "\0"..."~")))
        var components = URLComponents(url: url.appendingPathComponent(path), resolvingAgainstBaseURL: false)
        // A name may contain a slash.
        components?.percentEncodedPath += "/" + (name.addingPercentEncoding(withAllowedCharacters: unreserved) ?? "")
        if !query.isEmpty { components?.queryItems = query }
        guard let target = components?.url else {
            throw Failure(
                code: "invalid_configuration", message: "\(url) cannot be called", advice: "use another --backend")
        }
        var request = URLRequest(url: target)
        request.httpMethod = "DELETE"
        let (data, response) = try await wallet.perform(request)
        _ = try read((data, response))
        // Many servers answer everything with 200.
        guard response.statusCode == 204 else {
            throw Failure(
                code: "malformed_answer", message: "the response from \(url) does not confirm the change",
                advice: Failure.isItTheBackend)
        }
    }

    func request(_ path: String, _ body: JSONObject, key: String? = nil) -> URLRequest {
        var request = URLRequest(url: url.appendingPathComponent(path))
        request.httpMethod = "POST"
        request.httpBody = Data(body.bytes)
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        if let key { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
        return request
    }

    /// The content of an answer.
    /// - Throws: ``Failure`` for a refusal.
    func read(_ answer: (data: Data, response: HTTPURLResponse)) throws -> JSONObject {
        let object = try? JSONValue.object(parsing: Array(answer.data))
        guard answer.response.statusCode < 400 else {
            throw Failure(
                backend: url, session: wallet.identity, status: answer.response.statusCode,
                problem: object.map { Problem($0) },
                challenges: answer.response.value(forHTTPHeaderField: "WWW-Authenticate") ?? "",
                retryAfter: answer.response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) })
        }
        if answer.response.statusCode == 204 { return JSONObject() }
        guard let object else {
            throw Failure(
                code: "malformed_answer", message: "the response from \(url) is not JSON",
                advice: Failure.isItTheBackend)
        }
        return object
    }
}

extension Failure {
    fileprivate static let isItTheBackend = "is it the wallet's backend?"

    /// An answer that lacks what a backend's answer has.
    init(malformed fault: MalformedValue, from backend: URL) {
        self.init(
            code: "malformed_answer", message: "the response from \(backend) is malformed: \(fault)",
            advice: Self.isItTheBackend)
    }

    /// A refusal by the backend, with advice.
    /// - Parameters:
    ///   - session: the session whose token was sent. The next one should have its scopes as well.
    ///   - retryAfter: the seconds to wait, if the answer says so.
    init(
        backend: URL, session: Wallet.SignedInIdentity?, status: Int, problem: Problem?, challenges: String,
        retryAfter: Int? = nil
    ) {
        let text =
            problem?.code == Self.tooManyOpenTransfers
            ? Self.textOfTooMany(retryAfter) : Self.text(status, problem, challenges, backend, session)
        self.init(
            code: problem.flatMap { $0.code.isEmpty ? nil : $0.code } ?? "http_\(status)", message: text.message,
            advice: text.advice)
        statusCode = status
        traceID = problem?.traceID
    }

    private static func text(
        _ status: Int, _ problem: Problem?, _ challenges: String, _ backend: URL, _ session: Wallet.SignedInIdentity?
    ) -> Text {
        if let text = textOfPayment(problem?.code ?? "") { return text }
        if problem?.code == "payee_exists" {
            return Text(
                "another of your payees has a name that looks the same",
                problem?.detail.map(sentence) ?? "choose another name, or see: wallet payees")
        }
        // By RFC 9470 and RFC 6750, the challenge names what the token lacks.
        if challenges.contains("insufficient_user_authentication") {
            return Text(
                "this needs a sign-in with two factors",
                "sign in again with: wallet sign-in --again --two-factors --username NAME, then repeat this; "
                    + Failure.ofOneFactor)
        }
        if challenges.contains("insufficient_scope") {
            let scopes = session?.scopes ?? []
            let wanted = scopes + ["openid", "accounts", "payments"].filter { !scopes.contains($0) }
            return Text(
                "your sign-in does not allow this here",
                "sign in again with: wallet sign-in --username NAME --scope \"\(wanted.joined(separator: " "))\" (with "
                    + "this device's PIN, --pin instead of --username NAME; in the browser, --again)")
        }
        if status == 401 {
            return Text(
                "\(backend) does not accept your token",
                adviceOnRefusedToken(isBound: session?.tokenType == .dpop, by: backend))
        }
        if status == 503 || status == 429 {
            return Text(title(problem, status), "nothing is lost; try again later")
        }
        let detail = problem?.detail.map(sentence)
        return Text(title(problem, status), detail ?? (status < 500 ? isItTheBackend : "try again later"))
    }

    /// A bound token comes from a walletauth server. It may be older than the client's resources, or they lack the
    /// backend.
    static func adviceOnRefusedToken(isBound: Bool, by backend: URL) -> String {
        isBound
            ? "sign in again with: wallet sign-in --again; if that does not help, have the client registered with "
                + "--resource \(backend)"
            : "check --backend, or sign in again; if that does not help, ask its operator whose tokens it accepts"
    }

    /// The code for more transfers than a person may leave unapproved. The backend has kept nothing of the one that it refused.
    static let tooManyOpenTransfers = "too_many_open_transfers"

    private static func textOfTooMany(_ retryAfter: Int?) -> Text {
        let time = retryAfter.map { $0 > 90 ? "in \(($0 + 59) / 60) minutes" : "in \($0) seconds" } ?? "later"
        return Text(
            "refused: too many transfers are waiting for your approval; nothing was paid",
            "approve or reject those that you began (wallet approvals list), or try again \(time)")
    }

    private static func textOfPayment(_ code: String) -> Text? {
        switch code {
        case "operation_changed":
            Text(
                "refused: the payment is not the one you approved; nothing was paid",
                "check the amount and the payee, then start a new transfer")
        case "sca_already_used":
            Text(
                "refused: this approval has already been used for its one payment",
                "check wallet balance; to pay again, start a new transfer")
        case "sca_not_verified":
            Text("refused: you have not approved it; nothing was paid", "start a new transfer")
        case "operation_locked":
            Text("refused: too many wrong attempts; nothing was paid", "start a new transfer")
        case "operation_expired":
            Text("refused: the approval has expired; nothing was paid", "start a new transfer")
        case "operation_cancelled":
            Text("refused: you refused this payment, or it was withdrawn; nothing was paid", Failure.ofRefused.advice)
        case "exemption_over":
            Text("refused: it now needs your approval; nothing was paid", "start a new transfer")
        case "series_ended":
            Text(
                "refused: you ended the series that it belongs to; nothing was paid",
                "start a new transfer and approve it")
        case "trusted_payees_full":
            Text(
                "refused: you have reached the limit of trusted payees; nothing was changed",
                "remove one of them, then start again")
        case "trusted_payee_not_found":
            Text(
                "refused: this payee is not on your list of trusted payees; nothing was changed",
                "check the account: payments to it already need your approval")
        case "insufficient_funds":
            Text("your balance is too low; nothing was paid", "see: wallet balance")
        case "currency_not_held":
            Text(
                "your wallet has another currency; nothing was paid",
                "use the currency that wallet balance shows, with --currency")
        case "payee_not_found":
            Text("you have no payee with this name", "see wallet payees, or add one: wallet payees add NAME ACCOUNT")
        case "own_account": Text("this is your own wallet's account", "use another one")
        case "idempotency_mismatch":
            Text(
                "this --idempotency-key belongs to a transfer with other details; this one was not paid",
                "repeat it with the same --to, --to-account, --amount and --reference; see wallet status")
        case "transfer_interrupted":
            // The first request may still be in transit, and no one can cancel it: a new one would pay twice.
            Text(
                "the transfer was started before you last signed in, and may still be paid",
                "check wallet balance before you start a new transfer")
        default: nil
        }
    }

    private static func title(_ problem: Problem?, _ status: Int) -> String {
        let title = problem?.title ?? ""
        return title.isEmpty ? "the backend returned \(status)" : "refused: \(sentence(title))"
    }

    /// A sentence for the middle of a line: no capital letter, no full stop.
    private static func sentence(_ text: String) -> String {
        let body = text.hasSuffix(".") ? String(text.dropLast()) : text
        return body.prefix(1).lowercased() + body.dropFirst()
    }
}
