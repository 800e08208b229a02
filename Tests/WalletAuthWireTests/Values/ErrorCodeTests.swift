import Testing
import WalletAuthWire

@Suite("Error codes") struct ErrorCodeTests {
    @Test(
        "Every row of the table has its HTTP status and its number",
        arguments: [
            ("invalid_credentials", 401, 401), ("mfa_required", 400, 412), ("wallet_deactivated", 403, 421),
            ("device_deactivated", 423, 423),
            ("device_suspended", 403, 503), ("pin_locked", 423, 423), ("email_unverified", 403, 418),
            ("password_change_required", 403, 508),
            ("app_instance_unverified", 403, 511),
            ("device_authentication_unsupported", 400, 432), ("device_token_expired", 401, 401),
            ("bad_request", 400, 400), ("token_already_expired", 403, 403),
            ("not_signed_in", 403, 403), ("server_error", 500, 500), ("no_device_token", nil, 1003),
            ("login_strategy_unavailable", 400, 400), ("no_matching_guest", 403, 404), ("username_taken", 409, 409),
        ] as [(String, Int?, Int)])
    func table(name: String, http: Int?, number: Int) throws {
        let code = try #require(ErrorCode(rawValue: name))
        #expect(code.httpStatus == http)
        #expect(code.statusCode() == number)
    }

    @Test("Two codes have another number where device tokens are concerned")
    func deviceTokens() {
        #expect(ErrorCode.invalidCredentials.statusCode(during: .generatingDeviceToken) == 419)
        #expect(ErrorCode.invalidCredentials.statusCode(during: .usingDeviceToken) == 401)
        #expect(ErrorCode.walletDeactivated.statusCode(during: .usingDeviceToken) == 412)
    }
}
