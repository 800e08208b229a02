import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing
import WalletAuthWire

@testable import HTTP
@testable import Web

@Suite("What HTTP asks of every endpoint")
struct HTTPSemanticsTests {
    @Test("A wrong method is 405 and told which ones there are")
    func methods() async throws {
        try await TestServer.serve { _, client in
            for (method, uri, allow) in [
                (HTTPRequest.Method.get, "/oauth2/token", "POST"), (.delete, "/oauth2/userinfo", "GET, HEAD, POST"),
                (.put, "/oauth2/authorize", "GET, HEAD, POST"), (.post, "/.well-known/jwks.json", "GET, HEAD"),
                (.trace, "/oauth2/revoke", "POST"),
            ] {
                let answer = try await client.execute(uri: uri, method: method)
                #expect(answer.status == .methodNotAllowed)
                #expect(answer.headers[.allow] == allow, "\(uri)")
            }
        }
    }

    @Test("HEAD is answered where GET is, with the fields of GET")
    func head() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            for uri in [
                "/.well-known/openid-configuration", "/health/live", "/oauth2/userinfo", "/no/such/path",
                "/sandbox/outbox", "/oauth2/authorize?" + Journey.query(),
            ] {
                let get = try await client.get(uri, [.accept: "text/html, */*"])
                let head = try await client.execute(uri: uri, method: .head, headers: [.accept: "text/html, */*"])
                #expect(head.status == get.status, "\(uri)")
                #expect(head.headers[.contentType] == get.headers[.contentType], "\(uri)")
                #expect(head.headers[.wwwAuthenticate] == get.headers[.wwwAuthenticate], "\(uri)")
                #expect(head.body.readableBytes == 0, "\(uri)")
            }
            let length = try await client.get("/health/live").body.readableBytes
            let head = try await client.execute(uri: "/health/live", method: .head)
            #expect(head.headers[.contentLength] == String(length))
        }
    }

    @Test(
        "No response to HEAD has content, whatever its status: the next response on the connection is where it should be",
        .threat("Connection floods and request smuggling")
    )
    func headOnKeptConnections() async throws {
        try await TestServer.serve { server, client in
            try await server.makePublicClient()
            let paths = [
                "/no/such/path", "/oauth2/token", "/oauth2/userinfo", "/oauth2/authorize", "/metrics", "//x",
                "/oauth2/authorize?" + Journey.query(), "/.well-known/jwks.json",
            ]
            let connection = try await RawConnection.open(port: try #require(client.port))
            try await connection.send(
                paths.map { "HEAD \($0) HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n" }.joined()
                    + "GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let answers = try await connection.textUntilClosed().components(separatedBy: "\r\n\r\n")
            // A head each, and the content of the last answer.
            try #require(answers.count == paths.count + 2)
            for (path, answer) in zip(paths, answers) { #expect(answer.hasPrefix("HTTP/1.1 "), "\(path)") }
            #expect(answers.last?.contains("\"live\"") == true)
        }
    }

    @Test("Over HTTP/1.1, field names have the letters of their specifications, by which some clients alone find them")
    func fieldNames() async throws {
        try await TestServer.serve { _, client in
            let body =
                "grant_type=authorization_code&code=c&code_verifier=\(String(repeating: "v", count: 43))&client_id=app"
            let proof = try ProofKey().proof("/oauth2/token")
            let connection = try await RawConnection.open(
                port: try #require(client.port),
                sending: "POST /oauth2/token HTTP/1.1\r\nHost: localhost\r\nDPoP: \(proof)\r\nConnection: close\r\n"
                    + "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
            )
            let answer = try await connection.textUntilClosed()
            #expect(answer.contains("use_dpop_nonce"), "\(answer)")
            #expect(answer.contains("\r\nDPoP-Nonce: "), "\(answer)")
        }
    }

    @Test("An answer of status 204 has no length, over HTTP/1.1 and HTTP/2")
    func noContent() async throws {
        try await TestServer.use { server in
            let files = try TestCertificates.write(in: server.folder)
            let listeners: [TLSFiles?] = [nil, files]
            for tls in listeners {
                try await server.serve(.ahc(tls == nil ? .http : .https)) {
                    $0.tls = tls
                } _: { client in
                    let answer = try await client.execute(uri: "/oauth2/token", method: .options)
                    #expect(answer.status == .noContent)
                    #expect(answer.headers[.contentLength] == nil)
                }
            }
        }
    }

    @Test(
        "The connection closes after a request of HTTP/1.0, with the option close in any spelling, and with chunks in HTTP/1.0",
        arguments: [
            "1.0\r\n", "1.0\r\nHost: h\r\n", "1.1\r\nHost: h\r\nConnection: Close\r\n",
            "1.1\r\nHost: h\r\nConnection: TE, close\r\n", "1.0\r\nConnection: keep-alive, close\r\n",
            "1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        ])
    func lastRequest(head: String) async throws {
        try await TestServer.serve {
            // Longer than the test waits.
            $0.limits.idleTimeout = .seconds(3600)
        } _: { _, client in
            let connection = try await RawConnection.open(
                port: try #require(client.port), sending: "GET /health/live HTTP/\(head)\r\n")
            #expect(try await connection.textUntilClosed().contains("\"live\""))
        }
    }

    @Test("A request of HTTP/1.0 that asks to go on is followed by another")
    func keptConnection() async throws {
        try await TestServer.serve { _, client in
            let request = "GET /health/live HTTP/1.0\r\n"
            let connection = try await RawConnection.open(
                port: try #require(client.port), sending: request + "Connection: Keep-Alive\r\n\r\n" + request + "\r\n")
            let answers = try await connection.textUntilClosed().components(separatedBy: "\"live\"")
            #expect(answers.count == 3)
        }
    }

    @Test("An unknown path is a problem document with the trace, for a browser a page, for an unknown method 501")
    func unknown() async throws {
        try await TestServer.serve { _, client in
            let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
            let answer = try await client.get("/no/such/path", [.traceParent: "00-\(trace)-00f067aa0ba902b7-01"])
            #expect(answer.status == .notFound)
            #expect(answer.headers[.contentType] == "application/problem+json")
            #expect(try answer.member("traceId") == trace)
            #expect(answer.headers[.traceParent]?.contains(trace) == true)
            let page = try await client.get("/no/such/path", [.accept: "text/html,*/*;q=0.8"])
            #expect(page.status == .notFound)
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            let brewed = try await client.execute(uri: "/no/such/path", method: try #require(.init("BREW")))
            // The parser of HTTP/1.1 stops what HTTP/2 lets through.
            #expect(brewed.status == .notImplemented || brewed.status == .badRequest)
        }
    }

    @Test("A body of another type, of none, compressed or in another charset is 415")
    func contentTypes() async throws {
        let form = "application/x-www-form-urlencoded"
        try await TestServer.serve { _, client in
            for type in [
                "application/json", nil, "text/plain", form + "; charset=utf-16", "multipart/form-data; boundary=x",
            ] {
                let answer = try await client.post("/oauth2/token", body: "grant_type=client_credentials", type)
                #expect(answer.status == .unsupportedMediaType, "\(type ?? "none")")
                #expect(try answer.member("error") == "invalid_request")
            }
            let packed = try await client.post("/oauth2/token", body: "x", form, [.contentEncoding: "gzip"])
            #expect(packed.status == .unsupportedMediaType)
        }
    }

    @Test("A charset of UTF-8, in any case and quoted, is taken")
    func charset() async throws {
        try await TestServer.serve { _, client in
            let type = "Application/X-WWW-Form-URLEncoded ; Charset=\"UTF-8\""
            let answer = try await client.post("/oauth2/token", body: "grant_type=x&client_id=y", type)
            #expect(answer.status == .badRequest)
            #expect(try answer.member("error") == "unsupported_grant_type")
        }
    }

    @Test("A client that takes no JSON gets 406")
    func accept() async throws {
        try await TestServer.serve { _, client in
            for (header, refused) in [
                ("text/html", true), ("application/json;q=0, */*", true), ("application/xml, text/*", true),
                ("*/*;q=0", true), ("application/*", false), ("text/html, */*;q=0.1", false),
                ("application/json; q=0.5", false),
            ] {
                let answer = try await client.get("/.well-known/openid-configuration", [.accept: header])
                #expect((answer.status == .notAcceptable) == refused, "\(header)")
            }
        }
    }

    @Test("Doubled Authorization, DPoP or Content-Type headers are refused")
    func doubledHeaders() async throws {
        try await TestServer.serve { server, client in
            try await server.makeBearerClient()
            for name in [HTTPField.Name.authorization, .dpop] {
                var headers = HTTPFields()
                headers.append(HTTPField(name: name, value: "Basic YTpi"))
                headers.append(HTTPField(name: name, value: "Basic Yzpk"))
                let answer = try await client.post("/oauth2/token", ["grant_type": "client_credentials"], headers)
                #expect(answer.status == .badRequest)
                #expect(try answer.member("error") == "invalid_request")
            }
            var types = HTTPFields()
            for _ in 1...2 {
                types.append(HTTPField(name: .contentType, value: "application/x-www-form-urlencoded"))
            }
            let answer = try await client.execute(
                uri: "/oauth2/token", method: .post, headers: types,
                body: ByteBuffer(string: "grant_type=client_credentials"))
            #expect(answer.status == .badRequest)
            #expect(try answer.member("error") == "invalid_request")
        }
    }

    @Test("A body over 64 KiB is 413, whether its length was announced or not")
    func largeBodies() async throws {
        try await TestServer.use { server in
            let body = "x=" + String(repeating: "a", count: 64 * 1024)
            for uri in ["/oauth2/token", "/sign-in", "/oauth2/authorize"] {
                // A connection each, since the server ends those whose body it did not take.
                try await server.serve { client in
                    let answer = try await client.post(uri, body: body, "application/x-www-form-urlencoded")
                    #expect(answer.status == .contentTooLarge)
                }
            }
        }
    }

    @Test("Public clients in browsers may read discovery, keys, tokens and userinfo, and nothing else")
    func crossOrigin() async throws {
        try await TestServer.serve { _, client in
            let origin: HTTPFields = [
                .origin: "https://app.example.com", .accessControlRequestMethod: "POST",
                .accessControlRequestHeaders: "dpop, content-type",
            ]
            for uri in ["/oauth2/token", "/oauth2/userinfo", "/oauth2/revoke", "/.well-known/jwks.json"] {
                let answer = try await client.execute(uri: uri, method: .options, headers: origin)
                #expect(answer.status == .noContent)
                #expect(answer.headers[.accessControlAllowOrigin] == "*")
                #expect(answer.headers[.accessControlAllowHeaders]?.contains("DPoP") == true)
                #expect(answer.headers[.accessControlAllowCredentials] == nil)
            }
            for uri in ["/oauth2/authorize", "/sign-in", "/oauth2/authorize-challenge", "/oauth2/introspect"] {
                let answer = try await client.execute(uri: uri, method: .options, headers: origin)
                #expect(answer.status == .methodNotAllowed)
                #expect(answer.headers[.accessControlAllowOrigin] == nil)
            }
            let refused = try await client.post("/oauth2/token", ["grant_type": "x"], origin)
            #expect(refused.headers[.accessControlAllowOrigin] == "*")
            #expect(refused.headers[.accessControlExposeHeaders]?.contains("DPoP-Nonce") == true)
        }
    }

    @Test("Metadata and keys may be cached; whatever else is answered is not stored")
    func caching() async throws {
        try await TestServer.serve { _, client in
            let metadata = try await client.get("/.well-known/openid-configuration")
            #expect(metadata.headers[.cacheControl] == "public, max-age=300")
            #expect(try metadata.member("issuer") == TestServer.issuer)
            let other = try await client.get("/.well-known/oauth-authorization-server")
            #expect(other.body == metadata.body)
            let keys = try await client.get("/.well-known/jwks.json")
            #expect(keys.headers[.cacheControl]?.hasPrefix("public, max-age=") == true)
            #expect(try keys.json["keys"]?.array?.isEmpty == false)
            #expect(!keys.text.contains("\"d\""))
            for uri in ["/health/live", "/oauth2/token", "/nowhere"] {
                let answer = try await client.get(uri)
                #expect(answer.headers[.cacheControl] == "no-store")
            }
        }
    }

    @Test("The metadata names every proof algorithm that the challenges offer, and only paths that are served")
    func metadata() async throws {
        try await TestServer.serve { _, client in
            let metadata = try await client.get("/.well-known/openid-configuration").json
            let algorithms = try #require(metadata["dpop_signing_alg_values_supported"]?.strings)
            #expect(algorithms.joined(separator: " ") == EndpointResponse.proofAlgorithms)
            #expect(algorithms == ["ES256", "EdDSA", "Ed25519"])
            let assertions = try #require(metadata["token_endpoint_auth_signing_alg_values_supported"]?.strings)
            #expect(Set(assertions) == ["ES256", "EdDSA", "Ed25519", "RS256"])
            for member in metadata.members {
                guard let url = member.value.string, member.name != "issuer", url.hasPrefix(TestServer.issuer) else {
                    continue
                }
                let answer = try await client.get(String(url.dropFirst(TestServer.issuer.count)))
                #expect(answer.status != .notFound, "\(member.name)")
            }
        }
    }
}
