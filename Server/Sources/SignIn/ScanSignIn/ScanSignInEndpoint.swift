import HTTPTypes
import Kernel
import QRCodes
import WalletAuthWire
import Web

/// `GET /sign-in/scan/{id}` and the state of that page for its script.
struct ScanSignInEndpoint: Sendable {
    let authorize: AuthorizeEndpoint

    @Sendable func page(_ request: EndpointRequest) async throws -> EndpointResponse {
        let answer = try await authorize.authorization.scan(
            request.pathText() ?? "", cookies: authorize.cookies.cookies(of: request.headers), origin: request.origin)
        return authorize.respond(with: answer, request)
    }

    @Sendable func state(_ request: EndpointRequest) async throws -> EndpointResponse {
        let state = try await authorize.authorization.scanState(
            request.pathText() ?? "", cookies: authorize.cookies.cookies(of: request.headers))
        var response = EndpointResponse.json { writer in
            switch state {
            case .code(let text):
                writer.member("step", "code")
                writer.member("path", QRCode(text)?.svgPath)
            case .number: writer.member("step", "number")
            case .over, nil: writer.member("step", "over")
            }
        }
        response.headers[.cacheControl] = "no-store"
        return response
    }

    var routes: [Route] {
        [
            Route(.get, Endpoints.scanPage.path, .page, page).stating(
                .pages, "openScanPage", "The sign-in page that shows a code to scan"),
            Route(.get, Endpoints.scanPageState.path, .page, gives: "application/json", state).stating(
                .pages, "getScanPageState", "How far that sign-in is, for the page's script"),
        ]
    }
}
