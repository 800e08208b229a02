internal import Kernel
package import Store

/// What Apple said of an address ends with the address.
package struct AppleRows: DependentRows {
    package init() {}

    package func emailChanged(of account: UniqueID, on connection: any SQLConnection) throws {
        try AppleGrants.forgetReachability(of: account, on: connection)
    }
}
