package import Kernel
internal import WalletAuthWire

extension SignInPolicy.Account {
    package init(_ record: AccountRecord) throws {
        self.init(
            state: State(record), securityVersion: record.securityVersion, brand: try BrandID(record.brandID),
            email: Email(record.emailState), isPasswordExpired: record.passwordState == .expired,
            passwordChangedAt: record.passwordChangedAt, coolingUntil: record.coolingUntil)
    }
}

extension SignInPolicy.Device {
    package init(_ record: DeviceRecord) {
        self.init(state: State(record), instance: record.instance, coolingUntil: record.coolingUntil)
    }
}

extension SignInPolicy.Device.State {
    package init(_ record: DeviceRecord) {
        switch record.state {
        case .active: self = .active
        case .suspended: self = .suspended
        case .deactivated: self = record.deactivatedBy == .failures ? .closedByFailures : .deactivated
        case .removed: self = .removed
        }
    }
}

extension SignInPolicy.Account.State {
    init(_ record: AccountRecord) {
        switch record.state {
        case .active: self = .active
        case .deactivated: self = record.deactivatedBy == .failures ? .closedByFailures : .deactivated
        case .erased: self = .erased
        }
    }
}

extension SignInPolicy.Account.Email {
    init(_ state: EmailState) {
        switch state {
        case .none: self = .none
        case .unverified: self = .unverified
        case .verified: self = .verified
        }
    }
}
