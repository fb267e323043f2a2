/// The tables of one part of a diagram as a graph: parents in the first layers, children in later ones.
///
/// References that skip layers lead through points between the tables of each, and those that lead to one parent share
/// these points. The methods are those of Sugiyama, Tagawa and Toda, with layers of limited height.
struct DiagramGraph {
    struct Node {
        /// The table's place in the diagram; nil for a point of a line.
        let table: Int?
        let height: Double
        var layer = 0
        /// The top.
        var y = 0.0
    }

    /// A piece of a line, between nodes of neighboring layers.
    struct Edge: Hashable {
        let left: Int
        let right: Int
        /// Where the line meets each node, counted from its top.
        let leftOffset: Double
        let rightOffset: Double
    }

    /// What is known of a reference: its tables, and where it leaves them.
    struct Line {
        let reference: Int
        let parent: Int
        let child: Int
        let parentOffset: Double
        let childOffset: Double
        /// Whether it leads from the child on the left to the parent on the right, in a circle of references.
        var isTurned = false
    }

    private(set) var nodes: [Node]
    private(set) var edges: [Edge] = []
    /// The references, with the nodes of their tables.
    private(set) var lines: [Line] = []
    /// The nodes of each layer, from top to bottom.
    private(set) var layers: [[Int]] = []

    /// The height of a line's point, which keeps tables off the line.
    static let pointHeight = 10.0
    /// The space between two tables of a layer.
    static let gap = 24.0

    /// - Parameters:
    ///   - tables: The places of the tables, and their heights.
    ///   - lines: The references between them, without those of a table to itself.
    ///   - limit: How high a layer should be at most.
    init(_ tables: [(table: Int, height: Double)], _ lines: [Line], limit: Double) {
        nodes = tables.map { Node(table: $0.table, height: $0.height) }
        let places = Dictionary(uniqueKeysWithValues: tables.enumerated().map { ($0.element.table, $0.offset) })
        self.lines = lines.compactMap { line -> Line? in
            guard let parent = places[line.parent], let child = places[line.child] else { return nil }
            return Line(
                reference: line.reference, parent: parent, child: child, parentOffset: line.parentOffset,
                childOffset: line.childOffset)
        }
        assignLayers(Self.withoutCircles(self.lines, nodes.count), limit)
        for index in self.lines.indices {
            let line = self.lines[index]
            self.lines[index].isTurned = nodes[line.parent].layer > nodes[line.child].layer
            addPieces(of: self.lines[index])
        }
        layers = (0...(nodes.map(\.layer).max() ?? 0)).map { layer in
            let nodes = nodes.indices.filter { self.nodes[$0].layer == layer }
            let (tables, points) = (
                nodes.filter { self.nodes[$0].table != nil }, nodes.filter { self.nodes[$0].table == nil }
            )
            // Of nodes with the same neighbors, points in the middle lead straight on.
            return tables.prefix(tables.count / 2) + points + tables.dropFirst(tables.count / 2)
        }
    }

    /// Sets the order of the nodes in a layer.
    mutating func setOrder(_ order: [Int], of layer: Int) { layers[layer] = order }

    /// Sets the tops of nodes.
    mutating func setTops(_ tops: [Double], of order: [Int]) {
        for (node, y) in zip(order, tops) { nodes[node].y = y }
    }

    // MARK: Layers

    /// The references as pairs of parent and child, of which those that close a circle are turned around.
    private static func withoutCircles(_ lines: [Line], _ count: Int) -> [(parent: Int, child: Int)] {
        var children: [[Int]] = Array(repeating: [], count: count)
        for line in lines { children[line.parent].append(line.child) }
        var (state, pairs) = (Array(repeating: 0, count: count), [(parent: Int, child: Int)]())
        let isChild = Set(lines.map(\.child))
        for start in (0..<count).sorted(by: { !isChild.contains($0) && isChild.contains($1) }) where state[start] == 0 {
            // A chain of tables may be longer than the stack is deep.
            var stack = [(node: start, next: 0)]
            state[start] = 1
            while let (node, next) = stack.last {
                guard next < children[node].count else {
                    state[node] = 2
                    stack.removeLast()
                    continue
                }
                stack[stack.count - 1].next += 1
                let child = children[node][next]
                pairs.append(state[child] == 1 ? (child, node) : (node, child))
                if state[child] == 0 {
                    state[child] = 1
                    stack.append((child, 0))
                }
            }
        }
        return pairs
    }

    /// Puts each table into the first layer after those of its parents that has room for it.
    private mutating func assignLayers(_ pairs: [(parent: Int, child: Int)], _ limit: Double) {
        var missing = Array(repeating: 0, count: nodes.count)
        for pair in pairs { missing[pair.child] += 1 }
        var (heights, ready) = ([Double](), nodes.indices.filter { missing[$0] == 0 })
        var (least, order) = (Array(repeating: 0, count: nodes.count), [Int]())
        let childCounts = nodes.indices.map { node in pairs.count { $0.parent == node } }
        while !ready.isEmpty {
            // What others wait for comes first.
            ready.sort { (least[$0], -childCounts[$0], $0) < (least[$1], -childCounts[$1], $1) }
            let node = ready.removeFirst()
            order.append(node)
            var layer = least[node]
            while layer < heights.count, heights[layer] > 0, heights[layer] + nodes[node].height > limit { layer += 1 }
            while heights.count <= layer { heights.append(0) }
            heights[layer] += nodes[node].height + Self.gap
            nodes[node].layer = layer
            for pair in pairs where pair.parent == node {
                least[pair.child] = max(least[pair.child], layer + 1)
                missing[pair.child] -= 1
                if missing[pair.child] == 0 { ready.append(pair.child) }
            }
        }
        // A table without parents stands next to its first child.
        for node in order.reversed() where !pairs.contains(where: { $0.child == node }) {
            guard let first = pairs.filter({ $0.parent == node }).map({ nodes[$0.child].layer }).min() else { continue }
            let layer = first - 1
            guard layer > nodes[node].layer, heights[layer] + nodes[node].height <= limit else { continue }
            heights[nodes[node].layer] -= nodes[node].height + Self.gap
            heights[layer] += nodes[node].height + Self.gap
            nodes[node].layer = layer
        }
        removeEmptyLayers()
    }

    private mutating func removeEmptyLayers() {
        let used = Set(nodes.map(\.layer)).sorted()
        for node in nodes.indices { nodes[node].layer = used.firstIndex(of: nodes[node].layer) ?? 0 }
    }

    /// Adds the pieces of a line from the left to the right.
    private mutating func addPieces(of line: Line) {
        let parent = (node: line.parent, offset: line.parentOffset)
        let child = (node: line.child, offset: line.childOffset)
        let (left, right) = line.isTurned ? (child, parent) : (parent, child)
        var from = left
        var layer = nodes[left.node].layer + 1
        while layer < nodes[right.node].layer {
            // A line that came here from the same place is shared.
            let known =
                line.isTurned
                ? nil
                : edges.first { edge in
                    edge.left == from.node && edge.leftOffset == from.offset && nodes[edge.right].table == nil
                }
            let point = known?.right ?? nodes.count
            if known == nil {
                nodes.append(Node(table: nil, height: Self.pointHeight, layer: layer))
                edges.append(
                    Edge(
                        left: from.node, right: point, leftOffset: from.offset, rightOffset: Self.pointHeight / 2))
            }
            from = (point, Self.pointHeight / 2)
            layer += 1
        }
        edges.append(Edge(left: from.node, right: right.node, leftOffset: from.offset, rightOffset: right.offset))
    }
}
