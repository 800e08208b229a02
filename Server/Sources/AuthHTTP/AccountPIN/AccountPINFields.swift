import AuthCore
import WalletAuthWire

/// The PIN fields of the pages' forms.
enum AccountPINFields {
    /// The submitted PIN; `nil` if it cannot be a PIN, which counts as a wrong one.
    /// - Throws: `MalformedValue` if the field is missing. Our pages always send it.
    static func guess(_ form: FormParameters) throws(MalformedValue) -> AccountPIN? {
        let typed = try form.required("pin")
        return try? AccountPIN(typed)
    }

    /// The new PIN, or the reason it is refused. The two entries are compared before anything else, so a typo costs no
    /// attempt.
    /// - Throws: `MalformedValue` if the field is missing. Our pages always send it.
    static func new(_ form: FormParameters) throws(MalformedValue) -> Result<AccountPIN, AccountPINFault> {
        let typed = try form.required("new_pin")
        do {
            // A page served by an older version has no second field. Its form is shown again, now with both.
            return .success(try AccountPIN(typed, repeated: form["repeated_pin"] ?? ""))
        } catch {
            return .failure(error)
        }
    }
}
