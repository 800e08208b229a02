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

    /// A new one, or what is wrong with it. It is compared with its repetition here, before anybody is asked anything: whoever
    /// mistypes it spends no try and no change.
    /// - Throws: `MalformedValue` where the field is missing, as no page of ours has it.
    static func new(_ form: FormParameters) throws(MalformedValue) -> Result<AccountPIN, AccountPINFault> {
        let typed = try form.required("new_pin")
        do {
            // A page that was served before it asked twice has no repetition: it asks again, and twice.
            return .success(try AccountPIN(typed, repeated: form["repeated_pin"] ?? ""))
        } catch {
            return .failure(error)
        }
    }
}
