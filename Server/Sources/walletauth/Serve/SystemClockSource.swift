#if os(Linux)
    import CTimex
#endif

/// Where the system gets its time from.
enum SystemClockSource {
    /// Whether it is synchronized; `nil` if the system does not say.
    static var isSynchronized: Bool? {
        #if os(Linux)
            var status = timex()
            let state = adjtimex(&status)
            guard state >= 0 else { return nil }
            return state != TIME_ERROR && status.status & STA_UNSYNC == 0
        #else
            return nil
        #endif
    }
}
