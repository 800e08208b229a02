import WalletAuthWire
import Web

extension OpenAPIDocument {
    /// Where a success leads: to the operations below the route whose variable segments are members of the answer.
    static func links(from route: Route, _ contract: Contract, to routes: [Route]) -> JSONObject {
        let members = contract.answer.map { memberNames(of: $0) } ?? []
        let own = segments(of: route.path)
        return routes.reduce(into: JSONObject()) { links, other in
            guard other.path.hasPrefix(route.path + "/{"), let id = other.description?.id,
                members.union(own).isSuperset(of: segments(of: other.path))
            else { return }
            let parameters = segments(of: other.path).reduce(into: JSONObject()) { parameters, segment in
                let place = own.contains(segment) ? "$request.path." : "$response.body#/"
                parameters.set(segment, place + segment)
            }
            links[id] = ["operationId": .string(id), "parameters": .object(parameters)]
        }
    }

    /// The variable segments of a path.
    static func segments(of path: String) -> [String] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) }
    }

    /// The members that an answer always has.
    private static func memberNames(of shape: WireShape) -> Set<String> {
        guard case .either(let shapes) = shape else { return Set(shape.members.filter(\.isRequired).map(\.name)) }
        let names = shapes.map { memberNames(of: $0) }
        return names.dropFirst().reduce(names.first ?? []) { $0.intersection($1) }
    }
}
