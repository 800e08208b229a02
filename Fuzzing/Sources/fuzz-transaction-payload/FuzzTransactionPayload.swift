/// Parses an input as a payload. libFuzzer calls it, and saves the input if the program stops.
@_cdecl("LLVMFuzzerTestOneInput")
public func readPayload(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: start, count: count))
    if case .broken(let fault) = TransactionProperties.reading(ofPayload: bytes) { fatalError(fault) }
    return 0
}
