import Core
import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// The files the pages load, and the sandbox's outbox.
struct PageEndpoints: Sendable {
    let pages: Pages
    /// `nil` in production.
    let messages: MessageReader?
    let hosts: LocalHosts

    /// `GET /assets/{name}`.
    @Sendable func asset(_ request: EndpointRequest) async throws -> EndpointResponse {
        guard let name = request.pathText(), let response = pages.assets.response(for: name) else {
            throw RequestFault.unknownPath
        }
        return response
    }

    static let pages: [any PageValues.Type] = [OutboxValues.self]

    var assets: [Route] { [Route(.get, "/assets/{name}", .plain, asset)] }

    var routes: [Route] { assets + [Route(.get, Self.outboxPath, .page, outbox)] }

    static let outboxPath = "/sandbox/outbox"

    /// `GET /sandbox/outbox`: a page, or JSON for clients that ask for it. In production the path does not exist,
    /// whatever the configuration.
    @Sendable func outbox(_ request: EndpointRequest) async throws -> EndpointResponse {
        guard let messages else { throw RequestFault.unknownPath }
        try hosts.check(request, at: Self.outboxPath)
        let recent = try await messages.recent(limit: 100)
        var response = request.headers.asksForJSON ? Self.list(recent) : pages.outbox(recent, request.language)
        // Both formats have the same URL.
        response.headers[.vary] = [response.headers[.vary], "Accept"].compactMap { $0 }.joined(separator: ", ")
        return response
    }

    private static func list(_ messages: [MessageReader.Message]) -> EndpointResponse {
        var object = JSONObject()
        object["messages"] = .array(messages.map { .object(JSONObject($0)) })
        return .bytes(type: "application/json", object.bytes)
    }
}

extension HTTPFields {
    /// Whether the client asks for JSON, which browsers do not.
    fileprivate var asksForJSON: Bool {
        guard let accept = self[.accept]?.lowercased() else { return false }
        return accept.contains("application/json") && !accept.contains("text/html")
    }
}

extension JSONObject {
    /// A message to a person, as tests read it.
    fileprivate init(_ message: MessageReader.Message) {
        self.init()
        set("kind", message.kind)
        set("channel", message.channel)
        set("recipient", message.recipient)
        set("createdAt", message.createdAt.milliseconds)
        set("subject", message.subject)
        set("text", message.text)
        set("code", message.code)
        switch message.delivery {
        case .waiting(let reason):
            set("state", "waiting")
            set("failure", reason)
        case .scheduled: set("state", "waiting")
        case .delivered: set("state", "delivered")
        case .failed(let reason):
            set("state", "failed")
            set("failure", reason)
        }
    }
}
