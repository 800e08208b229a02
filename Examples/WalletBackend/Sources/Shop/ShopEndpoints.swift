import Foundation
import HTTPTypes
import Hummingbird
import Logging
import WalletAuthVerifier
import WalletAuthWire

/// A café's shop, whose visitors sign on their phones. Visitors are anonymous: the unguessable address of a purchase
/// gives access to it.
struct ShopEndpoints: Sendable {
    let ledger: Ledger
    let checkout: Checkout
    /// The URL at which browsers reach the shop.
    let url: WebURL

    /// The longest wait of one request, in seconds. It is shorter than the timeouts of proxies.
    static let longestWait: Int64 = 25

    func addRoutes(to router: Router<BackendContext>) {
        router.get("shop", use: shelf)
        router.get("shop/shop.css") { _, _ in
            Response(.ok, type: "text/css; charset=utf-8", Array(ShopAssets.stylesheet.utf8))
        }
        router.get("shop/shop.js") { _, _ in
            Response(.ok, type: "text/javascript; charset=utf-8", Array(ShopAssets.script.utf8))
        }
        router.post("shop/purchases", use: buy)
        router.get("shop/purchases/:id", use: show)
        router.get("shop/purchases/:id/state", use: state)
    }

    @Sendable private func shelf(_ request: Request, _ context: BackendContext) async throws -> Response {
        .page(.ok, ShopPages.shelf(checkout.goods))
    }

    /// The form's fields are `good`, and `account` to allow one account only.
    @Sendable private func buy(_ request: Request, _ context: BackendContext) async throws -> Response {
        // A form on another site would use up its visitors' quotas here.
        guard RequestSource(request.headers).isSite(at: url) else {
            return .page(
                .forbidden, ShopPages.fault("Buy in our shop", "Another site sent you here. Start again.", path: ""))
        }
        let body = try await request.body.collect(upTo: Request.longestBody)
        do {
            let form = try FormParameters(parsing: Array(body.readableBytesView))
            guard let good = checkout.goods.first(where: { $0.id == form["good"] }) else {
                return .page(
                    .badRequest, ShopPages.fault("We don’t sell that", "Pick something off the shelf.", path: ""))
            }
            let account = try form["account"].map { try AccountID($0) }
            let purchase = try await checkout.buy(
                good, account: account, from: VisitorNetwork(context.remoteAddress))
            // Relative, so that it works behind a proxy that serves the shop below a path.
            return Response(
                status: .seeOther, headers: [.location: "purchases/\(purchase.id)", .cacheControl: "no-store"])
        } catch let refusal as PurchaseRefusal {
            return Self.page(refusal)
        } catch is MalformedValue {
            return .page(
                .badRequest,
                ShopPages.fault("That’s not an account ID", "Check it, or leave the field empty.", path: ""))
        } catch let error as TransactionCallError {
            return fault(error, context, path: "")
        }
    }

    @Sendable private func show(_ request: Request, _ context: BackendContext) async throws -> Response {
        guard let found = try await purchase(context) else {
            return .page(
                .notFound, ShopPages.fault("No such purchase", "Check the address, or start again.", path: "../"))
        }
        do {
            let progress = try await checkout.progress(of: found)
            let drawing = progress == .waiting ? try await checkout.drawing(of: found) : nil
            var shown = found
            // The check above may have settled the purchase, and the receipt needs the time.
            if progress == .signed, let settled = try await ledger.purchase(found.id) { shown = settled }
            return .page(.ok, ShopPages.purchase(shown, progress, drawing: drawing))
        } catch let error as TransactionCallError {
            return fault(error, context, path: "../")
        }
    }

    /// `?wait=20&seen=WAITING` responds when the state differs, or when the wait is over.
    @Sendable private func state(_ request: Request, _ context: BackendContext) async throws -> Response {
        guard let found = try await purchase(context) else { throw Self.unknown }
        let query = request.uri.queryParameters
        let wait: Int64
        switch query.get("wait") {
        case nil: wait = 0
        case let text?:
            guard let seconds = Int64(text), seconds >= 0 else {
                throw MalformedValue(field: "wait", reason: "is not a number of seconds")
            }
            wait = min(seconds, Self.longestWait)
        }
        let progress = try await checkout.progress(
            of: found, seen: PurchaseProgress(seen: query.get("seen")), wait: .seconds(wait))
        var object = JSONObject()
        object.set("state", progress.name)
        object.set("text", progress.heading)
        object["over"] = .bool(progress.isOver)
        return Response(.ok, object.bytes)
    }

    private func purchase(_ context: BackendContext) async throws -> Purchase? {
        guard let id = context.parameters.get("id") else { return nil }
        return try await ledger.purchase(id)
    }

    /// The page for a visitor who cannot buy now.
    private static func page(_ refusal: PurchaseRefusal) -> Response {
        switch refusal {
        case .shopFull:
            .page(
                .serviceUnavailable,
                ShopPages.fault("The café is full", "Please try again in a few minutes.", path: ""))
        case .networkFull:
            .page(
                .tooManyRequests,
                ShopPages.fault(
                    "Too many open purchases on your network",
                    "Sign or reject one of them in your wallet, or try again in 15 minutes.", path: ""))
        }
    }

    /// The page for a failed call. The reason goes to the log.
    private func fault(_ error: TransactionCallError, _ context: BackendContext, path: String) -> Response {
        context.logger.warning(
            "a transaction was refused",
            metadata: ["trace": "\(error.traceID ?? "")", "reason": "\(error.reason)", "advice": "\(error.advice)"])
        return switch error.cause {
        case .accountNotFound:
            .page(
                .badRequest,
                ShopPages.fault("We don’t know this account", "Check the ID, or leave it empty.", path: path))
        case .tooManyTransactions:
            .page(
                .tooManyRequests,
                ShopPages.fault(
                    "Too many open payments", "Sign or reject one of them in your wallet first.", path: path))
        default:
            .page(
                .serviceUnavailable,
                ShopPages.fault("We can’t take payments right now", "Please try again in a minute.", path: path))
        }
    }

    private static let unknown = Problem(
        status: 404, code: "purchase_not_found", title: "There is no such purchase")
}
