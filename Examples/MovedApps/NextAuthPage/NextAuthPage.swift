import Foundation
import NextAuthCompat

// The Swift of nextAuth's page "Transaction Signing", with its import replaced.

/// A screen of an app that signs transactions.
@MainActor
public final class SigningScreen {
    // MARK: The app's own

    private let flowService = NextAuth.default.flowService
    /// What went wrong before a flow began.
    public private(set) var error: (any Error)?
    /// The account that the app found.
    public private(set) var selected: Account?

    /// Creates the screen.
    public init() {}

    /// The person scanned a QR code.
    public func scanned(_ data: Data) {
        // MARK: As printed
        do {
            try flowService.start(with: data)
        } catch {
            // Handle error
            // MARK: The app's own
            self.error = error
        }
    }

    // The page declares `transaction` twice in one place, the second time with the optional values. Here, each has a
    // function.

    /// The person agreed to sign something on the app's own screen.
    public func sign() {
        // MARK: As printed
        // prepare transaction object
        let transaction = Transaction()
        // select first and only account
        guard let account = NextAuth.default.accounts.first else {
            return
        }
        do {
            try NextAuth.default.create(transaction: transaction)
        } catch {
            // Handle error
            // MARK: The app's own
            self.error = error
        }
        selected = account
    }

    /// The same with the optional values.
    public func signByPIN() {
        // MARK: As printed
        // optional
        let transaction = Transaction(
            clientState: .init(),
            clientAdditionalData: .init(),
            requiredSecondFactorType: .pin
        )
        // select first and only account
        guard let account = NextAuth.default.accounts.first else {
            return
        }
        do {
            try NextAuth.default.create(transaction: transaction)
        } catch {
            // Handle error
            // MARK: The app's own
            self.error = error
        }
        selected = account
    }
}
