import Foundation
import WalletAuthWire

/// A transfer that may have been paid, in a report.
struct OpenTransfer: Encodable, Sendable {
    let idempotencyKey: String
    let to: String
    let amount: Money
    let begunAt: Date
    let hint: String
    /// For a person. Not part of the document.
    let line: String

    private enum CodingKeys: String, CodingKey { case idempotencyKey, to, amount, begunAt, hint }

    private init(_ transfer: BegunTransfer, hint: String, line: String) {
        idempotencyKey = transfer.key
        to = transfer.payee
        amount = transfer.amount
        begunAt = transfer.begunAt
        (self.hint, self.line) = (hint, line)
    }

    init(_ transfer: BegunTransfer, of profile: String?) {
        self.init(transfer, hint: transfer.nextStep(of: profile), line: transfer.notice(of: profile))
    }

    /// One that the person cannot repeat any more.
    init(signingOut transfer: BegunTransfer, of profile: String?) {
        self.init(transfer, hint: transfer.stepAfterSignOut(of: profile), line: transfer.noticeOfSignOut(of: profile))
    }
}
