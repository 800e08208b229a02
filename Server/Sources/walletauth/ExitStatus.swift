/// How the process ends where 0, 1 and 64 say too little: by the numbers of sysexits(3), for a service manager.
enum ExitStatus {
    /// The disk failed (EX_IOERR): to be started again.
    static let diskFailed: Int32 = 74
    /// A person has to do something first (EX_CONFIG): not to be started again.
    static let outOfService: Int32 = 78
}
