import Testing
import WalletAuthWire

@Suite("Discovery") struct DiscoveryTests {
    private func metadata() throws -> ServerMetadata {
        let issuer = try Issuer("https://a.example")
        var metadata = ServerMetadata(issuer: issuer)
        metadata.tokenEndpoint = try WebURL(issuer.url(path: Endpoints.token.path))
        metadata.authorizationEndpoint = try WebURL(issuer.url(path: Endpoints.authorize.path))
        metadata.codeChallengeMethods = ["S256"]
        metadata.dpopAlgorithms = ["ES256"]
        metadata.clientAttestationAlgorithms = ["ES256"]
        metadata.clientAuthenticationMethods = ["none", "private_key_jwt"]
        metadata.revocationAuthenticationMethods = ["none"]
        metadata.introspectionAuthenticationMethods = ["private_key_jwt"]
        metadata.namesIssuerInResponses = true
        return metadata
    }

    @Test("A document is read as it is written")
    func roundTrip() throws {
        let metadata = try metadata()
        #expect(try ServerMetadata(metadata.json, of: metadata.issuer) == metadata)
        #expect(metadata.json["request_uri_parameter_supported"] == false)
        #expect(metadata.json["revocation_endpoint_auth_methods_supported"]?.strings == ["none"])
        #expect(metadata.json["introspection_endpoint_auth_methods_supported"]?.strings == ["private_key_jwt"])
        #expect(metadata.json["client_attestation_signing_alg_values_supported"]?.strings == ["ES256"])
        #expect(metadata.offersDPoP)
    }

    @Test(
        "Mix-up: a document of another issuer than the one asked is refused (RFC 8414 section 3.3)",
        arguments: ["https://evil.example", "https://a.example/", "https://A.example"])
    func impersonation(issuer: String) throws {
        var object = try metadata().json
        object["issuer"] = .string(issuer)
        #expect(throws: MalformedValue.self) { try ServerMetadata(object, of: Issuer("https://a.example")) }
    }

    @Test(
        "An endpoint without TLS, or with a dangerous scheme, is refused",
        arguments: ["http://a.example/token", "javascript:alert(1)", "https://a@b.example/", "/token"])
    func endpoints(url: String) throws {
        var object = try metadata().json
        object["token_endpoint"] = .string(url)
        #expect(throws: MalformedValue.self) { try ServerMetadata(object, of: Issuer("https://a.example")) }
    }

    @Test("A member that the reader does not use is not read, so that it makes no server unusable")
    func membersInUse() throws {
        var object = try metadata().json
        object["jwks_uri"] = "/jwks"
        object["acr_values_supported"] = [0, 1]
        let issuer = try Issuer("https://a.example")
        #expect(throws: MalformedValue.self) { try ServerMetadata(object, of: issuer) }
        let read = try ServerMetadata(object, of: issuer, reading: ["token_endpoint"])
        #expect(read.tokenEndpoint != nil)
        #expect(read.keysURL == nil && read.acrValues.isEmpty)
        #expect(throws: MalformedValue.self) { try ServerMetadata(object, of: issuer, reading: ["jwks_uri"]) }
    }

    @Test("That a server keeps the attempts of refreshes is said by a member of this project's own")
    func refreshAttempts() throws {
        var metadata = try metadata()
        #expect(metadata.json["refresh_attempts_supported"] == nil)
        metadata.keepsRefreshAttempts = true
        #expect(try ServerMetadata(metadata.json, of: metadata.issuer).keepsRefreshAttempts)
        var odd = metadata.json
        odd["refresh_attempts_supported"] = "true"
        #expect(try !ServerMetadata(odd, of: metadata.issuer).keepsRefreshAttempts)
    }

    @Test("A problem is read as it is written, and RFC 9457's defaults stand in for what is missing")
    func problems() throws {
        let problem = Problem(
            status: 409, code: "data_error", title: "The event is locked", detail: "five wrong values", statusCode: 409,
            traceID: "t")
        #expect(Problem(problem.json) == problem)
        for reason in PINLockReason.allCases {
            var locked = Problem(status: 423, code: "pin_locked", title: "Locked")
            locked.lockReason = reason
            #expect(Problem(locked.json) == locked)
        }
        #expect(Problem(try Sample.json(#"{"lockReason":"FULL_MOON"}"#)).lockReason == nil)
        #expect(Problem(try Sample.json("{}")).type == "about:blank")
    }

    @Test("userinfo always names its subject")
    func userInfo() throws {
        let info = UserInfo(subject: "s", claims: try Sample.json(#"{"name":"A","sub":"other"}"#))
        #expect(info.claims["sub"] == "s")
        #expect(try UserInfo(info.claims) == info)
        #expect(throws: MalformedValue.self) { try UserInfo(Sample.json(#"{"name":"A"}"#)) }
    }
}
