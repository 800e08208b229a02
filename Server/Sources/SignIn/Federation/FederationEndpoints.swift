import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `POST /v1/accounts`: creates an account for a person a provider has identified, and continues the sign-in. The
/// answer has the same format as a sign-in step.
struct AccountCreationEndpoint: Sendable {
    let signIn: NativeSignIn
    let proofs: ProofOfPossession

    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let proof = try request.proof()
        let outcome = try await signIn.createAccount(
            AccountCreationRequest(request.json()), proof: proof, origin: request.origin)
        var response = AuthorizeChallengeEndpoint.answer(to: outcome)
        response.offerNonce(proofs, answering: proof)
        return response
    }
}

/// `/v1/account/federated-identities`: the provider identities of an account, for the holder's app.
struct AccountIdentityEndpoints: Sendable {
    let identities: AccountIdentities
    let answers: AccountFactorAnswers

    @Sendable func list(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        .bytes(type: "application/json", try await identities.list(call: call).json.bytes)
    }

    @Sendable func join(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let outcome = try await identities.join(IdentityJoining(request.json()), call: call)
        return answers.response(to: outcome, request) { .bytes(type: "application/json", $0.json.bytes) }
    }

    @Sendable func leave(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let id: JoinedIdentityID = try request.pathValue()
        let outcome = try await identities.leave(id, call: call)
        return answers.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }
}

/// `GET|POST /sign-in/provider/{brandIdentity}/{providerId}`: a brand's identity provider redirects browsers here, back
/// to the hosted sign-in page.
struct ProviderReturnEndpoint: Sendable {
    /// Provides the cookies, pages and answers, which are the same as for sign-in.
    let authorize: AuthorizeEndpoint

    /// The answer in the query, or the answer that ``post(_:)`` sealed.
    @Sendable func get(_ request: EndpointRequest) async throws -> EndpointResponse {
        let answer: ProviderReturn
        do { answer = try Self.answer(request.query(), at: Self.callback(request)) } catch {
            return authorize.malformed(error, request)
        }
        let outcome = try await authorize.authorization.arrive(
            with: answer, cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin)
        // The redirects to the provider and back may all have followed the form with its button.
        return authorize.respond(with: outcome, request, back: request.isNavigation ? .page(byItself: true) : .redirect)
    }

    /// The answer as a form post from the provider's page (OAuth 2.0 Form Post Response Mode). Browsers send no `Lax`
    /// cookies with a form post from another site. The answer is therefore sealed and returns in a GET, which has the
    /// cookies. The code never appears in a URL.
    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        let (callback, parameters): (ProviderCallback, FormParameters?)
        do {
            let form = try request.form()
            callback = try Self.callback(request)
            parameters = try authorize.authorization.hold(
                try Self.response(form), state: try form.required("state"), at: callback)
        } catch let fault as MalformedValue { return authorize.malformed(fault, request) }
        guard let parameters else { return authorize.answer(to: .stalePage, request.context) }
        let page = callback.redirectURI(at: authorize.pages.issuer)
        return EndpointResponse(status: .seeOther, headers: [.location: page + "?" + parameters.encoded])
    }

    private static func callback(_ request: EndpointRequest) throws(MalformedValue) -> ProviderCallback {
        ProviderCallback(brand: try request.pathValue(), provider: try request.pathValue(at: 1))
    }

    private static func answer(
        _ query: FormParameters, at callback: ProviderCallback
    ) throws(MalformedValue) -> ProviderReturn {
        let (state, response) = (try query.required("state"), try response(query))
        guard let held = query["response"] else {
            return ProviderReturn(at: callback, state: state, content: .plain(response))
        }
        guard response.code == nil, response.error == nil else {
            throw MalformedValue(field: "response", reason: "cannot be combined with code or error")
        }
        return ProviderReturn(at: callback, state: state, content: .held(held))
    }

    private static func response(_ parameters: FormParameters) throws(MalformedValue) -> ProviderResponse {
        ProviderResponse(
            code: try value("code", of: parameters, longest: 2048),
            error: try value("error", of: parameters, longest: 128),
            issuer: try value("iss", of: parameters, longest: 512))
    }

    /// The sealed answer travels in a URL. Proxies and servers accept up to about 8,000 characters.
    private static func value(
        _ name: String, of parameters: FormParameters, longest: Int
    ) throws(MalformedValue) -> String? {
        guard let value = parameters[name] else { return nil }
        guard value.utf8.count <= longest else {
            throw MalformedValue(field: name, reason: "is longer than \(longest) bytes")
        }
        return value
    }
}

extension AccountCreationEndpoint {
    var routes: [Route] {
        [
            Route(.post, Endpoints.accounts.path, body: .json, .oauth, post).stating(
                .signIn, "createAccount", "Creates an account for a person whom an identity provider knows"
            ) {
                Contract(
                    "The code to exchange for tokens", takes: AccountCreationRequest.shape, proves: .key,
                    gives: AuthorizeChallengeResponse.shape,
                    refuses: AuthorizeChallengeEndpoint.refusals)
            }
        ]
    }
}

extension AccountIdentityEndpoints {
    var routes: [Route] {
        let refusals: @Sendable () -> [EndpointResponse] = {
            FactorRefusal.all.map { answers.answer(to: $0, RequestFacts()) }
        }
        return [
            Route(.get, Endpoints.accountIdentities.path, .problem, by: .app, list).stating(
                .account, "listIdentities", "Lists the identities linked to the account"
            ) {
                Contract("The identities", gives: JoinedIdentityList.shape)
            },
            Route(.put, Endpoints.accountIdentities.path, body: .json, .problem, by: .app, join).stating(
                .account, "linkIdentity", "Links an identity at a provider to the account"
            ) {
                Contract(
                    "The linked identity", takes: IdentityJoining.shape, gives: JoinedIdentity.shape,
                    refuses: refusals())
            },
            Route(.delete, Endpoints.accountIdentity.path, .problem, by: .app, leave).stating(
                .account, "unlinkIdentity", "Removes a linked identity"
            ) {
                Contract("It is no longer linked", .noContent, refuses: refusals())
            },
        ]
    }
}

extension ProviderReturnEndpoint {
    var routes: [Route] {
        [
            Route(.get, Endpoints.providerSignIn.path, .page, get).stating(
                .pages, "returnFromProvider", "The return from an identity provider to the sign-in page"),
            Route(.post, Endpoints.providerSignIn.path, body: .form, .page, post).stating(
                .pages, "returnFromProviderByForm", "The return from an identity provider that posts its answer"),
        ]
    }
}
