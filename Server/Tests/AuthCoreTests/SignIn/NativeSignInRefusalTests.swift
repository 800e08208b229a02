import Testing
import WalletAuthWire

@testable import SignIn

@Suite("Why a sign-in is refused")
struct NativeSignInRefusalTests {
    @Test("A server that is busy does not give the number of a suspended device, whatever its HTTP status is")
    func busyIsNotSuspended() {
        let suspended = NativeSignInRefusal.device(.deviceSuspended).statusCode
        #expect(suspended == 503)
        for refusal in [
            NativeSignInRefusal.busy(retryAfter: 5), .unavailable(retryAfter: 5), .providerUnavailable(retryAfter: 5),
        ] {
            #expect(refusal.status == 503)
            #expect(refusal.statusCode == 500)
            #expect(refusal.retryAfter == 5)
        }
    }

    @Test("A refused device gets the same code and HTTP status at a sign-in and everywhere else")
    func device() {
        let refusals: [PINRefusal] = [
            .invalidCredentials, .wrongPIN(remaining: 1), .locked(.tooManyTries), .deviceSuspended, .deviceDeactivated,
        ]
        for refusal in refusals {
            let signIn = NativeSignInRefusal.device(refusal)
            #expect(signIn.errorCode == refusal.answer.code)
            #expect(signIn.status == refusal.answer.status)
            #expect(signIn.error == "access_denied")
        }
    }
}
