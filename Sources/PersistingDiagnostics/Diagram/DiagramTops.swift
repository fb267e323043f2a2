/// Where nodes stand in their layers.
extension DiagramGraph {
    /// Places each node as near to its neighbors as the order of its layer allows.
    mutating func placeNodes() {
        for layer in layers { setTops(tops(of: layer, wanted: layer.map { _ in 0 }), of: layer) }
        for round in 0..<16 {
            let order = round.isMultiple(of: 2) ? Array(layers.indices) : layers.indices.reversed()
            for index in order {
                let layer = layers[index]
                setTops(tops(of: layer, wanted: layer.map { wantedTop(of: $0, in: round) }), of: layer)
            }
        }
        let top = nodes.map(\.y).min() ?? 0
        for layer in layers { setTops(layer.map { nodes[$0].y - top }, of: layer) }
    }

    /// The top at which a node's lines would be level.
    private func wantedTop(of node: Int, in round: Int) -> Double {
        var (wanted, sides) = ([Double](), [Double]())
        for edge in edges {
            if edge.right == node { wanted.append(nodes[edge.left].y + edge.leftOffset - edge.rightOffset) }
            if edge.left == node { sides.append(nodes[edge.right].y + edge.rightOffset - edge.leftOffset) }
        }
        // Going one way, the side that was placed before counts; in the last rounds, both do.
        let both = wanted + sides
        let chosen = round >= 12 ? both : round.isMultiple(of: 2) ? wanted : sides
        let values = chosen.isEmpty ? both : chosen
        return values.isEmpty ? nodes[node].y : values.reduce(0, +) / Double(values.count)
    }

    /// The tops that are nearest to those wanted, in this order and with gaps: by joining neighbors that would overlap
    /// to blocks.
    private func tops(of layer: [Int], wanted: [Double]) -> [Double] {
        var starts: [Double] = []
        var start = 0.0
        for (place, node) in layer.enumerated() {
            if place > 0 { start += nodes[layer[place - 1]].height + gap(layer[place - 1], node) }
            starts.append(start)
        }
        var blocks: [(sum: Double, count: Double)] = []
        for (place, top) in wanted.enumerated() {
            var block = (sum: top - starts[place], count: 1.0)
            while let last = blocks.last, last.sum / last.count > block.sum / block.count {
                block = (last.sum + block.sum, last.count + block.count)
                blocks.removeLast()
            }
            blocks.append(block)
        }
        let shifts = blocks.flatMap { Array(repeating: $0.sum / $0.count, count: Int($0.count)) }
        return zip(starts, shifts).map { $0 + $1 }
    }

    private func gap(_ first: Int, _ second: Int) -> Double {
        nodes[first].table == nil && nodes[second].table == nil ? 2 : Self.gap
    }
}
