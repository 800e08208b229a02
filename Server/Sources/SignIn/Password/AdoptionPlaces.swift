internal import Synchronization
internal import WalletAuthWire

/// Limits the passwords from unknown devices that are verified at once in a brand with a former system (decision 171).
///
/// An attempt holds its place from before the comparison until its answer, whether anything is asked or not. So neither an answer that
/// there is no place, nor how many there are, tells who has an account, or whose password is not ours yet; and as nothing was compared, it
/// need not be counted.
final class AdoptionPlaces: Sendable {
    private let most: Int
    private let taken = Mutex<[BrandID: Int]>([:])

    init(most: Int) { self.most = most }

    /// A place, or the permission to do without one.
    struct Place: Sendable {
        static let unneeded = Place(places: nil, brand: nil)

        fileprivate let places: AdoptionPlaces?
        fileprivate let brand: BrandID?

        /// To be called once.
        func giveBack() {
            guard let places, let brand else { return }
            places.taken.withLock { taken in
                let left = taken[brand, default: 1] - 1
                taken[brand] = left > 0 ? left : nil
            }
        }
    }

    /// - Returns: `nil` if none is free.
    func take(in brand: BrandID) -> Place? {
        taken.withLock { taken in
            guard taken[brand, default: 0] < most else { return nil }
            taken[brand, default: 0] += 1
            return Place(places: self, brand: brand)
        }
    }
}
