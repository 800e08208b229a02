package import Core
package import Store

extension RandomBytes {
    package func uniqueID() throws -> UniqueID {
        guard let id = UniqueID.random(bytes(16)) else { throw InvariantViolation() }
        return id
    }

    package func timeOrderedID(_ now: Timestamp) throws -> UniqueID {
        guard let id = UniqueID.timeOrdered(now, bytes(16)) else { throw InvariantViolation() }
        return id
    }
}
