/// Parses an input as the text of a QR code. libFuzzer calls it, and saves the input if the program stops.
@_cdecl("LLVMFuzzerTestOneInput")
public func readLink(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: start, count: count))
    if case .broken(let fault) = TransactionProperties.reading(ofLink: bytes) { fatalError(fault) }
    return 0
}
