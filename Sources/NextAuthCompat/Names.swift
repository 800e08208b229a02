public import WalletAuth

// Two types that nextAuth's pages have no name for. Under MemberImportVisibility, a re-export also makes the members of its module's
// other types visible, such as those of `NextAuthError` and of an amount, without their names.
@_exported public import struct WalletAuth.TransactionDetails
@_exported public import enum WalletAuthWire.RejectionReason

/// An account that this device is enrolled for.
public typealias Account = WalletAuth.EnrolledAccount
