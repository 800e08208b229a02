internal import HTTPTypes
internal import Kernel
internal import WalletAuthWire
internal import Web

/// `/admin/v1/{noun}/{verb}`: the third way to a command, besides the command line and the administration socket (decision 174).
///
/// This folder owns the way of a command through HTTP: its members, its answer, its pages. Who may is in `Operators`.
struct AdminEndpoints: Sendable {
    let calls: AdminCalls
    let faults: FaultAnswers

    var administration: Administration { calls.administration }

    /// The path of a command.
    static func path(of command: any AdminCommand.Type) -> String {
        prefix + command.title.split(separator: " ").joined(separator: "/")
    }

    static let prefix = ServerSettings.adminPath + "/v1/"

    /// - Parameter members: the command's.
    func answer(
        _ form: CommandForm, _ request: EndpointRequest, _ caller: OperatorCaller, _ members: () throws -> JSONObject
    ) async throws -> EndpointResponse {
        if let shortcoming = caller.shortcoming { return answer(to: shortcoming, request.context) }
        // First the role: a caller without one learns nothing about the request.
        guard let grant = try await OperatorCall.grant(of: caller, in: administration) else {
            return answer(to: OperatorCall.noRole, request.context)
        }
        let isPost = request.head.method == .post
        let key = try isPost ? request.idempotencyKey() : nil
        let outcome = try await calls.answer(
            to: form, members, by: caller, under: grant, mayChange: isPost,
            once: key.map { .key($0, of: caller.identity) })
        switch outcome {
        case .done(let document): return .bytes(type: "application/json", document.bytes)
        case .refused(let refusal): return answer(to: refusal, request.context)
        case .heldBack(let wait): return heldBack(wait, request.context)
        }
    }

    private static func members(of query: FormParameters) -> JSONObject {
        var object = JSONObject()
        for parameter in query.parameters { object[parameter.name] = .string(parameter.value) }
        return object
    }
}

// MARK: - Answers

extension AdminEndpoints {
    private func heldBack(_ wait: AdminCalls.HeldBack, _ context: RequestFacts) -> EndpointResponse {
        faults.tooManyAttempts(wait.reason, retryAfter: wait.seconds, context)
    }

    private func answer(to refusal: AdministrationRefusal, _ context: RequestFacts) -> EndpointResponse {
        if refusal.code == OperatorApproval.pending {
            let document = JSONObject(strings: ["status": refusal.code, "detail": refusal.line])
            return .bytes(.accepted, type: "application/json", document.bytes)
        }
        let status = Self.status(of: refusal.code)
        guard status == .serviceUnavailable else {
            // Where to look for what is not there, as the hint says it, is a command line.
            let detail = status == .notFound ? refusal.message : refusal.line
            return faults.problem(status, code: refusal.code, detail: detail, context)
        }
        return faults.problem(status, code: refusal.code, detail: refusal.line, retryAfter: 1, context)
    }

    private func answer(to shortcoming: OperatorCaller.Shortcoming, _ context: RequestFacts) -> EndpointResponse {
        switch shortcoming {
        case .cooling(let seconds):
            return faults.problem(
                .forbidden, code: "recovery_cooling",
                detail: "The password was recovered recently. Wait before you try again.", retryAfter: seconds, context)
        case .strongerSignIn:
            let seconds = OperatorCaller.freshness.components.seconds
            var response = faults.problem(
                .unauthorized, code: AuthenticationRequirements.error,
                detail: "Sign in again with two factors; the sign-in may be at most \(seconds) seconds old.", context)
            response.demand(
                AuthenticationRequirements(acrValues: [AuthenticationStrength.twoFactors], maximumAge: seconds),
                "A fresh sign-in with two factors is needed.")
            return response
        }
    }

    /// What is in the way of a command is 409, unless its code is listed here.
    static func status(of code: String) -> HTTPResponse.Status {
        switch code {
        case "malformed", "contradiction", "nothing_to_change", "missing_redirect_uri", "too_many", "bad_request",
            "overlap", "limit":
            .badRequest
        case "forbidden_role": .forbidden
        case "not_found": .notFound
        case "busy", "temporarily_unavailable", "outcome_unknown", "unavailable", "full", "no_connections", "closed":
            .serviceUnavailable
        case "server_error", "damaged", "disk_failed", "statement", "constraint", "unexpected_row", "file_lost":
            .internalServerError
        default: code.hasPrefix("password_") ? .badRequest : .conflict
        }
    }
}

// MARK: - Routes

extension AdminEndpoints {
    /// The commands that are offered, in the order of the help.
    var commands: [any AdminCommand.Type] {
        administration.allCommands.filter { $0.access.isOffered && $0.isListed }
    }

    /// One `GET` or `POST` for each command, or both if its options decide whether it changes something.
    var routes: [Route] {
        get throws {
            let offered: [Route] = try commands.flatMap { command in
                let form = try CommandForm.of(command)
                let methods: [HTTPRequest.Method] =
                    (command.access.readers == nil ? [] : [.get]) + (command.access.changers == nil ? [] : [.post])
                return methods.map { route($0, command, form) }
            }
            return try offered + [globalRevocation]
        }
    }

    private func route(
        _ method: HTTPRequest.Method, _ command: any AdminCommand.Type, _ form: CommandForm
    ) -> Route {
        let title = command.title
        let body = WireShape.object(WireObject(members: form.described, isOpen: false))
        let isPost = method == .post
        let samples =
            ["malformed", "forbidden_role", "not_found", "no_change", "temporarily_unavailable"]
            + (isPost ? [CallMark.keyUsed] : [])
        return Route(
            method, Self.path(of: command), body: isPost ? .json : .none, .problem, by: .administrator
        ) { request, caller in
            try await answer(form, request, caller) {
                try isPost ? request.json() : Self.members(of: request.query())
            }
        }.stating(
            .administration, Self.operationID(of: command, isPost: isPost && command.access.readers != nil),
            Self.summary(of: command)
        ) {
            Contract(
                "The answer of `walletauth \(title) --json`", takes: isPost ? body : nil,
                query: isPost ? [] : form.described, repeats: isPost ? .refused : .none, gives: .anything,
                refuses: refusals(samples))
        }
    }

    /// The answers in place of a command's own.
    func refusals(_ samples: [String]) -> [EndpointResponse] {
        samples.map { answer(to: AdministrationRefusal("", code: $0), RequestFacts()) }
            + [.strongerSignIn, .cooling(retryAfter: 1)].map { answer(to: $0, RequestFacts()) }
            + [heldBack(AdminCalls.tooManyCalls(1), RequestFacts())]
    }

    /// `adminAccountSetEmail`; with `Change` at its end if there is a `GET` as well.
    private static func operationID(of command: any AdminCommand.Type, isPost: Bool) -> String {
        let words = command.title.split { $0 == " " || $0 == "-" }.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return "admin" + words.joined() + (isPost ? "Change" : "")
    }

    /// The first part of the help's sentence, without its full stop.
    private static func summary(of command: any AdminCommand.Type) -> String {
        let sentence = command.abstract.hasSuffix(".") ? String(command.abstract.dropLast()) : command.abstract
        guard sentence.count > 80 else { return sentence }
        let part = sentence.prefix(80)
        return String(part[..<(part.lastIndex { ":;,".contains($0) } ?? part.endIndex)])
    }
}
