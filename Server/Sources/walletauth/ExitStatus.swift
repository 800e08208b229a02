/// How the process ends where 0, 1 and 64 say too little: for a script, and by the numbers of sysexits(3) for a service manager.
enum ExitStatus {
    /// The proof of a transaction is genuine, and the transaction is not signed.
    static let notSigned: Int32 = 3
    /// The disk failed (EX_IOERR): to be started again.
    static let diskFailed: Int32 = 74
    /// A person has to do something first (EX_CONFIG): not to be started again.
    static let outOfService: Int32 = 78
}
