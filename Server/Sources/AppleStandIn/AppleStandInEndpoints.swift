package import Core
internal import HTTPTypes
package import Kernel
package import Store
internal import WalletAuthWire
package import Web

/// The stand-in for Apple at `/sandbox/apple`. Only a sandbox has these routes.
///
/// The paths below `/auth` are Apple's own. The others simulate parts of Apple that have no URL: the sheet on a phone,
/// the developer console, and events at Apple that happen without this server.
package struct AppleStandInEndpoints: Sendable {
    private let standIn: AppleStandIn
    private let pages: Pages
    private let hosts: LocalHosts
    private let issuer: Issuer
    private let http: ProviderHTTP
    private let database: any Database
    private let signInPath: String

    package static let pages: [any PageValues.Type] = [AppleSignInValues.self, AppleConsoleValues.self]

    package static let root = "/sandbox/apple"

    /// - Parameter signInPath: the path of the sandbox's test sign-in.
    package init(
        pages: Pages, http: ProviderHTTP, database: any Database, signInPath: String, clock: any Clock,
        random: any RandomBytes
    ) {
        self.pages = pages
        self.http = http
        self.database = database
        self.signInPath = signInPath
        issuer = pages.issuer
        standIn = AppleStandIn(base: issuer.url(path: Self.root), clock: clock, random: random)
        hosts = LocalHosts(issuer: issuer)
    }

    package var routes: [Route] {
        [
            Route(.get, Self.root, .page, console),
            Route(.post, Self.root, body: .form, .page, act),
            Route(.get, Self.root + "/auth/authorize", .page, authorize),
            Route(.post, Self.root + "/auth/authorize", body: .form, .page, answer),
            Route(.post, Self.root + "/auth/token", body: .form, .oauth, token),
            Route(.post, Self.root + "/auth/revoke", body: .form, .oauth, revoke),
            Route(.get, Self.root + "/auth/keys", .oauth, keys),
            Route(.post, Self.root + "/native", body: .json, .problem, native),
            Route(
                .get, "\(Self.root)/AuthKey_\(DeveloperTeam.sandbox.keyID).p8", .plain, gives: Self.keyType,
                developerKey),
        ]
    }

    private static let keyType = "application/pkcs8"

    // MARK: - Apple's own endpoints

    /// The page where a person signs in at Apple: Apple's parameters, not its look.
    @Sendable func authorize(_ request: EndpointRequest) async throws -> EndpointResponse {
        try hosts.check(request, at: Self.root + "/auth/authorize")
        let parameters = try request.query()
        _ = try AppleSignInRequest(parameters)
        return pages.appleSignIn(parameters, request.language)
    }

    /// The person's choice on that page, returned to the app.
    @Sendable func answer(_ request: EndpointRequest) async throws -> EndpointResponse {
        try hosts.check(request, at: Self.root + "/auth/authorize")
        let form = try request.form()
        let wanted = try AppleSignInRequest(form)
        var parameters: [(name: String, value: String)] = []
        if form["action"] == "cancel" {
            parameters.append(("error", "user_cancelled_authorize"))
        } else {
            let person = try Self.person(in: form)
            let credential = try await standIn.credential(for: wanted.request, of: person)
            parameters.append(("code", credential.code))
            if wanted.mode == .formPost {
                parameters.append(("id_token", credential.idToken))
                // Unsigned, as at Apple: an app that trusts it trusts the browser.
                parameters.append(
                    ("user", #"{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"ceo@bank.example"}"#))
            }
        }
        if let state = wanted.state { parameters.append(("state", state)) }
        return pages.appleAnswer(
            to: wanted.redirectURI, parameters, mode: wanted.mode, request.language)
    }

    @Sendable func token(_ request: EndpointRequest) async throws -> EndpointResponse {
        Self.response(try await standIn.token(request.form()))
    }

    @Sendable func revoke(_ request: EndpointRequest) async throws -> EndpointResponse {
        Self.response(await standIn.revoke(try request.form()))
    }

    @Sendable func keys(_ request: EndpointRequest) async throws -> EndpointResponse {
        Self.response(try await standIn.keySet())
    }

    // MARK: - What has no URL at Apple

    /// The sheet on a phone. It simulates a person who agrees, and returns the app's credential.
    @Sendable func native(_ request: EndpointRequest) async throws -> EndpointResponse {
        try hosts.check(request, at: Self.root + "/native")
        let json = try request.json()
        try json.refuseMembers(otherThan: ["client_id", "nonce", "account", "hides_email"])
        guard let client = json["client_id"]?.string, !client.isEmpty else {
            throw MalformedValue(field: "client_id", reason: "is missing")
        }
        guard
            let person = StandInPerson(
                name: json["account"]?.string ?? "ada", hidesEmail: json["hides_email"] == .bool(true))
        else { throw Self.badName }
        let credential = try await standIn.credential(
            for: AppleStandIn.Request(clientID: client, redirectURI: nil, nonce: json["nonce"]?.string), of: person)
        return .json { json in
            json.member("code", credential.code)
            json.member("id_token", credential.idToken)
            json.member("user", credential.user)
        }
    }

    /// The private key of the sandbox's team, as the developer console offers it for download.
    @Sendable func developerKey(_ request: EndpointRequest) async throws -> EndpointResponse {
        .bytes(type: Self.keyType, Array(DeveloperTeam.sandbox.privateKeyPEM.utf8))
    }

    @Sendable func console(_ request: EndpointRequest) async throws -> EndpointResponse {
        try hosts.check(request, at: Self.root)
        let outcome = ConsoleOutcome(try request.query())
        return try await consolePage(
            outcome.map { PageNotice(text: $0.sentence(in: request.language), kind: .success) }, request)
    }

    private func consolePage(
        _ notice: PageNotice?, _ request: EndpointRequest, status: HTTPResponse.Status = .ok
    ) async throws -> EndpointResponse {
        let isRegistered = try await database.read {
            try !IdentityProviders.list(kind: "apple", limit: 1, on: $0).isEmpty
        }
        return pages.appleConsole(
            notice, isRegistered: isRegistered, signInPath: signInPath, request.language, status: status)
    }

    /// Rotates the keys, breaks the service, or changes a person's Apple account, which triggers Apple's notification. The answer is a
    /// redirect: a form that is sent again by loading its answer again would trigger it twice.
    @Sendable func act(_ request: EndpointRequest) async throws -> EndpointResponse {
        try hosts.check(request, at: Self.root)
        guard hosts.isOfThisSite(request) else {
            return pages.fault(
                .malformedRequest("The form was sent by another site."), status: .forbidden, code: "access_denied",
                request.context)
        }
        let form = try request.form()
        let outcome: ConsoleOutcome
        switch form["action"] {
        case "roll-keys":
            try await standIn.rollKeys()
            outcome = .keysRolled
        case "outage":
            await standIn.setFault(.down)
            outcome = .isDown
        case "recovery":
            await standIn.setFault(nil)
            outcome = .isUp
        case "state":
            let (person, client) = (try Self.person(in: form), try form.required("client_id"))
            outcome = .state(isListed: await standIn.lists(client, of: person))
        case let action?:
            if let refusal = AppleStandIn.Refusal(rawValue: action) {
                await standIn.setFault(.refusing(refusal))
                outcome = .refusing(refusal)
                break
            }
            guard let event = AppleStandIn.Event(rawValue: action) else {
                throw MalformedValue(field: "action", reason: "is unknown")
            }
            let (person, client) = (try Self.person(in: form), try form.required("client_id"))
            do {
                outcome = .notified(event, status: try await notify(event, of: person, client: client))
            } catch let failure as ProviderFailure {
                let words = request.language.appleStandIn[
                    .notNotified, ["event": event.rawValue, "reason": failure.reason]]
                return try await consolePage(PageNotice(text: words), request, status: .badGateway)
            }
        case nil: throw MalformedValue(field: "action", reason: "is missing")
        }
        return EndpointResponse(
            status: .seeOther,
            headers: [.location: issuer.pathPrefix + Self.root + "?" + outcome.query.encoded])
    }

    /// - Returns: the status of this server's answer.
    /// - Throws: `ProviderFailure` if there is none.
    private func notify(_ event: AppleStandIn.Event, of person: StandInPerson, client: String) async throws -> Int {
        let body = try await standIn.notification(event, of: person, client: client)
        return try await http.answer(
            to: ProviderHTTP.Request(
                method: "POST", url: issuer.url(path: "/v1/federation/apple/notifications"),
                headers: [("Content-Type", "application/json")], body: body,
                reach: .outside(to: issuer.host, in: .sandbox))
        ).status
    }

    // MARK: - Parts

    private static let badName = MalformedValue(
        field: "account", reason: "must be 1 to 32 letters, digits or dots")

    private static func person(in form: FormParameters) throws(MalformedValue) -> StandInPerson {
        guard
            let person = StandInPerson(
                name: try form.required("account"), hidesEmail: form["hides_email"] != nil)
        else { throw badName }
        return person
    }

    private static func response(_ answer: StandInAnswer) -> EndpointResponse {
        switch answer {
        case .json(let status, let json):
            .bytes(.init(code: status), type: "application/json", json.bytes)
        case .empty: EndpointResponse(status: .ok)
        }
    }
}

/// The parameters of Apple's `/auth/authorize`, checked against Apple's rules.
struct AppleSignInRequest: Sendable {
    enum Mode: Sendable {
        case query
        case formPost
    }

    let request: AppleStandIn.Request
    let redirectURI: String
    let state: String?
    let mode: Mode

    init(_ parameters: FormParameters) throws(MalformedValue) {
        redirectURI = try parameters.required("redirect_uri")
        guard (try? WebURL(redirectURI)) != nil else {
            throw MalformedValue(field: "redirect_uri", reason: "is not a web address")
        }
        let types = (try parameters.required("response_type")).split(separator: " ")
        guard types.contains("code") else { throw MalformedValue(field: "response_type", reason: "has no code") }
        switch parameters["response_mode"] {
        case "form_post": mode = .formPost
        case nil, "query": mode = .query
        default: throw MalformedValue(field: "response_mode", reason: "must be form_post or query")
        }
        let scope = parameters["scope"] ?? ""
        guard scope.isEmpty && types.count == 1 || mode == .formPost else {
            throw MalformedValue(field: "response_mode", reason: "must be form_post if a scope is requested")
        }
        state = parameters["state"]
        request = AppleStandIn.Request(
            clientID: try parameters.required("client_id"), redirectURI: redirectURI, nonce: parameters["nonce"])
    }
}
