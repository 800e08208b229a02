/// What the vendor's older pages name and this server does otherwise: the compiler says what to call.
extension NextAuth {
    /// Sign-in by QR code.
    @available(*, unavailable, message: "a QR code begins no session here: sign in with `NextAuth.default.wallet`")
    public func setAccount<Session>(_ account: Account, for session: Session, with userInput: String? = nil) {}

    /// The second factor of a sign-in by QR code.
    @available(*, unavailable, message: "call `flowService.inputSecondFactor(_:)`")
    public func sfInput(_ pin: String) {}
}
