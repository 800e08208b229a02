public import Foundation
import WalletAuthTransport
public import WalletAuthWire

extension Wallet {
    /// What the person can do with their own account: change its address and number, see what happened, take their data out, close it.
    public var account: OwnAccount { OwnAccount(wallet: self) }

    /// The signed-in account, as its holder's.
    ///
    /// Every change, and the export, requires a sign-in of the last few minutes with two factors, or with every factor that the
    /// account has, as for ``Wallet/Factors``. If a call fails with `insufficient_user_authentication`, sign in with
    /// ``Wallet/LoginStrength/twoFactors`` first. The server notifies the person of each.
    public struct OwnAccount: Sendable {
        let wallet: Wallet

        /// Sends a code to a new e-mail address, and word to the old one. Calling it again sends another code; the former one no longer
        /// works.
        /// - Parameter address: the new address, as typed.
        /// - Returns: where the code went, mostly hidden, and for how long it works.
        /// - Throws: ``WalletError``: `bad_request` for what is no address, `contact_unchanged`, `delivery_unavailable`,
        ///   `insufficient_user_authentication`, `recovery_cooling` …
        public func changeEmail(to address: String) async throws -> PendingContact {
            try await wallet.call(
                .changeContact, .post, Endpoints.accountEmail.path,
                try WalletError.argument(.changeContact) {
                    EmailChangeRequest(email: try EmailAddress(address)).json
                }
            ) { try PendingContact($0) }
        }

        /// Takes the new e-mail address into use. Calling it again after a lost response succeeds.
        /// - Parameter code: the code from the message to the new address, as typed.
        /// - Throws: ``WalletError``: `invalid_code`; `nothing_to_confirm` if it took too long or after five wrong codes;
        ///   `account_changed` …
        public func confirmEmail(code: String) async throws {
            try await confirm(code, Endpoints.accountEmailConfirmation.path)
        }

        /// Sends a code to a new phone number, and word to the old one.
        /// - Parameter number: the new number in international form, as typed.
        /// - Returns: where the code went, mostly hidden, and for how long it works.
        /// - Throws: ``WalletError`` as ``changeEmail(to:)``.
        public func changePhone(to number: String) async throws -> PendingContact {
            try await wallet.call(
                .changeContact, .post, Endpoints.accountPhone.path, PhoneChangeRequest(phone: number).json
            ) { try PendingContact($0) }
        }

        /// Takes the new phone number into use. Calling it again after a lost response succeeds.
        /// - Parameter code: the code from the SMS, as typed.
        /// - Throws: ``WalletError`` as ``confirmEmail(code:)``.
        public func confirmPhone(code: String) async throws {
            try await confirm(code, Endpoints.accountPhoneConfirmation.path)
        }

        /// Removes the phone number. The server sends no codes there any more, and for a day the account cannot be closed.
        /// - Throws: ``WalletError``: `factor_not_found` if there is none, except for a repetition after a lost answer; `last_contact` if
        ///   no e-mail reaches the account, because its address is not confirmed or the server sends none.
        public func removePhone() async throws {
            try await wallet.remove(.changeContact, Endpoints.accountPhone.path, missing: .factorNotFound)
        }

        private func confirm(_ code: String, _ path: String) async throws {
            // A repetition of the right code succeeds.
            try await wallet.call(
                .changeContact, .post, path,
                try WalletError.argument(.changeContact, .invalidCode) {
                    ContactConfirmation(code: try OneTimeCode(digits: code)).json
                }, isRepeatable: true)
        }

        /// Returns what happened to the account, the newest first, in sentences in the person's language.
        /// - Parameter cursor: `AccountActivity.cursor` of the page before; nil for the first page.
        /// - Throws: ``WalletError``.
        public func activity(after cursor: String? = nil) async throws -> AccountActivity {
            var path = Endpoints.accountActivity.path
            if let cursor { path += "?cursor=\(cursor)" }
            return try await wallet.call(.listActivity, .get, path) { try AccountActivity($0) }
        }

        /// Returns everything that the server stores about the person, as a JSON document for a file. There are no secrets in it.
        /// - Throws: ``WalletError``: `export_too_large` if it is more than one answer holds, `too_many_attempts` after several …
        public func export() async throws -> Data {
            try await wallet.log.during(.exportAccount) {
                let answer = try await wallet.calls.answer(
                    .post, Endpoints.accountExport.path, during: .exportAccount)
                guard answer.isSuccess else {
                    throw await wallet.calls.failure(of: answer, during: .exportAccount)
                }
                return answer.body
            }
        }

        /// Closes the account. Every session ends at once, this one included, and signing in is refused. The account is erased at the
        /// time in the answer, unless the person takes that back with ``keep(code:)`` before.
        ///
        /// Show the person the time and the code. Messages to the address and the number have them as well, in case the response is lost.
        /// - Throws: ``WalletError``: `payments_open` while payments or transactions are not finished
        ///   (``WalletError/openPayments``), `last_owner` for the last one who may grant roles, `contact_cooling` for a day after a new
        ///   address or number, `insufficient_user_authentication`, `recovery_cooling` …
        public func close() async throws -> AccountClosing {
            let closing = try await wallet.call(.closeAccount, .post, Endpoints.accountClosing.path) {
                try AccountClosing($0)
            }
            // The session has ended at the server. If the store cannot be changed now, the next call here finds that out.
            _ = try? await wallet.logout()
            return closing
        }

        /// Takes the closing of an account back. It needs no session: sign in afterwards, as usual. Calling it again succeeds.
        /// - Parameter code: the code from ``close()`` or from the message, as typed.
        /// - Throws: ``WalletError``: `closing_not_found` if no closed account has it, or it has been erased …
        public func keep(code: String) async throws {
            try await wallet.log.during(.keepAccount) {
                let body = try WalletError.argument(.keepAccount, .closingNotFound) {
                    AccountKeeping(keepCode: try KeepCode(code)).json
                }
                let url = try wallet.calls.issuer.url(of: Endpoints.accountKeeping.path, during: .keepAccount)
                let answer = try await wallet.calls.exchange.send(
                    HTTPRequest(url, .json(body)), policy: .idempotent)
                guard answer.isSuccess else {
                    throw await wallet.calls.failure(of: answer, during: .keepAccount)
                }
            }
        }
    }
}
