import HTTPTypes
import Kernel
import WalletAuthWire
import Web

/// `GET|POST /device`: the page on which a person decides on a device without a browser (RFC 8628 §3.3).
struct DevicePageEndpoint: Sendable {
    let devicePages: DevicePages
    /// Provides the cookies, pages and answers, which are the same as for sign-in.
    let authorize: AuthorizeEndpoint

    /// The page. People type this address, so an unknown language is ignored. With a state in its query, it is the page that answers a
    /// form.
    @Sendable func get(_ request: EndpointRequest) async throws -> EndpointResponse {
        let query = try request.query()
        let cookies = authorize.cookies.cookies(of: request.headers)
        if let address = query[PageAddress.parameter] {
            let answer = try await devicePages.show(address: address, cookies: cookies, origin: request.origin)
            return authorize.respond(with: answer, request)
        }
        let page = try devicePages.open(query["user_code"], query.uiLocales, cookies: cookies)
        return authorize.respond(with: page, request)
    }

    /// A button of the page.
    @Sendable func post(_ request: EndpointRequest) async throws -> EndpointResponse {
        if let fault = authorize.faultOfAnotherSite(request) { return fault }
        let submission: PageSubmission<DevicePage.Action>
        do { submission = try DevicePageForm.parse(request.form()) } catch {
            return authorize.malformed(error, request)
        }
        let answer = try await devicePages.submit(
            submission, cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin)
        return authorize.respond(with: answer, request)
    }

    var routes: [Route] {
        [
            Route(.get, Endpoints.devicePage.path, .page, get).stating(
                .pages, "openDevicePage", "The page on which a person types the code of a device"),
            Route(.post, Endpoints.devicePage.path, body: .form, .page, post).stating(
                .pages, "submitDevicePage", "What the buttons of that page send"),
        ]
    }
}
