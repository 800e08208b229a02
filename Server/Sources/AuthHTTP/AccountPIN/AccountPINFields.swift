import AuthCore
import WalletAuthWire

/// A PIN as a form brings it.
enum AccountPINFields {
    /// A guess; `nil` for what can be no PIN.
    /// - Throws: `MalformedValue` where the field is missing, as no page of ours has it.
    static func guess(_ form: FormParameters) throws(MalformedValue) -> AccountPIN? {
        let typed = try form.required("pin")
        return try? AccountPIN(typed)
    }

    /// A new one, or what is wrong with it.
    /// - Throws: `MalformedValue` where the field is missing, as no page of ours has it.
    static func new(_ form: FormParameters) throws(MalformedValue) -> Result<AccountPIN, AccountPINFault> {
        let typed = try form.required("new_pin")
        do {
            return .success(try AccountPIN(typed))
        } catch {
            return .failure(error)
        }
    }
}
