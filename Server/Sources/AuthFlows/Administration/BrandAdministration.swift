internal import AuthCore
internal import AuthStore
internal import WalletAuthWire

extension Administration {
    func execute(_ command: BrandCommand) async throws -> AdministrationAnswer {
        switch command {
        case .create(let id, let name): try await createBrand(id, name: name)
        case .list: try await listBrands()
        case .show(let id): try await showBrand(id)
        }
    }

    private func createBrand(_ id: String, name: String) async throws -> AdministrationAnswer {
        let brand = BrandRecord(
            id: try BrandID(id).rawValue, name: try DisplayName.check(name), settings: "{}",
            createdAt: context.clock.now())
        guard try await context.database.write({ try Brands.create(brand, on: $0) }) else {
            throw AdministrationRefusal.taken("brand", id)
        }
        return .done("Brand \(brand.id) created.", json(brand))
    }

    private func listBrands() async throws -> AdministrationAnswer {
        let brands = try await everyPage { after, limit, connection in
            try Brands.list(after: after?.id ?? "", limit: limit, on: connection)
        }
        return .list("brands", brands.map { ("\($0.id)  \($0.name)", json($0)) }, empty: "No brands.")
    }

    private func showBrand(_ id: String) async throws -> AdministrationAnswer {
        guard let brand = try await context.database.read({ try Brands.find(id, on: $0) }) else {
            throw AdministrationRefusal.notFound("brand", id)
        }
        return .facts([("id", brand.id), ("name", brand.name), ("created", brand.createdAt.text)], json(brand))
    }

    private func json(_ brand: BrandRecord) -> JSONObject {
        var json = JSONObject()
        json.set("id", brand.id)
        json.set("name", brand.name)
        json.set("createdAt", brand.createdAt.text)
        return json
    }
}
