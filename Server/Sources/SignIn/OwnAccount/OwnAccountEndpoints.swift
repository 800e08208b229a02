import Core
import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `/v1/account/email`, `/v1/account/phone`, `/v1/account/activity` and `/v1/account/closing`, for the holder's app.
struct OwnAccountEndpoints: Sendable {
    let account: OwnAccount
    let answers: OwnAccountAnswers

    @Sendable func changeEmail(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let email = try EmailChangeRequest(request.json()).email
        return try await begin(.email(email), request, call)
    }

    @Sendable func changePhone(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let phone = try ContactDetails.phone(PhoneChangeRequest(request.json()).phone)
        return try await begin(.phone(phone), request, call)
    }

    private func begin(
        _ contact: ContactManagement.Contact, _ request: EndpointRequest, _ call: AppCaller
    ) async throws -> EndpointResponse {
        let outcome = try await account.contacts.begin(contact, call: call)
        return answers.response(to: outcome, request) { .bytes(.created, type: "application/json", $0.json.bytes) }
    }

    @Sendable func confirmEmail(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        try await confirm(.email, request, call)
    }

    @Sendable func confirmPhone(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        try await confirm(.sms, request, call)
    }

    private func confirm(
        _ kind: FactorKind, _ request: EndpointRequest, _ call: AppCaller
    ) async throws -> EndpointResponse {
        let outcome = try await account.contacts.confirm(
            kind, code: ContactConfirmation(request.json()).code, call: call)
        return answers.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }

    @Sendable func removePhone(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let outcome = try await account.contacts.removePhone(call: call)
        return answers.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }

    private static let pageParameters: [WireObject.Member] = [.optional("cursor", .text(nil))]

    @Sendable func activity(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let parameters = try request.query()
        try parameters.requireNoOthers(than: Self.pageParameters)
        let page = try await account.activity.page(
            after: parameters["cursor"], of: call.account,
            in: Language.of(call.account, acceptLanguage: call.origin.acceptLanguage), now: call.now)
        return .bytes(type: "application/json", page.activity.json.bytes)
    }

    @Sendable func close(_ request: EndpointRequest, _ call: AppCaller) async throws -> EndpointResponse {
        let outcome = try await account.closing.close(call: call)
        return answers.response(to: outcome, request) { .bytes(.created, type: "application/json", $0.json.bytes) }
    }

    @Sendable func keep(_ request: EndpointRequest) async throws -> EndpointResponse {
        let outcome = try await account.closing.keep(
            AccountKeeping(request.json()).keepCode, origin: request.origin)
        return answers.response(to: outcome, request) { EndpointResponse(status: .noContent) }
    }
}

extension OwnAccountEndpoints {
    var routes: [Route] {
        @Sendable func refusals(_ kinds: [OwnAccountRefusal]) -> [EndpointResponse] {
            kinds.map { answers.answer(to: $0, RequestFacts()) }
        }
        return [
            Route(.post, Endpoints.accountEmail.path, body: .json, .problem, by: .app, changeEmail).stating(
                .account, "changeEmail", "Sends a code to a new e-mail address"
            ) {
                Contract(
                    "The code is on its way", takes: EmailChangeRequest.shape, .created, gives: PendingContact.shape,
                    refuses: refusals(OwnAccountRefusal.ofContact))
            },
            Route(
                .post, Endpoints.accountEmailConfirmation.path, body: .json, .problem, by: .app, confirmEmail
            ).stating(.account, "confirmEmail", "Takes the new e-mail address into use with its code") {
                Contract(
                    "The account has the address", takes: ContactConfirmation.shape, .noContent,
                    refuses: refusals(OwnAccountRefusal.ofContact))
            },
            Route(.post, Endpoints.accountPhone.path, body: .json, .problem, by: .app, changePhone).stating(
                .account, "changePhone", "Sends a code to a new phone number"
            ) {
                Contract(
                    "The code is on its way", takes: PhoneChangeRequest.shape, .created, gives: PendingContact.shape,
                    refuses: refusals(OwnAccountRefusal.ofContact))
            },
            Route(
                .post, Endpoints.accountPhoneConfirmation.path, body: .json, .problem, by: .app, confirmPhone
            ).stating(.account, "confirmPhone", "Takes the new phone number into use with its code") {
                Contract(
                    "The account has the number", takes: ContactConfirmation.shape, .noContent,
                    refuses: refusals(OwnAccountRefusal.ofContact))
            },
            Route(.delete, Endpoints.accountPhone.path, .problem, by: .app, removePhone).stating(
                .account, "removePhone", "Removes the phone number"
            ) {
                Contract(
                    "The account has no number", .noContent,
                    refuses: refusals(OwnAccountRefusal.ofFreshCall + [.factor(.notFound), .lastContact]))
            },
            Route(.get, Endpoints.accountActivity.path, .problem, by: .app, activity).stating(
                .account, "listActivity", "Lists what happened to the account, in sentences"
            ) {
                Contract("A page of the list", query: Self.pageParameters, gives: AccountActivity.shape)
            },
            Route(.post, Endpoints.accountClosing.path, .problem, by: .app, close).stating(
                .account, "closeAccount", "Closes the account: every session ends, and it is erased later"
            ) {
                Contract(
                    "The account is closed", .created, gives: AccountClosing.shape,
                    refuses: refusals(
                        OwnAccountRefusal.ofFreshCall + [.openPayments([]), .lastOwner, .contactCooling(retryAfter: 1)])
                )
            },
            Route(.post, Endpoints.accountKeeping.path, body: .json, .problem, keep).stating(
                .account, "keepAccount", "Takes the closing of an account back, with the code of the closing"
            ) {
                Contract(
                    "The account can sign in again", takes: AccountKeeping.shape, .noContent,
                    refuses: refusals([.closingNotFound]))
            },
        ]
    }
}
