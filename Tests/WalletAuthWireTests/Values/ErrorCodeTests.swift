import Testing
import WalletAuthWire

@Suite("Error codes") struct ErrorCodeTests {
    private static let table: [(name: String, http: Int?, number: Int)] = [
        ("invalid_credentials", 401, 401), ("mfa_required", 400, 412), ("recovery_code_required", 400, 412),
        ("recovery_unavailable", 403, 403), ("wallet_deactivated", 403, 421), ("device_deactivated", 423, 423),
        ("device_suspended", 403, 503), ("pin_locked", 423, 423), ("email_unverified", 403, 418),
        ("password_change_required", 403, 508), ("app_instance_unverified", 403, 511),
        ("login_strategy_unavailable", 400, 400), ("device_authentication_unsupported", 400, 432),
        ("device_token_expired", 401, 401), ("bad_request", 400, 400), ("token_already_expired", 403, 403),
        ("not_signed_in", 403, 403), ("server_error", 500, 500), ("no_device_token", nil, 1003),
        ("no_matching_guest", 403, 404), ("username_taken", 409, 409), ("merchant_required", 403, 403),
        ("address_taken", 409, 409), ("registration_off", 403, 403), ("delivery_unavailable", 403, 403),
        ("app_not_installed", 403, 403), ("not_an_employee", 403, 403),
    ]

    @Test("Every code is in the table, with its HTTP status and its number")
    func table() throws {
        let names = Self.table.map(\.name)
        #expect(names.sorted() == ErrorCode.allCases.map { $0.rawValue }.sorted())
        for row in Self.table {
            let code = try #require(ErrorCode(rawValue: row.name))
            #expect(code.httpStatus == row.http, "\(row.name)")
            #expect(code.statusCode() == row.number, "\(row.name)")
        }
    }

    @Test("Two codes have another number where device tokens are concerned, and no other code has")
    func deviceTokens() {
        #expect(ErrorCode.invalidCredentials.statusCode(during: .generatingDeviceToken) == 419)
        #expect(ErrorCode.invalidCredentials.statusCode(during: .usingDeviceToken) == 401)
        #expect(ErrorCode.walletDeactivated.statusCode(during: .generatingDeviceToken) == 412)
        #expect(ErrorCode.walletDeactivated.statusCode(during: .usingDeviceToken) == 412)
        for code in ErrorCode.allCases where code != .invalidCredentials && code != .walletDeactivated {
            #expect(code.statusCode(during: .generatingDeviceToken) == code.statusCode(), "\(code)")
            #expect(code.statusCode(during: .usingDeviceToken) == code.statusCode(), "\(code)")
        }
    }
}
