// What an app's tests name of the wire's types and the app itself does not. The others arrive with `import WalletAuth`.

@_exported public import struct WalletAuthWire.TransactionRequest
@_exported public import struct WalletAuthWire.WalletOperation
@_exported public import struct WalletAuthWire.WalletOperationType
