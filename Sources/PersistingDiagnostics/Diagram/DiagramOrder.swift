/// The order of the nodes in each layer, with few crossings.
extension DiagramGraph {
    /// Sorts each layer by where the neighbors of its nodes are, again and again, and keeps the best order.
    mutating func reduceCrossings() {
        var best = layers
        var least = crossings
        for round in 0..<24 where least > 0 {
            let isRightward = round.isMultiple(of: 2)
            let order = isRightward ? Array(layers.indices.dropFirst()) : layers.indices.dropLast().reversed()
            for layer in order { sort(layer, by: isRightward) }
            let count = crossings
            if count < least { (best, least) = (layers, count) }
        }
        for (layer, order) in best.enumerated() { setOrder(order, of: layer) }
        // Each exchange counts all crossings, which takes long in a schema of hundreds of tables.
        if edges.count <= 300 { exchangeNeighbors() }
    }

    private mutating func sort(_ layer: Int, by isLeft: Bool) {
        let places = self.places
        let weights = layers[layer].map { node -> Double in
            let neighbors = edges.compactMap { edge -> Double? in
                if isLeft, edge.right == node { return Double(places[edge.left]) + edge.leftOffset / 10_000 }
                if !isLeft, edge.left == node { return Double(places[edge.right]) + edge.rightOffset / 10_000 }
                return nil
            }
            return neighbors.isEmpty ? Double(places[node]) : neighbors.reduce(0, +) / Double(neighbors.count)
        }
        let order = layers[layer].indices.sorted { (weights[$0], $0) < (weights[$1], $1) }
        setOrder(order.map { layers[layer][$0] }, of: layer)
    }

    /// Exchanges neighbors as long as that crosses less.
    private mutating func exchangeNeighbors() {
        var least = crossings
        for _ in 0..<4 {
            let before = least
            for layer in layers.indices {
                for place in layers[layer].indices.dropLast() where least > 0 {
                    var order = layers[layer]
                    let old = order
                    order.swapAt(place, place + 1)
                    setOrder(order, of: layer)
                    let count = crossings
                    if count < least { least = count } else { setOrder(old, of: layer) }
                }
            }
            if least == before { return }
        }
    }

    /// The place of each node in its layer.
    private var places: [Int] {
        var places = Array(repeating: 0, count: nodes.count)
        for layer in layers { for (place, node) in layer.enumerated() { places[node] = place } }
        return places
    }

    /// How often pieces of lines cross each other.
    var crossings: Int {
        let places = self.places
        var byLayer: [Int: [(from: Double, to: Double)]] = [:]
        for edge in edges {
            let ends = (
                from: Double(places[edge.left]) + edge.leftOffset / 10_000,
                to: Double(places[edge.right]) + edge.rightOffset / 10_000
            )
            byLayer[nodes[edge.left].layer, default: []].append(ends)
        }
        return byLayer.values.reduce(0) { sum, ends in
            sum
                + ends.indices.reduce(0) { sum, first in
                    sum
                        + ends[(first + 1)...].count { second in
                            (ends[first].from - second.from) * (ends[first].to - second.to) < 0
                        }
                }
        }
    }
}
